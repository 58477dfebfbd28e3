package capture

import (
	"encoding/binary"
	"time"

	"mqscope/engine/remoting"
)

// frame is one remoting frame as far as it was captured.
type frame struct {
	at   time.Time
	data []byte // without its length
	cut  int    // missing bytes of the body's end
	lent bool   // data is good only until the items of it were taken
}

// framed is who a framer tells what it found.
type framed interface {
	frame(f frame)
	// trouble notes what can not be read; fatal when head shows that the stream is none of
	// frames at all.
	trouble(kind NoteKind, bytes int64, text string)
	foreign(head []byte)
	// room tells whether n more bytes of an unfinished frame may be kept; below zero it
	// gives as many back.
	room(n int) bool
}

type framing uint8

const (
	seeking framing = iota // a frame boundary has to be found
	aligned                // the next byte belongs to buf, or begins a frame
	dead                   // not a stream of frames
)

// prefix is what the length of a frame and the lengths of its parts take.
const prefix = 8

// framer cuts one direction of a connection into frames.
type framer struct {
	to     framed
	limits *remoting.Limits
	mode   framing
	fresh  bool // no byte was seen since the connection's first
	buf    []byte
	need   int // bytes of the frame without its length; 0 while fewer than prefix are there
	got    int // of need, captured or known to be missing
	header int // envelope and header
	cut    int // missing bytes of the body
	lost   bool
	kept   int   // bytes of buf that room was asked for
	skip   int64 // bytes passed over since the last boundary
	frames int64
	missed time.Time // when frames may have been lost last
	spare  *spare    // nil: frames may be kept
}

// spare are buffers of frames that are lent: of a Live, whose items are taken at once.
type spare struct{ free, used [][]byte }

const (
	maxSpare      = 8
	maxSpareBytes = 256 << 10
)

// take returns an empty buffer for a frame of n bytes.
func (s *spare) take(n int) []byte {
	if i := len(s.free) - 1; i >= 0 {
		b := s.free[i]
		s.free = s.free[:i]
		return b[:0]
	}
	return make([]byte, 0, min(n, 64<<10))
}

// reclaim makes what was lent free again.
func (s *spare) reclaim() {
	for _, b := range s.used {
		if len(s.free) < maxSpare && cap(b) <= maxSpareBytes {
			s.free = append(s.free, b)
		}
	}
	clear(s.used)
	s.used = s.used[:0]
}

// begin aligns the framer: the next byte is the connection's first.
func (f *framer) begin() { f.mode, f.fresh = aligned, true }

func (f *framer) write(b []byte, at time.Time) {
	for len(b) > 0 {
		switch f.mode {
		case dead:
			return
		case seeking:
			b = f.seek(b)
		default:
			b = f.collect(b, at)
		}
	}
}

// collect takes bytes of the frame being read and returns the others.
func (f *framer) collect(b []byte, at time.Time) []byte {
	if f.need == 0 {
		return f.open(b, at)
	}
	n := min(f.need-f.got, len(b))
	f.keep(b[:n])
	f.got += n
	if f.got == f.need {
		f.finish(at)
	}
	return b[n:]
}

// open reads the lengths at the start of a frame.
func (f *framer) open(b []byte, at time.Time) []byte {
	if rest, ok := f.lend(b, at); ok {
		return rest
	}
	head := f.buf
	if len(head) == 0 && len(b) >= prefix { // as almost always: nothing to keep
		head, b = b[:prefix:prefix], b[prefix:]
	} else {
		n := min(prefix-len(f.buf), len(b))
		f.buf = append(f.buf, b[:n]...)
		head, b = f.buf, b[n:]
		if len(head) < prefix {
			if f.fresh && int(head[0]) > f.limits.FrameBytes>>24 {
				f.unframed(head)
			}
			return b
		}
	}
	size, header, ok := lengths(head, f.limits)
	if !ok {
		head = append(head[:prefix:prefix], b...)
		if f.frames == 0 && f.fresh {
			f.unframed(head)
			return nil
		}
		f.to.trouble(NoteBad, 0, "what should begin a frame does not: its lengths can not be right")
		f.restart()
		return head
	}
	f.fresh = false
	word := [4]byte(head[4:])
	if f.spare != nil {
		f.buf = append(f.spare.take(size), word[:]...)
	} else {
		f.buf = append(make([]byte, 0, min(size, max(len(b)+4, 64<<10))), word[:]...)
	}
	f.need, f.header, f.got = size, header, 4
	if f.got == f.need {
		f.finish(at)
	}
	return b
}

