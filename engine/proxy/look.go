package proxy

import (
	"bytes"
	"encoding/binary"

	"mqscope/engine/remoting"
)

const (
	// prefix is what the lengths at the start of a frame take.
	prefix = 8
	// maxFrame is the longest frame that is one, maxHeader the longest header that is looked into:
	// longer ones pass unread.
	maxFrame  = 16 << 20
	maxHeader = 32 << 10
)

// outline is what the first bytes of a frame tell.
type outline struct {
	size   int // of the whole frame, 0 while that is not known
	header int
	binary bool
}

// outlineOf reads the lengths; ok is false when no frame begins so.
func outlineOf(b []byte) (o outline, ok bool) {
	if len(b) < prefix {
		return outline{}, len(b) == 0 || b[0] == 0 // a frame is shorter than 16 MiB
	}
	size, word := int(binary.BigEndian.Uint32(b)), binary.BigEndian.Uint32(b[4:])
	o = outline{size: 4 + size, header: int(word & 0xffffff), binary: word>>24 == uint32(remoting.RocketMQ)}
	ok = size >= 4 && o.size <= maxFrame && o.header <= size-4 && word>>24 <= uint32(remoting.RocketMQ)
	return o, ok
}

// verdict says what is to be done with the frame that begins.
type verdict uint8

const (
	pass verdict = iota
	wait         // more of it has to be there first
	take         // the whole frame, to be rewritten
)

// codeFirst is how all writers that are known begin a JSON header.
const codeFirst = `{"code":`

// quickCode reads the code of a frame where it stands first; false when it does not.
func quickCode(b []byte, o outline) (int32, bool) {
	h := b[prefix:min(len(b), prefix+o.header)]
	if o.binary {
		if len(h) < 2 {
			return 0, false
		}
		return int32(int16(binary.BigEndian.Uint16(h))), true
	}
	rest, ok := bytes.CutPrefix(h, []byte(codeFirst))
	if !ok {
		return 0, false
	}
	code := int32(0)
	for i, c := range rest {
		switch {
		case c >= '0' && c <= '9' && i < 8:
			code = code*10 + int32(c-'0')
		default:
			return code, i > 0 && (c == ',' || c == '}')
		}
	}
	return 0, false // it goes on beyond what is there
}

// request looks at a frame of the client: b begins with it. A request whose answer has addresses
// is remembered.
func (p *pipe) request(b []byte, o outline) verdict {
	if code, ok := quickCode(b, o); ok && shapeOf(code) == plain || o.header > maxHeader {
		return pass
	}
	if len(b) < prefix+o.header {
		return wait
	}
	cmd, err := remoting.DecodeFrame(b[4:prefix+o.header], remoting.Limits{})
	if err != nil || cmd.IsResponse() || cmd.IsOneWay() {
		return pass // who receives it judges
	}
	if s := shapeOf(cmd.Code); s != plain {
		p.link.asked.add(cmd.Opaque, s)
	}
	return pass
}

// answer looks at a frame of the server.
func (p *pipe) answer(b []byte, o outline) (verdict, shape) {
	if !p.link.asked.some() || o.header > maxHeader {
		return pass, plain
	}
	if len(b) < prefix+o.header {
		return wait, plain
	}
	cmd, err := remoting.DecodeFrame(b[4:prefix+o.header], remoting.Limits{})
	if err != nil || !cmd.IsResponse() {
		return pass, plain
	}
	s := p.link.asked.take(cmd.Opaque)
	if s == plain || cmd.Code != 0 || o.size == prefix+o.header {
		return pass, plain
	}
	return take, s
}
