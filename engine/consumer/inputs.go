package consumer

import (
	"errors"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/processqueue"
	"mqscope/engine/rebalance"
	"mqscope/engine/recording"
)

// inputs is all that a push consumer's loop takes from outside: events, the time, and what it
// reads of things that others change (ProcessQueues, consume threads, the client instance). So it
// can be recorded, and given to the same loop again, which does the same then. A nil *inputs
// lets everything through, as one does that neither records nor remakes.
type inputs struct {
	to        Tape
	recording atomic.Bool // goroutines beside the loop look at it
	remaking  bool
	priming   bool // recording begins: what is seen is taken as seen before
	looking   bool // a picture beside the run is made: nothing of it is on the tape

	real time.Time // the last reading of the clock, with its monotonic part
	here time.Time // the same as the loop was told it, zero before recording began
	// ahead is how far the clock on the wall went ahead of the other one, as nobody knows yet.
	ahead   time.Duration
	at      time.Time // of the event that is taken
	taken   taken
	steps   steps     // that were read on the way
	slot    *pullSlot // of the queue whose pull is taken, nil where nobody has it
	scratch []byte
	looks   map[string]look // what was seen last
	hashes  map[string]uint64
	fresh   []look // remaking: not taken yet
	did     uint64
	pulls   pulls
	entries []event.Entry // remaking: what the loop has told since the last event
	failed  error         // remaking: the loop read otherwise than the recording did
}

// Tape is where inputs are recorded; a recording.Writer is one.
type Tape interface {
	// Append must not wait, and keep nothing of r.Payload.
	Append(r recording.Record)
	// Err is why nothing is recorded any more, nil while it is.
	Err() error
	// Fail ends the recording.
	Fail(err error)
}

// taken is a record: an event that the loop took, nil when only time had passed.
type taken struct {
	Event event.Event
	Reads []byte // what was read on the way, see note: by recordings of before, all of it as it was
	Steps []byte // the same by those of a day later, see step
	Seen  []byte // and by those of now, see steps
	Did   uint64 // hash of what the loop has done up to here
	Pass  bool   // it was the last of its pass: the loop looked for what was due, and whether to publish
}

func (in *inputs) records() bool { return in != nil && !in.looking && in.recording.Load() }
func (in *inputs) remakes() bool { return in != nil && in.remaking }

// beside makes what fn reads no part of the run.
func (in *inputs) beside(fn func()) {
	if in == nil {
		fn()
		return
	}
	was := in.looking
	in.looking = true
	fn()
	in.looking = was
}

var errReads = errors.New("the loop looked at something that it did not look at when it was recorded")

// note passes a number that was read: v to the tape, or in its place what the tape has. last is
// what was read the time before.
func (in *inputs) note(last *int64, v int64) int64 {
	switch {
	case in == nil:
		return v
	case in.remaking:
		if in.looking {
			return *last
		}
		var ok bool
		if v, ok = in.steps.take(); !ok {
			in.failed = errReads
			return *last
		}
	case !in.records():
		return v
	default:
		in.steps.note(v)
	}
	*last = v
	return v
}

// step is note for what mostly is near to what it was the time before, and of which a checkpoint has
// that: the tape has the difference.
func (in *inputs) step(last *int64, v int64) int64 {
	if in == nil || in.looking || in.steps.style == stepsAbsolute {
		return in.note(last, v)
	}
	was, by := *last, int64(0)
	if !in.remaking && !in.records() {
		return v
	}
	*last = was + in.note(&by, v-was)
	return *last
}

// stepLate is step for what recordings had whole before they were masked.
func (in *inputs) stepLate(last *int64, v int64) int64 {
	if in != nil && in.steps.style == stepsPlain {
		return in.note(last, v)
	}
	return in.step(last, v)
}

// flag is note for a bool that is not read again.
func (in *inputs) flag(v bool) bool {
	if in == nil {
		return v
	}
	n := truth(v)
	return in.note(&n, n) != 0
}

// notedTime is a time as a recording has it: an instant, without a monotonic reading.
func notedTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func noteOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// time passes a time that was read, as note does.
func (in *inputs) time(last *int64, t time.Time) time.Time {
	if in == nil || !in.remaking && !in.records() {
		return t
	}
	return notedTime(in.step(last, noteOf(t)))
}

