package store

import (
	"encoding/binary"
	"slices"
)

// Positions in a stored record that the log itself looks at.
const (
	posMagic     = 4
	posPhysical  = 28
	minRecord    = 91 // a record with IPv4 hosts and nothing in it
	magicV1      = 0xDAA320A7
	magicV2      = 0xDAA320AB
	posSysFlag   = 36
	posStoreTime = 56
	bornHostV6   = 0x10
	extraV6      = 12
)

// segment is a piece of the log. Bytes once written stay as they are.
type segment struct {
	base int64 // physical offset of buf[0]
	buf  []byte
}

func (g *segment) end() int64 { return g.base + int64(len(g.buf)) }

// commitLog is the records of all queues in the order of their arrival.
type commitLog struct {
	segments     []*segment
	segmentBytes int
	bytes        int64 // capacity of all segments
}

// start is the physical offset of the oldest byte, end that of the next byte.
func (l *commitLog) start() int64 {
	if len(l.segments) == 0 {
		return 0
	}
	return l.segments[0].base
}

func (l *commitLog) end() int64 {
	if len(l.segments) == 0 {
		return 0
	}
	return l.segments[len(l.segments)-1].end()
}

// room returns the segment for the next record of size bytes.
func (l *commitLog) room(size int) *segment {
	end := l.end()
	if n := len(l.segments); n > 0 {
		if last := l.segments[n-1]; cap(last.buf)-len(last.buf) >= size {
			return last
		}
	}
	g := &segment{base: end, buf: make([]byte, 0, max(size, l.nextSegment()))}
	l.segments = append(l.segments, g)
	l.bytes += int64(cap(g.buf))
	return g
}

// firstSegment is the size of the first one: a small cluster, of which a simulation may have
// many, takes little memory.
const firstSegment = 64 << 10

// nextSegment is the size of the next one, twice the last up to segmentBytes.
func (l *commitLog) nextSegment() int {
	if n := len(l.segments); n > 0 {
		return min(l.segmentBytes, max(firstSegment, 2*cap(l.segments[n-1].buf)))
	}
	return min(l.segmentBytes, firstSegment)
}

// dropOldest gives up the oldest segment, never the last one.
func (l *commitLog) dropOldest() bool {
	if len(l.segments) < 2 {
		return false
	}
	l.bytes -= int64(cap(l.segments[0].buf))
	l.segments = slices.Delete(l.segments, 0, 1)
	return true
}

// find returns the index of the segment that holds the byte at pos, -1 if none does.
func (l *commitLog) find(pos int64) int {
	i, found := slices.BinarySearchFunc(l.segments, pos, func(g *segment, pos int64) int {
		switch {
		case g.end() <= pos:
			return -1
		case g.base > pos:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return i
}

// record returns the record that starts at pos, nil when there is none: pos comes from
// outside and may point into the middle of something.
func (l *commitLog) record(pos int64) []byte {
	i := l.find(pos)
	if i < 0 {
		return nil
	}
	b := l.segments[i].buf[pos-l.segments[i].base:]
	if len(b) < minRecord {
		return nil
	}
	size := int64(binary.BigEndian.Uint32(b))
	magic := binary.BigEndian.Uint32(b[posMagic:])
	if size < minRecord || size > int64(len(b)) || magic != magicV1 && magic != magicV2 {
		return nil
	}
	if int64(binary.BigEndian.Uint64(b[posPhysical:])) != pos {
		return nil
	}
	return b[:size:size]
}

// storeTime reads the store time (ms) of a record.
func storeTime(record []byte) int64 {
	at := posStoreTime
	if binary.BigEndian.Uint32(record[posSysFlag:])&bornHostV6 != 0 {
		at += extraV6
	}
	return int64(binary.BigEndian.Uint64(record[at:]))
}
