package stage

import (
	"context"
	"fmt"
	"iter"
	"time"

	"mqscope/engine/clock"
)

// turn is what a goroutine is elsewhere.
type turn struct {
	name   string
	resume func() (struct{}, bool)
	end    func()
	yield  func(struct{}) bool

	waits clock.Waits
	fired <-chan time.Time
	ended <-chan struct{}
	got   clock.Which
}

// abandoned is the panic that unwinds a turn when its stage is closed.
type abandoned struct{}

func (s *Stage) newTurn(name string, fn func()) *turn {
	t := &turn{name: name}
	t.resume, t.end = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer func() {
			v := recover()
			if _, ok := v.(abandoned); v != nil && !ok && !s.closing {
				panic(fmt.Sprintf("turn %q: %v", t.name, v))
			}
		}()
		fn()
	})
	s.live++
	return t
}

// pause gives the turn up until it is resumed.
func (t *turn) pause() {
	if !t.yield(struct{}{}) {
		panic(abandoned{})
	}
}

func (s *Stage) mine(what string) *turn {
	if s.closing {
		panic(abandoned{})
	}
	if s.current == nil {
		panic(what + " was called by nothing that has its turn")
	}
	return s.current
}

// Go has fn take turns from now on.
func (s *Stage) Go(name string, fn func()) {
	if s.closing {
		return
	}
	s.runnable = append(s.runnable, s.newTurn(name, fn))
}

// Wait lets others have their turn until there is something.
func (s *Stage) Wait(ctx context.Context, w clock.Waits) clock.Which {
	t := s.mine("Wait")
	t.waits, t.ended, t.fired = w, ctx.Done(), nil
	if w.Timer != nil {
		t.fired = w.Timer.C()
	}
	if !t.ready() {
		if t == s.caller { // others make the calls that are due after this one
			s.caller = nil
			s.wantCaller()
		}
		s.waiting = append(s.waiting, t)
		t.pause()
	}
	t.waits, t.ended, t.fired = clock.Waits{}, nil, nil
	return t.got
}

// ready tells whether there is something, and takes it. It is asked of each turn that waits after
// each that had its turn, and so looks at channels with room, which are never closed, without a
// call.
func (t *turn) ready() bool {
	w := &t.waits
	switch {
	case w.First != nil && (len(w.First) > 0 || cap(w.First) == 0) && taken(w.First):
		t.got = clock.First
	case w.Second != nil && (len(w.Second) > 0 || cap(w.Second) == 0) && taken(w.Second):
		t.got = clock.Second
	case w.Third != nil && (len(w.Third) > 0 || cap(w.Third) == 0) && taken(w.Third):
		t.got = clock.Third
	case len(t.fired) > 0:
		<-t.fired
		t.got = clock.Fired
	case t.ended != nil && taken(t.ended):
		t.got = clock.Ended
	default:
		return false
	}
	return true
}

// taken takes what is in c, or sees that c is closed.
func taken(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wantCaller makes sure that a turn makes the calls that are due.
func (s *Stage) wantCaller() {
	if len(s.calls) == 0 || s.caller != nil || s.closing {
		return
	}
	if n := len(s.spare); n > 0 {
		s.caller = s.spare[n-1]
		s.spare = s.spare[:n-1]
	} else {
		s.names++
		var t *turn
		t = s.newTurn(fmt.Sprintf("caller %d", s.names), func() { s.makeCalls(t) })
		s.caller = t
	}
	s.runnable = append(s.runnable, s.caller)
}

func (s *Stage) makeCalls(t *turn) {
	for {
		for s.caller == t && len(s.calls) > 0 {
			fn := s.calls[0]
			s.calls[0] = nil
			s.calls = s.calls[1:]
			fn()
		}
		if s.caller == t {
			s.caller = nil
		}
		s.spare = append(s.spare, t)
		t.pause()
	}
}
