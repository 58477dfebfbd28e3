package recording

import (
	"bytes"
)

const findStep = 64 << 10

// openIndex takes marks and end from the index; false: there is none that fits the file.
func (r *Reader) openIndex() bool {
	t, tail, ok := r.readTail()
	if !ok || t.id != r.id || t.index < r.start {
		return false
	}
	offsets, ok := decodeIndex(tail, r.id, r.start, t.index)
	if !ok {
		return false
	}
	if t.last == 0 {
		if len(offsets) > 0 || t.index != r.start || t.next != r.header.First {
			return false
		}
	} else {
		b, err := r.blockAt(t.last, t.index)
		if err != nil || len(offsets) == 0 || offsets[len(offsets)-1] > b.at ||
			b.end() != t.index || b.next() != t.next || b.chain != t.chain || r.load(&b) != nil {
			return false
		}
		r.last = b
	}
	r.marks, r.indexed, r.end, r.why = offsets, true, t.index, t.end
	return true
}

// readTail reads the trailer and what is between the last block and it.
func (r *Reader) readTail() (t trailer, between []byte, ok bool) {
	b := make([]byte, trailerLen)
	if r.size < indexLen+trailerLen || r.readAt(b, r.size-trailerLen) != nil {
		return t, nil, false
	}
	if t, ok = decodeTrailer(b); !ok {
		return t, nil, false
	}
	length := r.size - trailerLen - t.index
	if t.index < 0 || length < indexLen || length > indexLen+8*maxIndex+headLen+maxHeader {
		return t, nil, false
	}
	between = make([]byte, length)
	return t, between, r.readAt(between, t.index) == nil
}

// rebuild finds the blocks by going from one to the next, and behind damage to the next mark.
func (r *Reader) rebuild() {
	var m marks
	number := r.header.First
	r.last, r.indexed, r.why = block{}, false, Unknown
	pos := r.start
	for pos < r.size {
		b, ok := r.blockBehind(&r.last, pos, r.size, number)
		if !ok {
			break
		}
		m.add(b.at)
		r.last, pos, number = b, b.end(), b.next()
	}
	r.marks = m.offsets
	r.dropBroken()
	r.end = r.start
	if r.last.records > 0 {
		r.end = r.last.end()
	}
	r.describeTail()
}

// blockBehind returns the block at pos, where the one before ended, or behind damage the next one
// whose records count on from number.
func (r *Reader) blockBehind(before *block, pos, end int64, number uint64) (block, bool) {
	b, err := r.blockAt(pos, end)
	if err == nil && b.first >= number {
		return b, true
	}
	from := pos + 1
	if before.records > 0 && before.end() == pos && !r.tired() && r.tryLoad(before) != nil {
		from = before.at + blockHeadLen // its length may be as wrong as the rest of it
	}
	return r.find(from, number, end)
}

// dropBroken goes back from the last block to one whose records are whole.
func (r *Reader) dropBroken() {
	r.wasted = 0
	for r.last.records > 0 && r.tryLoad(&r.last) != nil {
		bad := r.last
		r.last = block{}
		if r.tired() {
			r.marks = nil
			return
		}
		for n := len(r.marks); n > 0 && r.last.records == 0; n = len(r.marks) {
			if r.last = r.lastBetween(r.marks[n-1], bad.at); r.last.records == 0 {
				r.marks = r.marks[:n-1]
			}
		}
	}
}

// lastBetween is the last block that begins at from or behind it and ends at end or before.
func (r *Reader) lastBetween(from, end int64) (last block) {
	for from < end {
		b, ok := r.blockBehind(&last, from, end, 0)
		if !ok {
			break
		}
		last, from = b, b.end()
	}
	return last
}

// describeTail says what is behind the last whole block, if that is not an index and a trailer.
func (r *Reader) describeTail() {
	r.cut = nil
	tail := make([]byte, min(r.size-r.end, indexLen+8*maxIndex+trailerLen))
	if len(tail) == 0 || r.readAt(tail, r.end) != nil {
		return
	}
	d := &Damage{Offset: r.end, Bytes: r.size - r.end, Record: r.Info().Next, After: r.Info().Last, Cut: true}
	n := len(tail) - trailerLen
	t, ok := trailer{}, false
	if n >= indexLen && int64(len(tail)) == r.size-r.end {
		t, ok = decodeTrailer(tail[n:])
	}
	switch {
	case ok && t.id == r.id && t.index == r.end && t.next == d.Record:
		r.why = t.end // the index between is wrong and not needed
		return
	case ok && t.id == r.id:
		d.Reason, r.why = "what is behind the last whole block cannot be read", t.end
		if t.next > d.Record && t.next <= maxNumber {
			d.Missing = t.next - d.Record
		}
	case bytes.HasPrefix(tail, []byte(indexMark)):
		d.Reason = "the index is cut or damaged, no record is missing"
	case bytes.HasPrefix(tail, []byte(blockMark)):
		d.Reason = "the recording was not closed: its program was killed, or the copy is not whole"
	default:
		d.Reason = "no block, index or trailer of this recording"
	}
	r.cut = d
}

// find returns the first block of this file at or behind from, and before end, whose records
// count on from number.
func (r *Reader) find(from int64, number uint64, end int64) (block, bool) {
	if r.window == nil {
		r.window = make([]byte, findStep)
	}
	for from <= end-blockHeadLen {
		w := r.window[:min(findStep, end-from)]
		if r.readAt(w, from) != nil {
			return block{}, false
		}
		for at := 0; ; at++ {
			n := bytes.Index(w[at:], []byte(blockMark))
			if n < 0 || at+n+blockHeadLen > len(w) {
				break
			}
			at += n
			b, err := r.ours(w[at:at+blockHeadLen], from+int64(at), end)
			if err == nil && b.first >= number {
				return b, true
			}
		}
		if int64(len(w)) == end-from {
			return block{}, false
		}
		from += int64(len(w) - blockHeadLen + 1)
	}
	return block{}, false
}
