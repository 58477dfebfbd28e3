package memnet

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// bufferBytes is how much one direction holds before a write waits.
const bufferBytes = 256 << 10

var (
	errEOF   = io.EOF
	errReset = errors.New("reset")
	errPipe  = errors.New("broken pipe")
)

// stream is one direction of a connection.
type stream struct {
	mu      sync.Mutex
	buf     []byte // unread bytes are buf[from:]
	from    int
	passed  int64 // bytes read so far: the stream position of buf[from]
	written int64 // bytes written so far
	ripe    int64 // stream position up to which bytes have arrived
	marks   []mark
	last    time.Time // arrival of the last mark or of the close
	delay   time.Duration

	held     bool // a black hole: nothing arrives
	ended    bool // closed by the writer
	deaf     bool // closed by the reader
	broken   bool // reset
	readBy   time.Time
	writeBy  time.Time
	readable signal
	writable signal
}

// mark says when the bytes between the mark before it and end arrive.
type mark struct {
	end int64
	at  time.Time
}

func newStream(delay time.Duration) *stream { return &stream{delay: delay} }

// signal wakes all who wait; waiting costs one channel per wake-up.
type signal struct{ ch chan struct{} }

// wait returns the channel that the next wake closes; call it with the stream's mutex held.
func (s *signal) wait() <-chan struct{} {
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) wake() {
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

func (s *stream) read(p []byte) (int, error) {
	for {
		n, more, err := s.tryRead(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		more.wait()
	}
}

// tryRead reads what has arrived, or says what to wait for.
func (s *stream) tryRead(p []byte) (n int, more pause, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.deaf:
		return 0, more, net.ErrClosed
	case s.broken:
		return 0, more, errReset
	case expired(s.readBy, now):
		return 0, more, os.ErrDeadlineExceeded
	}
	next := s.ripen(now)
	if n = copy(p, s.buf[s.from:s.from+int(s.ripe-s.passed)]); n > 0 {
		s.from += n
		s.passed += int64(n)
		s.writable.wake()
		return n, more, nil
	}
	if s.ended && !s.held && s.passed == s.written && next.IsZero() {
		return 0, more, errEOF
	}
	more = pause{s.readable.wait(), s.readBy}
	if !next.IsZero() && (more.until.IsZero() || next.Before(more.until)) {
		more.until = next
	}
	return 0, more, nil
}

// ripen lets arrive what is due and returns when more is, zero if that takes an event.
func (s *stream) ripen(now time.Time) time.Time {
	if s.held {
		return time.Time{}
	}
	for len(s.marks) > 0 && !s.marks[0].at.After(now) {
		s.ripe = s.marks[0].end
		s.marks = s.marks[1:]
	}
	switch {
	case len(s.marks) > 0:
		return s.marks[0].at
	case s.ended && s.last.After(now):
		return s.last
	}
	return time.Time{}
}

func (s *stream) write(p []byte) (int, error) {
	done := 0
	for {
		n, more, err := s.tryWrite(p[done:])
		done += n
		if err != nil || done == len(p) {
			return done, err
		}
		if n == 0 {
			more.wait()
		}
	}
}

// tryWrite buffers what fits, or says what to wait for.
func (s *stream) tryWrite(p []byte) (n int, more pause, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case s.ended:
		return 0, more, net.ErrClosed
	case s.broken:
		return 0, more, errReset
	case s.deaf && !s.held:
		return 0, more, errPipe
	case expired(s.writeBy, now):
		return 0, more, os.ErrDeadlineExceeded
	}
	n = min(len(p), bufferBytes-(len(s.buf)-s.from))
	if n == 0 {
		return 0, pause{s.writable.wait(), s.writeBy}, nil
	}
	if s.from > 0 && len(s.buf)+n > cap(s.buf) {
		s.buf = s.buf[:copy(s.buf, s.buf[s.from:])]
		s.from = 0
	}
	s.buf = append(s.buf, p[:n]...)
	s.written += int64(n)
	s.arrive(now)
	return n, more, nil
}

// arrive plans the arrival of what was just written, or of the close.
func (s *stream) arrive(now time.Time) {
	at := now.Add(s.delay)
	if at.Before(s.last) {
		at = s.last
	}
	s.last = at
	if !s.held && !at.After(now) && len(s.marks) == 0 {
		s.ripe = s.written
	} else if s.ripe < s.written {
		s.marks = append(s.marks, mark{s.written, at})
	}
	s.readable.wake()
}

func (s *stream) closeWrite() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	s.arrive(time.Now())
	s.writable.wake()
}

func (s *stream) closeRead() { s.change(func() { s.deaf = true }) }

// reset drops what is under way and fails both ends.
func (s *stream) reset() {
	s.change(func() { s.broken, s.buf, s.from, s.marks = true, nil, 0, nil })
}

func (s *stream) hold(on bool) { s.change(func() { s.held = on }) }

func (s *stream) slow(d time.Duration) { s.change(func() { s.delay = d }) }

func (s *stream) setReadDeadline(t time.Time) { s.change(func() { s.readBy = t }) }

func (s *stream) setWriteDeadline(t time.Time) { s.change(func() { s.writeBy = t }) }

// over tells whether nothing will be written any more.
func (s *stream) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended || s.broken
}

func (s *stream) currentDelay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delay
}

// change applies fn and lets both ends look again.
func (s *stream) change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
	s.readable.wake()
	s.writable.wake()
}

func expired(deadline, now time.Time) bool { return !deadline.IsZero() && !deadline.After(now) }

// pause is what a read or write waits for: ready, and at latest until (zero: for ever).
type pause struct {
	ready <-chan struct{}
	until time.Time
}

func (p pause) wait() {
	if p.until.IsZero() {
		<-p.ready
		return
	}
	t := time.NewTimer(time.Until(p.until))
	defer t.Stop()
	select {
	case <-p.ready:
	case <-t.C:
	}
}