// lend hands a frame on that b has all of, without keeping it, where that is wanted.
func (f *framer) lend(b []byte, at time.Time) (rest []byte, ok bool) {
	if f.spare == nil || len(f.buf) > 0 || len(b) < prefix {
		return nil, false
	}
	size, _, ok := lengths(b, f.limits)
	if !ok || len(b) < 4+size {
		return nil, false
	}
	f.fresh = false
	f.frames++
	f.to.frame(frame{at: at, data: b[4 : 4+size : 4+size], lent: true})
	return b[4+size:], true
}

// keep stores bytes of the frame unless something before them is missing.
func (f *framer) keep(b []byte) {
	if f.lost || f.cut > 0 {
		f.cut += len(b)
		return
	}
	if !f.to.room(len(b)) {
		f.hole(len(b))
		return
	}
	f.kept += len(b)
	f.buf = append(f.buf, b...)
}

// hole counts n bytes of the frame as missing.
func (f *framer) hole(n int) {
	f.cut += n
	if len(f.buf) < f.header {
		f.lost = true
		f.buf = nil
	}
}

// finish hands the frame on.
func (f *framer) finish(at time.Time) {
	done := frame{at: at, data: f.buf, cut: f.cut, lent: f.spare != nil}
	lost, size := f.lost, f.need
	f.clear()
	if lost {
		f.missed = at
	}
	if done.lent {
		f.spare.used = append(f.spare.used, done.data)
	}
	if lost {
		f.to.trouble(NoteLost, int64(size)+4, "a frame whose header was not captured whole")
		return
	}
	f.frames++
	f.to.frame(done)
}

// gap says that n bytes of the stream were not captured.
func (f *framer) gap(n int, at time.Time) {
	switch {
	case f.mode == dead:
	case f.mode == aligned && f.need > 0 && n <= f.need-f.got:
		f.hole(n)
		f.got += n
		if f.got == f.need {
			f.finish(at)
		}
	case f.mode == aligned && f.need > 0:
		f.hole(f.need - f.got)
		f.finish(at)
		f.missed = at
		f.restart()
	default:
		f.missed = at
		f.skip += int64(len(f.buf))
		f.restart()
	}
	f.fresh = false
}

// restart looks for the next boundary.
func (f *framer) restart() {
	f.clear()
	f.mode = seeking
}

func (f *framer) clear() {
	f.to.room(-f.kept)
	f.kept = 0
	f.buf, f.need, f.got, f.header, f.cut, f.lost = nil, 0, 0, 0, 0, false
}

// unframed ends the reading of a stream that is none of frames.
func (f *framer) unframed(head []byte) {
	f.mode = dead
	f.buf = nil
	f.to.foreign(head)
}

// close says what was left at the end.
func (f *framer) close() {
	switch {
	case f.mode == aligned && f.need > 0:
		f.to.trouble(NoteLost, int64(4+f.got), "the stream ends inside a frame")
	case f.mode == aligned && len(f.buf) > 0:
		f.to.trouble(NoteLost, int64(len(f.buf)), "the stream ends inside a frame")
	case f.mode == seeking:
		f.skip += int64(len(f.buf))
	}
	f.told()
	f.clear()
	f.mode = dead
}

// told notes the bytes that were passed over.
func (f *framer) told() {
	if f.skip > 0 {
		f.to.trouble(NoteSkipped, f.skip, "bytes in which no frame begins")
		f.skip = 0
	}
}

// lengths reads and checks the first bytes of a frame: how long it is without its own
// length, and how much of that are envelope and header.
func lengths(b []byte, l *remoting.Limits) (size, header int, ok bool) {
	size = int(int32(binary.BigEndian.Uint32(b)))
	word := binary.BigEndian.Uint32(b[4:])
	header = int(word & 0xffffff)
	if size < 4 || size > l.FrameBytes-4 || header > l.HeaderBytes || header > size-4 {
		return 0, 0, false
	}
	t := remoting.SerializeType(word >> 24)
	return size, 4 + header, t == remoting.JSON || t == remoting.RocketMQ
}
