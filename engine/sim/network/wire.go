package network

import (
	"errors"
	"io"

	"mqscope/engine/remoting"
)

// Bits of Command.Flag (RemotingCommand.RPC_TYPE, RPC_ONEWAY).
const (
	flagResponse = 1 << 0
	flagOneWay   = 1 << 1
)

// Response codes that the real connections answer with on their own.
const (
	codeSystemError  = 1
	codeSystemBusy   = 2
	codeNotSupported = 3
)

// oneWayOpaque is what one-way requests carry; calls begin below it and never get there.
const oneWayOpaque = 1<<31 - 1

// Why a connection ended or was not made.
var (
	errRefused = errors.New("connection refused: nothing listens there")
	errIdle    = errors.New("silent for too long, nothing in flight")
	errDead    = errors.New("no answer to anything for too long: half open?")
	errEnd     = io.EOF // what a reader gets when the other side closes
)

// answerTo makes resp the answer to req and returns its frame. What cannot be written as one
// is answered with code 1, if that can be.
func answerTo(req *remoting.Command, resp remoting.Command, l remoting.Limits) (frame []byte, ok bool) {
	resp.Opaque = req.Opaque
	resp.Flag = resp.Flag&^flagOneWay | flagResponse
	frame, err := remoting.AppendFrame(nil, &resp, l)
	if err != nil {
		resp.Code, resp.Remark, resp.Fields, resp.Body, resp.Serialize = codeSystemError, err.Error(), nil, nil, remoting.JSON
		frame, err = remoting.AppendFrame(nil, &resp, l)
	}
	return frame, err == nil
}

// asRequest makes a copy of c a request.
func asRequest(c *remoting.Command, oneWay bool) remoting.Command {
	r := *c
	r.Flag &^= flagResponse | flagOneWay
	if oneWay {
		r.Flag |= flagOneWay
		r.Opaque = oneWayOpaque
	}
	return r
}
