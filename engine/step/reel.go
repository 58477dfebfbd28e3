package step

import (
	"errors"
	"io"
	"math"
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
	return r
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

// Break sets a breakpoint.
func (r *Reel) Break(b *Breakpoint) { r.bps.set(b) }

// SetBreakpoints takes the place of those there are.
func (r *Reel) SetBreakpoints(list []*Breakpoint) {
	r.bps = breakpoints{}
	for _, b := range list {
		r.bps.set(b)
	}
}

// Seek goes to what a person wrote, as ReelConfig.Place reads it.
func (r *Reel) Seek(text string) error {
	n, err := r.cfg.Place(text)
	if err != nil {
		return err
	}
	r.turn = turn{}
	return r.rec.Seek(n)
}

// Back goes n decisions back, to the beginning at most.
func (r *Reel) Back(n uint64) error {
	r.turn = turn{}
	for range n {
		if r.d != nil && r.d.Decision(true) {
			continue
		}
		if there, err := r.before(); err != nil || !there {
			return err
		}
	}
	return nil
}

// before goes to the end of the last event before this one that has decisions, where those are known; it
// is false at the beginning.
func (r *Reel) before() (bool, error) {
	from := r.Event()
	for n := from; n > max(r.cfg.First, 1); {
		if err := r.cfg.Halt(); err != nil {
			return false, err
		}
		n--
		if err := r.rec.Seek(n); err != nil {
			return false, err
		}
		at := r.Event()
		if at >= from {
			continue // n is a part of the event that it is to go back from
		}
		if last, _ := r.decided(); r.d == nil || last != nil {
			return true, nil
		}
		n = min(n, at)
	}
	return false, r.rec.Seek(0)
}

// next goes on by one decision, or event; it is false at the end.
func (r *Reel) next() (bool, error) {
	if r.d == nil {
		m, err := r.rec.Next()
		if err == nil && r.events != nil {
			r.events(m)
		}
		return err == nil, notEnd(err)
	}
	if r.d.Decision(false) {
		return true, nil
	}
	for {
		if err := r.cfg.Halt(); err != nil {
			return false, err
		}
		if err := r.d.Pass(); err != nil {
			return false, notEnd(err)
		}
		r.d.FirstDecision()
		if last, _ := r.d.Decided(); last != nil {
			return true, nil
		}
	}
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// took looks at the decision that was made last, and returns a breakpoint that it reached.
func (r *Reel) took(m *Moment) *Breakpoint {
	if m.Decision == nil {
		return nil
	}
	r.made++
	if r.turn.takes(m.Decision, r.made) && m.Task == 0 {
		m.Task = r.turn.task
	}
	if r.watch != nil {
		r.watch(snapshot.TraceLine{Step: r.Event(), Decision: *m.Decision})
	}
	b := r.bps.decided(m, r.made)
	r.bps.forget()
	return b
}

// go on until something is reached, a breakpoint or the end. most is how many decisions at most, 0
// for as many as the limit.
func (r *Reel) goOn(name string, most uint64, reached func(*Moment) bool) (Stop, error) {
	if most == 0 {
		most = r.limit
	}
	if most == 0 {
		most = math.MaxUint64
	}
	for range most {
		if err := r.cfg.Halt(); err != nil {
			return Stop{Step: r.Event()}, err
		}
		there, err := r.next()
		if err != nil {
			return Stop{Step: r.Event()}, err
		}
		if !there {
			return Stop{Step: r.Event(), Why: "the end of the recording", Reason: Idle}, nil
		}
		m := r.moment()
		hit := r.took(&m)
		met := reached(&m)
		switch {
		case hit != nil:
			return Stop{Step: r.Event(), Why: "break " + hit.String(), Met: met, Break: true}, nil
		case met:
			return Stop{Step: r.Event(), Why: name, Met: true}, nil
		}
	}
	return Stop{Step: r.Event(), Why: name + " was not reached"}, nil
}

// One goes on by one decision.
func (r *Reel) One() (Stop, error) {
	return r.goOn("one", 0, func(*Moment) bool { return true })
}

// Task goes on to where another turn begins.
func (r *Reel) Task() (Stop, error) {
	return r.goOn("task", 0, func(*Moment) bool { return r.turn.from == r.made })
}

// Until goes on to a place, over at most so many decisions.
func (r *Reel) Until(p *Place, most uint64) (Stop, error) {
	return r.goOn("until "+p.String(), most, func(m *Moment) bool { return m.Decision != nil && p.Reached(m) })
}

// Run goes on to a breakpoint or the end.
func (r *Reel) Run() (Stop, error) { return r.goOn("run", 0, func(*Moment) bool { return false }) }

// RunFor goes on to the first decision that is at least so much later.
func (r *Reel) RunFor(d time.Duration) (Stop, error) {
	end := r.Now().Add(d)
	return r.goOn("run "+d.String(), 0, func(*Moment) bool { return !r.Now().Before(end) })
}
