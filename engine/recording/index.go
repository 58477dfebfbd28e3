package recording

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	indexMark  = "\xf7MQIDX\r\n"
	endMark    = "\xf7MQEND\r\n"
	indexLen   = 28 // without entries
	trailerLen = 84
	maxIndex   = 1 << 16
)

// marks is where blocks begin: of each one, or of every second, fourth … when there are many.
type marks struct {
	offsets []int64
	stride  int
	seen    int
}

func (m *marks) add(at int64) {
	if m.stride == 0 {
		m.stride = 1
	}
	if m.seen%m.stride == 0 {
		if len(m.offsets) == maxIndex {
			m.thin()
		}
		if m.seen%m.stride == 0 {
			m.offsets = append(m.offsets, at)
		}
	}
	m.seen++
}

func (m *marks) thin() {
	kept := m.offsets[:0]
	for i := 0; i < len(m.offsets); i += 2 {
		kept = append(kept, m.offsets[i])
	}
	m.offsets = kept
	m.stride *= 2
}

// appendIndex appends the index of a file.
func appendIndex(dst []byte, id uint64, offsets []int64) []byte {
	le := binary.LittleEndian
	start := len(dst)
	dst = append(dst, indexMark...)
	dst = le.AppendUint64(dst, id)
	dst = le.AppendUint32(dst, uint32(len(offsets)))
	dst = le.AppendUint32(dst, 0)
	for _, at := range offsets {
		dst = le.AppendUint64(dst, uint64(at))
	}
	return le.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli()))
}

// decodeIndex reads the index that src begins with, of a file whose blocks are between start and end; false: it is not
// to be used.
func decodeIndex(src []byte, id uint64, start, end int64) ([]int64, bool) {
	le := binary.LittleEndian
	if len(src) < indexLen || string(src[:8]) != indexMark || le.Uint64(src[8:]) != id {
		return nil, false
	}
	n := le.Uint32(src[16:])
	if n > maxIndex || len(src) < indexLen+8*int(n) || le.Uint32(src[20:]) != 0 {
		return nil, false
	}
	src = src[:indexLen+8*int(n)]
	if crc32.Checksum(src[:len(src)-4], castagnoli()) != le.Uint32(src[len(src)-4:]) {
		return nil, false
	}
	offsets := make([]int64, n)
	for i := range offsets {
		at := int64(le.Uint64(src[24+8*i:]))
		if i == 0 && at != start || i > 0 && at < offsets[i-1]+blockHeadLen || at > end-blockHeadLen {
			return nil, false
		}
		offsets[i] = at
	}
	return offsets, true
}

// headerBehind is the copy of the header behind the index that src begins with, nil where there is
// none.
func headerBehind(src []byte) []byte {
	n := int64(binary.LittleEndian.Uint32(src[16:]))
	if from := indexLen + 8*n; from <= int64(len(src)) {
		return src[from:]
	}
	return nil
}

// trailer is the end of a file that was closed.
type trailer struct {
	id    uint64
	index int64
	last  int64 // where the last block begins, 0: there is none
	next  uint64
	end   End
	chain Chain
}

func (t trailer) append(dst []byte) []byte {
	le := binary.LittleEndian
	start := len(dst)
	dst = append(dst, endMark...)
	dst = le.AppendUint64(dst, t.id)
	dst = le.AppendUint64(dst, uint64(t.index))
	dst = le.AppendUint64(dst, uint64(t.last))
	dst = le.AppendUint64(dst, t.next)
	dst = le.AppendUint16(dst, uint16(t.end))
	dst = append(dst, 0, 0, 0, 0, 0, 0)
	dst = append(dst, t.chain[:]...)
	return le.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli()))
}

func decodeTrailer(src []byte) (trailer, bool) {
	le := binary.LittleEndian
	if len(src) != trailerLen || string(src[:8]) != endMark ||
		crc32.Checksum(src[:80], castagnoli()) != le.Uint32(src[80:]) || [6]byte(src[42:48]) != [6]byte{} {
		return trailer{}, false
	}
	t := trailer{
		id: le.Uint64(src[8:]), index: int64(le.Uint64(src[16:])), last: int64(le.Uint64(src[24:])),
		next: le.Uint64(src[32:]), end: End(le.Uint16(src[40:])),
	}
	copy(t.chain[:], src[48:])
	return t, t.end >= Closed && t.end <= Faulty
}
