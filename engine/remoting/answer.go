package remoting

import "time"

// Answer is what a call ends with, exactly once.
type Answer struct {
	// Cmd is the response, whatever its code; nil with Err. Its Body aliases the read buffer.
	Cmd *Command
	// Err is why there is no response.
	Err error
	// Took is the time since the call was made.
	Took time.Duration

	lease *lease
	seq   uint64
}

// lease holds the buffer of the answer that a reader is handing over.
type lease struct {
	buf *Buffer
	seq uint64
}

// Keep takes over the bytes under Cmd.Body; the caller releases them. Without it they are
// used again for other frames once the done function has returned, and only until then may
// it be called. It returns nil when there are none or they have been taken before.
func (a *Answer) Keep() *Buffer {
	if a == nil || a.lease == nil || a.lease.seq != a.seq {
		return nil
	}
	b := a.lease.buf
	a.lease.buf = nil
	return b
}

// hand gives done an answer that lies in buf, and takes buf back if nobody kept it.
func (l *lease) hand(done func(Answer), cmd *Command, buf *Buffer, took time.Duration) {
	l.seq++
	l.buf = buf
	done(Answer{Cmd: cmd, Took: took, lease: l, seq: l.seq})
	buf, l.buf = l.buf, nil
	buf.Release()
}