// now is the time of an event, or of a pass. From when recording began it has no monotonic reading,
// as a remake's has none, and goes on as the monotonic clock does: so a clock that is set moves
// nothing, as it moves nothing of a consumer that is not recorded. Where the monotonic clock stands
// still while the computer sleeps, recorded times are behind the clock on the wall from then on. They
// can not be set right beside the loop, whose intervals end by them: it would take pulls for lost
// that are out. The file says from which event on they are behind, and how far: rebalance.ClockAhead.
func (in *inputs) now(c clock.Clock) time.Time {
	t := c.Now()
	if !in.steady() {
		return t
	}
	by := t.Sub(in.real)
	if step := time.Duration(t.UnixNano()-in.real.UnixNano()) - by; step > aheadFrom {
		in.ahead += step
	}
	in.here, in.real = in.here.Add(by), t
	return in.here
}

// sawAhead says that the clock on the wall went ahead, as far as now has seen, until an event has told it.
func (in *inputs) sawAhead() bool { return in.steady() && in.ahead > 0 }

// wall is the clock on the wall, at a moment that is now.
func (in *inputs) wall(now time.Time) time.Time {
	if !in.steady() {
		return now
	}
	return in.real
}

// aheadFrom is how far the clock on the wall goes ahead, at once, for somebody to have set it or for
// the computer to have slept.
const aheadFrom = time.Second

// steady tells whether times of the loop are those of now.
func (in *inputs) steady() bool { return in != nil && !in.here.IsZero() }

// begin has times be steady from t on.
func (in *inputs) begin(t time.Time) {
	if !in.steady() {
		in.real, in.here = t, t.Round(0).Local()
	}
}

// asNow is a reading of the clock from before this moment as now would have told it.
func (in *inputs) asNow(t time.Time) time.Time {
	if !in.steady() || t.IsZero() {
		return t
	}
	return in.here.Add(-processqueue.LockAge(in.real, t))
}

// asClock is the other way round.
func (in *inputs) asClock(t time.Time) time.Time {
	if !in.steady() {
		return t
	}
	return in.real.Add(t.Sub(in.here))
}

// stop ends recording: the consumer has left.
func (in *inputs) stop() {
	if in != nil {
		in.recording.Store(false)
	}
}

// take begins a record.
func (in *inputs) take(now time.Time, e event.Event) {
	if in.records() {
		in.at, in.taken.Event, in.slot = now, e, nil
		in.steps.begin()
	}
}

// pulled says whose pull is taken.
func (in *inputs) pulled(o *owned) {
	if in.records() {
		in.slot = &o.recorded
	}
}

// retimed: an event that has a reading of the clock gets it as now would have told it, and one that
// tells of the clock says how far it went.
func (in *inputs) retimed(e event.Event) event.Event {
	if !in.steady() {
		return e
	}
	switch e := e.(type) {
	case rebalance.LocksAnswered:
		e.At = in.asNow(e.At)
		return e
	case rebalance.ClockAhead:
		e.By, in.ahead = in.ahead, 0
		e.Behind = max(0, in.real.Round(0).Sub(in.here))
		return e
	}
	return e
}

// due is the time of the tick behind an event of a recording, at being that of the event. Those of
// before had one of their own.
func (in *inputs) due(at time.Time) time.Time {
	if in.steps.style == stepsMasked {
		return at
	}
	n := int64(0)
	return at.Add(time.Duration(in.note(&n, 0)))
}

// act takes something that the loop does into the hash of all that it has done.
func (in *inputs) act(what ...int64) {
	if !in.records() && !in.remakes() || in.looking {
		return
	}
	const prime = 1099511628211 // of FNV-1a
	for _, v := range what {
		in.did = (in.did ^ uint64(v)) * prime
	}
}

// keptOf is what a record keeps of that hash, and the loop goes on with: enough to see at one event
// or the next that another thing was done. It can not be compressed, and first recordings had all of
// it.
func keptOf(did uint64) uint64 { return did >> 48 }

func (in *inputs) actText(kind int64, s string) {
	if !in.records() && !in.remakes() || in.looking {
		return
	}
	in.act(kind, int64(len(s)))
	for i := range len(s) {
		in.act(int64(s[i]))
	}
}

// What an act was.
const (
	actPull = iota + 1
	actCommit
	actCall
	actEntry
	actPublish
)
