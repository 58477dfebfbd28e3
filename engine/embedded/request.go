package embedded

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// Request is one request: of a client, or of a broker to a client when Outgoing is set.
type Request struct {
	Cmd      *remoting.Command
	Broker   string    // name of the broker, empty for the name server
	From     string    // address of the client
	At       time.Time // when the loop took it up
	Outgoing bool

	state  *State
	peer   Peer
	edit   func(*remoting.Command)
	wait   time.Duration
	silent bool
	closes bool
}

// ok answers with code 0.
func (r *Request) ok(h protocol.Header, body []byte) {
	r.answer(protocol.Success, "", h, body)
}

// fail answers with a code other than 0.
func (r *Request) fail(code protocol.ResponseCode, remark string) {
	r.answer(code, remark, nil, nil)
}

func (r *Request) failf(code protocol.ResponseCode, format string, args ...any) {
	r.answer(code, fmt.Sprintf(format, args...), nil, nil)
}

// decode reads the header of the request. What a broker does without a field depends on
// the field; where nothing else is said it fails as here: code 1 with a text.
func (r *Request) decode(h protocol.Header) bool {
	if err := protocol.Decode(r.Cmd.Fields, h); err != nil {
		r.fail(protocol.SystemError, err.Error())
		return false
	}
	return true
}

// answer sends the answer. Header and body may be used again by the caller afterwards.
func (r *Request) answer(code protocol.ResponseCode, remark string, h protocol.Header, body []byte) {
	s := r.state
	resp := &s.resp
	*resp = remoting.Command{Code: int32(code), Remark: remark, Body: body}
	if h != nil {
		s.fields = protocol.AppendFields(s.fields[:0], h)
		resp.Fields = s.fields
	}
	r.send(resp)
}

// send lets go the answer, as far as an interceptor lets it.
func (r *Request) send(resp *remoting.Command) {
	switch {
	case r.closes:
		r.peer.Close()
	case r.silent || r.Cmd.IsOneWay():
	case r.edit == nil && r.wait == 0:
		r.peer.Reply(r.Cmd, resp)
	default:
		c := *resp
		c.Fields, c.Body = slices.Clone(c.Fields), bytes.Clone(c.Body)
		if r.edit != nil {
			r.edit(&c)
		}
		if r.wait == 0 {
			r.peer.Reply(r.Cmd, &c)
			return
		}
		r.state.timers.add(r.state.now.Add(r.wait), func() { r.peer.Reply(r.Cmd, &c) })
	}
}
