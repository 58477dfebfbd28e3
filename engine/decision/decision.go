package decision

import (
	"sync/atomic"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Decision is one decision as the code made it.
type Decision struct {
	Line   *Line
	At     time.Time       // engine clock
	Member string          // client id of the consumer
	Queue  mq.MessageQueue // zero when it is about no queue
	Task   uint64          // of the pull request or pull task, 0 when it is about none
	Yes    bool            // the answer of a line that Asks
	N      [6]int64        // the numbers, see Line.Values
	Text   string          // see Line.Text; it may hold names from the network
	Then   Then
}

// Then is what follows from a decision.
type Then struct {
	Do    Do
	Delay time.Duration // of PutBack
	Why   event.Cause   // of PutBack
}

// Do is a kind of thing that follows.
type Do uint8

const (
	GoOn    Do = iota // to the next line
	PutBack           // the request waits for Delay
	Die               // the request ends
	Stop              // the rest of it is left out
)

// Sink takes decisions in the order in which they are made. Decided may be called from any
// goroutine, and while locks of the deciding code are held: it must not call back into it.
type Sink interface{ Decided(d *Decision) }

// Recorder is what deciding code tells its decisions to. Its methods may be called on nil and
// from any goroutine.
type Recorder struct {
	member string
	now    func() time.Time
	sink   atomic.Pointer[Sink]
}

// NewRecorder returns one without a sink. member is the client id of the consumer, now its clock.
func NewRecorder(member string, now func() time.Time) *Recorder {
	return &Recorder{member: member, now: now}
}

// Watch has decisions go to s from now on, nil for nobody.
func (r *Recorder) Watch(s Sink) {
	if s == nil {
		r.sink.Store(nil)
		return
	}
	r.sink.Store(&s)
}

// On tells whether somebody watches: what is costly to find out for a decision is left out else.
func (r *Recorder) On() bool { return r != nil && r.sink.Load() != nil }

// Is records the answer to the question of a line and returns it: code decides by what Is
// returns. n are the numbers of the line.
func (r *Recorder) Is(l *Line, q mq.MessageQueue, answer bool, n [6]int64) bool {
	if r != nil && r.sink.Load() != nil {
		r.Record(&Decision{Line: l, Queue: q, Yes: answer, N: n})
	}
	return answer
}

// Record records a decision; time and member are filled in. d must not be used again.
func (r *Recorder) Record(d *Decision) {
	if r == nil {
		return
	}
	s := r.sink.Load()
	if s == nil {
		return
	}
	d.At, d.Member = r.now(), r.member
	(*s).Decided(d)
}
