package proxy

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// pipe is one direction of a connection: it carries bytes from src to dst.
type pipe struct {
	link     *link
	src, dst net.Conn
	in       io.Reader // src
	out      io.Writer // dst
	up       bool      // from the client to the server

	cur      *chunk
	from, to int // of cur: what was read and not passed on yet
	class    int // of the next chunk
	quiet    int // reads in a row that took little of theirs
	left     int // bytes of the frame being passed on that are still to come
	need     int // bytes that the frame being waited for has to have
	blind    bool
}

// errSide says which side of a pipe failed.
type errSide struct {
	error
	dst bool
}

func (e errSide) Unwrap() error { return e.error }

// run carries bytes until src ends, which is the error io.EOF, or either side fails.
func (p *pipe) run() error {
	p.in, p.out = readerOf(p.src), writerOf(p.dst)
	p.cur = p.link.proxy.chunks.get(p.class)
	defer func() { p.cur.Release() }()
	for {
		p.room()
		err := p.read()
		if p.to > p.from {
			if werr := p.pass(); werr != nil {
				return errSide{werr, true}
			}
		}
		if err != nil {
			if werr := p.write(p.cur.b[p.from:p.to]); werr != nil { // what was held back is part of no frame
				return errSide{werr, true}
			}
			return errSide{err, false}
		}
	}
}

// read reads what there is, once, and shows it to the observer.
func (p *pipe) read() error {
	free := p.cur.b[p.to:]
	n, err := p.in.Read(free)
	if n == 0 {
		return err
	}
	if p.link.halfOpen.Load() {
		p.extend()
	}
	p.link.view.Data(!p.up, p.cur.b[p.to:p.to+n], p.cur)
	p.to += n
	p.link.proxy.count.carried(p.up, n)
	switch {
	case n == len(free) && p.class < classes-1:
		p.class++
		p.quiet = 0
	case n > classBytes(p.class)/8:
		p.quiet = 0
	case p.class > 0:
		if p.quiet++; p.quiet >= 64 {
			p.class, p.quiet = p.class-1, 0
		}
	}
	return err
}

// room makes room to read into: in the chunk at hand where nobody else looks at it, or there is
// enough left of it, else in another.
func (p *pipe) room() {
	held, class := p.to-p.from, p.class
	if held == 0 {
		p.need = 0
		if p.cur.refs.Load() == 1 {
			p.from, p.to = 0, 0
		}
	}
	fits := p.cur.size == class || p.cur.size > class && held > 0
	if fits && len(p.cur.b)-p.to >= max(p.need-held, classBytes(class)/2) {
		return
	}
	for class < classes-1 && classBytes(class) < max(p.need, held+classBytes(class)/2) {
		class++
	}
	next := p.link.proxy.chunks.get(class)
	copy(next.b, p.cur.b[p.from:p.to])
	p.cur.Release()
	p.cur, p.from, p.to = next, 0, held
}

// pass passes on what was read, all but the start of a frame of which more has to be there.
func (p *pipe) pass() error {
	pos := p.from
	for pos < p.to {
		if p.blind {
			pos = p.to
			break
		}
		if p.left > 0 {
			n := min(p.left, p.to-pos)
			pos, p.left = pos+n, p.left-n
			continue
		}
		v, o, s := p.look(p.cur.b[pos:p.to])
		if v == wait {
			break
		}
		if v == pass {
			p.left = o.size
			continue
		}
		if err := p.write(p.cur.b[p.from:pos]); err != nil {
			return err
		}
		p.from = pos
		if err := p.rewrite(o.size, s); err != nil {
			return err
		}
		pos = p.from
	}
	err := p.write(p.cur.b[p.from:pos])
	p.from = pos
	return err
}

// look decides about the frame that begins with b.
func (p *pipe) look(b []byte) (v verdict, o outline, s shape) {
	o, ok := outlineOf(b)
	if !ok {
		p.blind = true
		p.link.passBlindly(b, p.up)
		return pass, o, plain
	}
	if o.size == 0 {
		p.need = prefix
		return wait, o, plain
	}
	if p.up {
		v = p.request(b, o)
	} else {
		v, s = p.answer(b, o)
	}
	if v == wait {
		p.need = prefix + o.header
	} else {
		p.link.proxy.count.framed(p.up)
	}
	return v, o, s
}

func (p *pipe) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	_, err := p.out.Write(b)
	return err
}

// rewrite reads the whole frame of size bytes that begins at from, and passes it on with other
// addresses. Where src ends within it, what came of it goes on as it is.
func (p *pipe) rewrite(size int, s shape) error {
	frame := make([]byte, 0, min(size, classBytes(classes-1)))
	for {
		n := min(size-len(frame), p.to-p.from)
		frame = append(frame, p.cur.b[p.from:p.from+n]...)
		if p.from += n; len(frame) == size {
			break
		}
		p.room()
		if err := p.read(); err != nil && p.to == p.from {
			if werr := p.write(frame); werr != nil {
				return werr
			}
			p.left = size - len(frame)
			return nil // the next read fails likewise
		}
	}
	return p.write(p.link.rewritten(frame, s))
}

// rewritten returns the frame with the addresses that the client shall use.
func (l *link) rewritten(frame []byte, s shape) []byte {
	body := prefix + int(binary.BigEndian.Uint32(frame[4:])&0xffffff)
	made := append(make([]byte, 0, len(frame)+256), frame[:body]...)
	made, err := rewriteBody(made, frame[body:], s.places(), l.rename)
	if err != nil {
		l.proxy.notice(NotRewritten, "an answer of "+l.server.RemoteAddr().String()+" is passed on as it is, so that its client may go round the proxy: "+err.Error())
		return frame
	}
	binary.BigEndian.PutUint32(made, uint32(len(made)-4))
	l.proxy.count.rewritten.Add(1)
	return made
}

// halfOpenFor is how long a connection may be silent one way once it has ended the other way:
// longer than either side of RocketMQ lets one be idle.
const halfOpenFor = 130 * time.Second

func (p *pipe) extend() {
	_ = p.src.SetReadDeadline(p.link.proxy.cfg.Clock.Now().Add(halfOpenFor)) // a closed one fails by itself
}

// failedWrite tells whether it was dst that failed.
func failedWrite(err error) bool {
	e, ok := errors.AsType[errSide](err)
	return ok && e.dst
}
