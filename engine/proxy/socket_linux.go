package proxy

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// What net.Conn does with a socket is told to Go's scheduler before and after, as the call might
// wait. That of a socket which does not block never does: told or not, it takes microseconds. It
// is being told that is dear here, as the runtime's monitor thread wakes for each such call that
// comes while all else is idle, which is nearly always, and then looks around every 20 µs: a
// quarter of the processor time of a busy proxy. So these calls are made untold, within
// syscall.RawConn, which does wait, for deadlines and for a Close too, where there is nothing to
// read, or no room to write.

// readerOf returns what reads from c as c does.
func readerOf(c net.Conn) io.Reader {
	if raw := rawOf(c); raw != nil {
		return newSocketReader(raw)
	}
	return c
}

// writerOf returns what writes to c as c does.
func writerOf(c net.Conn) io.Writer {
	if raw := rawOf(c); raw != nil {
		return newSocketWriter(raw)
	}
	return c
}

// rawOf is the socket behind c, nil where c is something else, or does something else beside.
func rawOf(c net.Conn) syscall.RawConn {
	t, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := t.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// socketReader reads from a socket, for one goroutine.
type socketReader struct {
	raw syscall.RawConn
	try func(fd uintptr) (done bool) // made once: a closure is an allocation
	b   []byte                       // of the call at hand
	n   int
	err error
}

func newSocketReader(raw syscall.RawConn) *socketReader {
	r := &socketReader{raw: raw}
	r.try = func(fd uintptr) bool {
		n, errno := untold(syscall.SYS_READ, fd, r.b)
		switch {
		case errno == syscall.EAGAIN:
			return false
		case errno != 0:
			r.err = os.NewSyscallError("read", errno)
		case n == 0:
			r.err = io.EOF
		}
		r.n = n
		return true
	}
	return r
}

// Read is that of net.Conn.
func (r *socketReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r.b, r.n, r.err = b, 0, nil
	err := r.raw.Read(r.try)
	r.b = nil
	if err != nil {
		return 0, err
	}
	wasWritten(b[:r.n])
	return r.n, r.err
}

// socketWriter writes to a socket, for one goroutine.
type socketWriter struct {
	raw syscall.RawConn
	try func(fd uintptr) (done bool)
	b   []byte // of the call at hand, what is left of it
	err error
}

func newSocketWriter(raw syscall.RawConn) *socketWriter {
	w := &socketWriter{raw: raw}
	w.try = func(fd uintptr) bool {
		for len(w.b) > 0 {
			n, errno := untold(syscall.SYS_WRITE, fd, w.b)
			if errno == syscall.EAGAIN {
				return false
			}
			if errno == 0 && n == 0 {
				w.err = io.ErrUnexpectedEOF // as package net has it; else this would go on for ever
				return true
			}
			if errno != 0 {
				w.err = os.NewSyscallError("write", errno)
				return true
			}
			w.b = w.b[n:]
		}
		return true
	}
	return w
}

// Write is that of net.Conn.
func (w *socketWriter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	wasRead(b)
	w.b, w.err = b, nil
	err := w.raw.Write(w.try)
	n := len(b) - len(w.b)
	if w.b = nil; err != nil {
		return n, err
	}
	return n, w.err
}

// untold reads or writes b, which is not empty, at a socket that does not block.
func untold(call, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno // n is -1 then
		}
	}
}
