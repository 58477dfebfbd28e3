package step

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// Recording is a recording that stands at one of its events.
type Recording interface {
	// Event is how many events have happened, At when the last of them did.
	Event() uint64
	At() time.Time
	// Seek goes to where n events have happened.
	Seek(n uint64) error
	// Next has the next event happen; the error is io.EOF behind the last.
	Next() (snapshot.Moment, error)
	Picture() *snapshot.Snapshot
}

// Deciding is a Recording whose decisions are made again.
type Deciding interface {
	Recording
	// Pass is Next, also for events that no moment tells of: that time has passed.
	Pass() error
	// Decision goes one decision on within the last event, or back; false where there is none.
	Decision(back bool) bool
	// FirstDecision shows no more of the last event than its first decision.
	FirstDecision()
	// Decided is the decision of the last event that is shown last, and the one before it; nil where
	// there is none.
	Decided() (last, before *decision.Decision)
}

// ReelConfig is what a Reel moves along.
type ReelConfig struct {
	Recording Recording
	First     uint64    // number of the first record
	Start     time.Time // of the recording
	// Place is the event that a person means by a text, as in #18244, 12:03:41, +5s or ;2.
	Place func(text string) (uint64, error)
	// Halt says why a move is to end where it is, nil for nothing.
	Halt func() error
}

// Reel moves along a recording as a Stepper moves a world: by decisions, or by events where those
// are not known. Steps are numbers of events. It does not stop at broken invariants: pictures show
// those. One goroutine owns it.
type Reel struct {
	cfg    ReelConfig
	rec    Recording
	d      Deciding // nil where decisions are not known
	made   uint64   // decisions since it was made
	turn   turn
	bps    breakpoints
	limit  uint64
	watch  func(snapshot.TraceLine)
	events func(snapshot.Moment)
}

// NewReel stands where the recording stands.
func NewReel(c ReelConfig) *Reel {
	r := &Reel{cfg: c, rec: c.Recording}
	r.d, _ = c.Recording.(Deciding)
	r.here()
	return r
}

// here takes the turn over that it stands in.
func (r *Reel) here() {
	r.turn = turn{}
	if last, _ := r.decided(); last != nil {
		r.made++
		r.turn.takes(last, r.made)
	}
}

// Decides tells whether decisions are known.
func (r *Reel) Decides() bool { return r.d != nil }

// Watch has fn called for each decision on the way forward, with the number of its event as its step.
func (r *Reel) Watch(fn func(snapshot.TraceLine)) { r.watch = fn }

// WatchEvents has fn called for each event on the way forward, where decisions are not known.
func (r *Reel) WatchEvents(fn func(snapshot.Moment)) { r.events = fn }

// Limit ends each move from now on after at most so many decisions; 0 is no limit.
func (r *Reel) Limit(most uint64) { r.limit = most }

// Event is the number of the last event.
func (r *Reel) Event() uint64 { return r.rec.Event() }

// Start is when the recording began, Now when the decision was made after which it stands.
func (r *Reel) Start() time.Time { return r.cfg.Start }

// Now is when the decision was made after which it stands, or the last event happened.
func (r *Reel) Now() time.Time {
	if last, _ := r.decided(); last != nil {
		return last.At
	}
	return r.rec.At()
}

// Snapshot is the picture behind the last event, all of whose decisions have been made in it.
func (r *Reel) Snapshot() *snapshot.Snapshot { return r.rec.Picture() }

// Trace is what was decided at the last event up to here.
func (r *Reel) Trace() snapshot.SchedTrace {
	t := r.rec.Picture().Sched.Current
	for i := range t.Lines {
		t.Lines[i].Step = r.Event()
	}
	return t
}

// Broken are the invariants that do not hold behind the last event.
func (r *Reel) Broken() []snapshot.Breach { return r.rec.Picture().Sched.Broken }

// Last is the decision after which it stands, if that is of a line, or line is nil.
func (r *Reel) Last(line *decision.Line) (t snapshot.TraceLine, ok bool) {
	last, _ := r.decided()
	if last == nil || line != nil && last.Line != line {
		return t, false
	}
	return snapshot.TraceLine{Step: r.Event(), Decision: *last}, true
}

// At tells whether the decision after which it stands is at a place.
func (r *Reel) At(p *Place) bool {
	m := r.moment()
	return m.Decision != nil && p.Reached(&m)
}

func (r *Reel) decided() (last, before *decision.Decision) {
	if r.d == nil {
		return nil, nil
	}
	return r.d.Decided()
}

func (r *Reel) moment() Moment {
	m := Moment{Start: r.cfg.Start}
	if m.Decision, m.Before = r.decided(); m.Decision != nil {
		m.Task = m.Decision.Task
	}
	return m
}
