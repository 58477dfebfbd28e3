package consume

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
)

// shift is the threads of a service and the handing out of work to them. What the work is,
// and in which order it goes out, the service knows.
type shift[W workerOf] struct {
	clock  clock.Clock
	emit   func(event.Entry)
	born   time.Time
	totals totals        // of threads that are gone, and of what no thread counted
	wake   chan struct{} // at most one wake-up is under way, see waking
	closed atomic.Bool   // drained or ended: nothing is taken any more
	quiet  chan struct{} // closed when nothing is taken and no thread is busy

	mu      sync.Mutex
	staff   staff[W]
	waiting *int // how much work waits, guarded by mu
	idle    int  // threads that wait for a wake-up
	busy    int
	waking  bool
	silence bool // quiet is closed
}

func (s *shift[W]) init(c clock.Clock, emit func(event.Entry), threads int, waiting *int, hire func() W) {
	s.clock, s.emit, s.born = c, emit, c.Now()
	s.wake, s.quiet, s.waiting = make(chan struct{}, 1), make(chan struct{}), waiting
	s.staff.hire = hire
	s.SetThreads(threads)
}

// SetThreads makes n the number of threads from now on, at least one
// (Java: updateCorePoolSize). What threads have is settled before they go, what waits is left
// to the rest. A thread whose listener hangs is there beyond n until it returns.
func (s *shift[W]) SetThreads(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed.Load() {
		s.staff.set(max(n, 1))
	}
}

// run runs the threads until ctx ends and all of them have returned. Beside them again brings back
// what was put off, and look looks after calls that do not return within timeout.
func (s *shift[W]) run(ctx context.Context, again func(context.Context) error, timeout time.Duration, look func(context.Context) time.Duration) error {
	g, ctx := lifecycle.NewGroup(ctx)
	s.mu.Lock()
	s.staff.begin(g)
	s.mu.Unlock()
	g.Go("consume again", again)
	g.Go("consume timeouts", func(ctx context.Context) error { return s.watch(ctx, timeout, look) })
	clock.Wait(ctx, s.clock, clock.Waits{})
	s.close()
	return g.Wait()
}

// watch has one timer, set to the moment that look returns: when the oldest call of any thread
// becomes overdue. A call that starts later can not be overdue before one timeout has passed, so
// nothing is missed in between.
func (s *shift[W]) watch(ctx context.Context, timeout time.Duration, look func(context.Context) time.Duration) error {
	timer := s.clock.NewTimer(timeout)
	defer timer.Stop()
	for clock.Wait(ctx, s.clock, clock.Waits{Timer: timer}) != clock.Ended {
		timer.Reset(look(ctx))
	}
	return nil
}

// present are the threads that there are now, dismissed ones that are still busy among them.
func (s *shift[W]) present() []W {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.staff.list
}

// Drain stops taking messages and returns when no listener runs and what they answered is
// settled, or with ctx's error. No listener is called after it has returned.
func (s *shift[W]) Drain(ctx context.Context) error {
	s.close()
	if clock.Wait(ctx, s.clock, clock.Waits{First: s.quiet}) == clock.First {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Errorf("drain: %d of %d threads are busy: %w", s.busy, s.staff.wanted, ctx.Err())
}

func (s *shift[W]) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Store(true)
	s.noteSilence()
}

func (s *shift[W]) noteSilence() {
	if s.closed.Load() && s.busy == 0 && !s.silence {
		s.silence = true
		close(s.quiet)
	}
}

// unlockAndWake gives up the mutex and wakes one more thread if there is work and no wake-up
// is under way. The woken thread wakes the next one, so that slow listeners soon have all
// threads, and fast ones are done before many have woken.
func (s *shift[W]) unlockAndWake() {
	wake := *s.waiting > 0 && s.idle > 0 && !s.waking && !s.closed.Load()
	s.waking = s.waking || wake
	s.mu.Unlock()
	if wake {
		s.wake <- struct{}{} // there is room: this is the only one
	}
}

// condition is what a thread comes from when it asks for work.
type condition uint8

const (
	fresh condition = iota
	fromTurn
	woken
	sentAway // by dismissal, while waiting for a wake-up
)

// ask tells whether there is work for w. If so the mutex is held and w counts as busy: it
// takes a piece of work and calls unlockAndWake. Else it waits for a wake-up, or is gone.
func (s *shift[W]) ask(ctx context.Context, w W, from condition) bool {
	s.mu.Lock()
	switch from {
	case fresh:
	case fromTurn:
		s.busy--
	case woken:
		s.idle--
		s.waking = false
	case sentAway:
		s.idle--
	}
	if w.base().dismissed {
		s.staff.forget(w, &s.totals)
		s.noteSilence()
		s.unlockAndWake()
		return false
	}
	if s.closed.Load() || *s.waiting == 0 || ctx.Err() != nil {
		s.idle++
		s.noteSilence()
		s.mu.Unlock()
		return false
	}
	s.busy++
	return true
}

// rest is what a thread without work does; false: it ends.
func (s *shift[W]) rest(ctx context.Context, w W) (from condition, ok bool) {
	if w.base().gone {
		return fresh, false
	}
	switch clock.Wait(ctx, s.clock, clock.Waits{First: s.wake, Second: w.base().goes}) {
	case clock.First:
		return woken, true
	case clock.Second:
		return sentAway, true
	}
	return fresh, false
}
