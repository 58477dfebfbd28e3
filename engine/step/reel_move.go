package step

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

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
	err = r.rec.Seek(n)
	r.here()
	return err
}

// Back goes n decisions back, to the beginning at most.
func (r *Reel) Back(n uint64) error {
	defer r.here()
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

// UntilTask goes on to where a task has its turn, or is over.
func (r *Reel) UntilTask(task uint64) (Stop, error) {
	return r.goOn(fmt.Sprintf("turn of task %d", task), 0, func(m *Moment) bool {
		return m.Decision != nil && m.Decision.Task == task && m.Then.Do == decision.Die || r.turn.from == r.made && r.turn.task == task
	})
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
