package consumer

import (
	"errors"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/decision"
	"mqscope/engine/event"
)

// parkAfter is how many answers in a row may fail to decode at the same offset before the
// queue is pulled only every parkedDelay; it is never skipped.
const (
	parkAfter   = 3
	parkedDelay = 30 * time.Second
)

// unreadableError says that no message of an answer could be decoded.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }
func (e *unreadableError) Unwrap() error { return e.err }

// isUnreadable tells whether a broker answered a pull with success, and with nothing that
// can be used.
func isUnreadable(err error) bool {
	_, ok := errors.AsType[*unreadableError](err)
	return ok || errors.Is(err, client.ErrBadAnswer)
}

// unreadable parks a queue whose next message can not be decoded, after a few tries. It is
// never skipped: a person sees the offset and decides.
func (l *loop) unreadable(now time.Time, o *owned, e *event.PullDone) bool {
	if !isUnreadable(e.Err) {
		o.unreadable = 0
		return false
	}
	o.unreadable++
	park, then := o.unreadable >= parkAfter, decision.Then{}
	if park {
		then = decision.Then{Do: decision.PutBack, Delay: parkedDelay, Why: event.CauseUnreadable}
	}
	if l.decisions.On() {
		l.decisions.Record(&decision.Decision{
			Line: decision.PullUnreadable, Queue: o.id, Task: l.taskOf(o.id), Yes: park,
			N: [6]int64{int64(o.unreadable), parkAfter, e.Offset}, Then: then,
		})
	}
	if !park {
		return false
	}
	if o.unreadable == parkAfter {
		l.noteQueue(now, event.Error, "pull", o.id, fmt.Sprintf(
			"parked at offset %d, which is not skipped, and pulled only every %v: %v", e.Offset, parkedDelay, e.Err))
	}
	l.putBack(now, o, event.PutBack{Queue: o.id, Epoch: o.epoch, Next: e.Offset, Delay: then.Delay, Cause: then.Why})
	return true
}
