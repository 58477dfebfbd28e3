package recording

import (
	"bytes"
	"fmt"
)

const findStep = 64 << 10

// openIndex takes marks and end from the index; false: there is none that fits the file.
func (r *Reader) openIndex() bool {
	if r.size < r.start+indexLen+trailerLen {
		return false
	}
	tail := make([]byte, trailerLen)
	if r.readAt(tail, r.size-trailerLen) != nil {
		return false
	}
	t, ok := decodeTrailer(tail)
	length := r.size - trailerLen - t.index
	if !ok || t.id != r.id || t.index < r.start || length < indexLen || length > indexLen+8*maxIndex {
		return false
	}
	index := make([]byte, length)
	if r.readAt(index, t.index) != nil {
		return false
	}
	offsets, ok := decodeIndex(index, r.id, r.start, t.index)
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

// rebuild finds the blocks by going from one to the next, and behind damage to the next mark.
func (r *Reader) rebuild() {
	var m marks
	number := r.header.First
	r.last, r.indexed, r.why = block{}, false, Unknown
	pos := r.start
	for pos < r.size {
		b, err := r.blockAt(pos, r.size)
		if err != nil || b.first < number {
			from := pos + 1
			if l := r.last; l.records > 0 && l.end() == pos && !r.tired() && r.tryLoad(&l) != nil {
				from = l.at + blockHeadLen // its length may be as wrong as the rest of it
			}
			var ok bool
			if b, ok = r.find(from, number, r.size); !ok {
				break
			}
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
		if n := len(r.marks); n > 0 && r.marks[n-1] >= bad.at {
			r.marks = r.marks[:n-1]
		}
		if len(r.marks) == 0 {
			return
		}
		for at := r.marks[len(r.marks)-1]; at < bad.at; {
			b, err := r.blockAt(at, bad.at)
			if err != nil {
				var ok bool
				if b, ok = r.find(at+1, 0, bad.at); !ok {
					break
				}
			}
			r.last, at = b, b.end()
		}
	}
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

// damage describes what is at r.pos.
func (r *Reader) damage(err error) *Damage {
	d := &Damage{Offset: r.pos, Record: r.want, Reason: err.Error()}
	if r.seen {
		d.After = timeOf(r.after)
	}
	return d
}

// nextBlock reads the block at r.pos into r.cur, or with skip the first one behind it that is whole.
// At the end of the file it returns false.
func (r *Reader) nextBlock() (bool, error) {
	if r.pos >= r.end {
		return false, nil
	}
	b, err := r.blockAt(r.pos, r.end)
	if err == nil && b.first < r.want {
		err = fmt.Errorf("record %d comes again", b.first)
	}
	if err == nil {
		err = r.tryLoad(&b)
	}
	if err != nil {
		d := r.damage(err)
		if !r.skip {
			return false, d
		}
		var ok bool
		if b, ok = r.behind(b); !ok {
			r.pos = r.end
			d.Bytes = r.end - d.Offset
			return false, d
		}
		d.Bytes = b.at - d.Offset
		r.gap = d
	}
	if b.first > r.want {
		if r.gap == nil {
			r.gap = r.damage(fmt.Errorf("records %d to %d are missing", r.want, b.first-1))
			if !r.skip {
				d := r.gap
				r.gap = nil
				return false, d
			}
		}
		r.gap.Missing = b.first - r.want
	}
	r.cur, r.rest, r.left, r.at = b, r.unpacked, b.records, b.firstTime
	r.pos, r.want = b.end(), b.first
	return true, nil
}

// behind finds and loads the next whole block behind the bad one at r.pos, whose head is bad if
// that could be read.
func (r *Reader) behind(bad block) (block, bool) {
	from := r.pos + 1
	for {
		if bad.records > 0 {
			from = r.afterBad(bad)
		}
		b, ok := r.find(from, r.want, r.end)
		if !ok {
			return block{}, false
		}
		if r.tryLoad(&b) == nil {
			return b, true
		}
		bad = b
	}
}

// tryLoad is load, which counts what was read in vain.
func (r *Reader) tryLoad(b *block) error {
	err := r.load(b)
	if err != nil {
		r.wasted += int64(b.stored)
	}
	return err
}

// tired says that more was read in vain than a file has that was not made for that: blocks of
// which each claims to contain many others.
func (r *Reader) tired() bool { return r.wasted > 2*r.size+maxRaw }

// afterBad is where to look for a block behind a bad one with a good head: at its end if there is
// one, else in it.
func (r *Reader) afterBad(bad block) int64 {
	if r.tired() {
		return bad.end()
	}
	if _, err := r.blockAt(bad.end(), r.end); err == nil || bad.end() == r.end {
		return bad.end()
	}
	return bad.at + blockHeadLen
}
