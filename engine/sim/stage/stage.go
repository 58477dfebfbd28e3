package stage

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"mqscope/engine/clock"
)

// Stage is a virtual clock and the turns that live on it.
type Stage struct {
	// AfterTurn, which may be nil, is called whenever a turn has ended or begins to wait.
	AfterTurn func()

	now      time.Time
	rng      *rand.Rand
	due      events
	order    uint64
	runnable []*turn
	waiting  []*turn // in the order in which they began to wait
	current  *turn
	halted   *turn
	calls    []func() // due, in order; a caller makes them
	caller   *turn    // that makes the calls, nil when there is none
	spare    []*turn  // callers without work
	names    int
	live     int
	closing  bool
}

// Reason is why Run returned.
type Reason uint8

const (
	Halted Reason = iota // a turn called Halt
	Over                 // the limit is reached
	Quiet                // nothing will ever be due again
)

// New returns a stage whose clock stands at start.
func New(start time.Time, rng *rand.Rand) *Stage {
	return &Stage{now: start, rng: rng}
}

// Context is one whose work takes turns here.
func (s *Stage) Context() context.Context { return clock.On(context.Background(), s) }

// Now is the virtual time.
func (s *Stage) Now() time.Time { return s.now }

// Live is how many turns have not ended.
func (s *Stage) Live() int { return s.live }

// Run goes on until a turn halts, or to limit: what is due then has happened.
func (s *Stage) Run(limit time.Time) Reason {
	for {
		t := s.next()
		if t == nil {
			if len(s.due) == 0 {
				return Quiet
			}
			if s.due[0].at.After(limit) {
				s.now = limit
				return Over
			}
			s.advance()
			continue
		}
		s.current = t
		_, alive := t.resume()
		s.current = nil
		if s.halted != nil {
			return Halted
		}
		if !alive {
			s.live--
		}
		if s.AfterTurn != nil {
			s.AfterTurn()
		}
		s.look()
	}
}

// Halted tells whether it stands still in the midst of a turn.
func (s *Stage) Halted() bool { return s.halted != nil }

// Skip lets time pass with nothing happening in it: what was due meanwhile is late.
func (s *Stage) Skip(d time.Duration) { s.now = s.now.Add(max(0, d)) }

// Halt stands still here, with all that is on the stage, until the next Run. It is called by
// whatever has its turn.
func (s *Stage) Halt() {
	t := s.mine("Halt")
	s.halted = t
	t.pause()
}

// next takes the turn that goes on: the one that halted, or one of those that can, as drawn.
func (s *Stage) next() *turn {
	if t := s.halted; t != nil {
		s.halted = nil
		return t
	}
	n := len(s.runnable)
	if n == 0 {
		return nil
	}
	i := 0
	if n > 1 {
		i = s.rng.IntN(n)
	}
	t := s.runnable[i]
	s.runnable = slices.Delete(s.runnable, i, i+1)
	return t
}

// look finds the turns that need not wait any more.
func (s *Stage) look() {
	kept := s.waiting[:0]
	for _, t := range s.waiting {
		if t.ready() {
			s.runnable = append(s.runnable, t)
		} else {
			kept = append(kept, t)
		}
	}
	clear(s.waiting[len(kept):])
	s.waiting = kept
}

// advance moves the clock to what is due next, and has it happen.
func (s *Stage) advance() {
	if at := s.due[0].at; at.After(s.now) {
		s.now = at
	}
	for len(s.due) > 0 && !s.due[0].at.After(s.now) {
		e := s.due.pop()
		if e.timer != nil {
			e.timer <- s.now
			continue
		}
		s.calls = append(s.calls, e.call)
	}
	s.wantCaller()
	s.look()
}

// After has fn called, in a turn, when d has passed. What is due at the same time happens in the
// order in which it was asked for. fn may wait; what is due after it does not wait for it then.
func (s *Stage) After(d time.Duration, fn func()) (cancel func()) {
	e := s.schedule(d)
	e.call = fn
	return func() { s.due.remove(e) }
}

func (s *Stage) schedule(d time.Duration) *event {
	s.order++
	e := &event{at: s.now.Add(max(0, d)), order: s.order}
	s.due.push(e)
	return e
}

// Close ends all turns where they are; what they were about to do is not done any more.
func (s *Stage) Close() {
	s.closing = true
	for len(s.runnable)+len(s.waiting)+len(s.spare) > 0 || s.halted != nil {
		all := slices.Concat(s.runnable, s.waiting, s.spare)
		if s.halted != nil {
			all = append(all, s.halted)
		}
		s.runnable, s.waiting, s.spare, s.halted = nil, nil, nil, nil
		for _, t := range all {
			s.current = t
			t.end()
			s.current = nil
		}
	}
	s.due, s.calls, s.live = nil, nil, 0
}
