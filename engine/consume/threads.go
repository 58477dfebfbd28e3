package consume

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"mqscope/engine/lifecycle"
	"mqscope/engine/processqueue"
)

// thread is what every consume thread has. Its goroutine may be replaced, its state stays.
type thread struct {
	// The call in the listener, as Stats and the watch over slow calls see it.
	started atomic.Int64 // nanoseconds since the service's birth plus one, 0 when there is none
	first   atomic.Int64 // offset
	queue   atomic.Pointer[processqueue.Queue]
	totals  totals

	goes      chan struct{} // closed with dismissed
	dismissed bool          // guarded by the service's mutex, as is gone, which only this thread reads
	gone      bool
}

func (t *thread) base() *thread { return t }

// workerOf is a kind of thread.
type workerOf interface {
	comparable
	base() *thread
	run(ctx context.Context, g *lifecycle.Group, name string) error
}

// staff is the threads of a service, whose mutex guards it.
type staff[W workerOf] struct {
	hire   func() W
	list   []W // never changed, but replaced by another
	wanted int // those that are not dismissed
	names  int // given so far
	group  *lifecycle.Group
}

// set makes n the number of threads that are wanted. New ones take work at once. Where there
// are too many, those without work go at once and others when their turn is over.
func (s *staff[W]) set(n int) {
	s.wanted = n
	staying := slices.DeleteFunc(slices.Clone(s.list), func(w W) bool { return w.base().dismissed })
	if len(staying) > n {
		slices.SortStableFunc(staying, func(a, b W) int { // the busy ones stay
			return cmp.Compare(min(1, b.base().started.Load()), min(1, a.base().started.Load()))
		})
		for _, w := range staying[n:] {
			w.base().dismissed = true
			close(w.base().goes)
		}
	}
	list := slices.Clone(s.list)
	for range n - len(staying) {
		w := s.hire()
		w.base().goes = make(chan struct{})
		list = append(list, w)
		s.launch(w)
	}
	s.list = list
}

// begin gives every thread its goroutine, those to come too.
func (s *staff[W]) begin(g *lifecycle.Group) {
	s.group = g
	for _, w := range s.list {
		s.launch(w)
	}
}

// launch gives w a goroutine, if there is a Run to wait for it.
func (s *staff[W]) launch(w W) {
	g := s.group
	if g == nil {
		return
	}
	s.names++
	name := fmt.Sprintf("consume thread %d", s.names)
	g.Go(name, func(ctx context.Context) error { return w.run(ctx, g, name) })
}

// forget takes w, which was dismissed and has nothing in its hands, out. What it counted goes
// to rest.
func (s *staff[W]) forget(w W, rest *totals) {
	w.base().gone = true
	rest.add(&w.base().totals)
	s.list = slices.DeleteFunc(slices.Clone(s.list), func(o W) bool { return o == w })
}

// addTo adds what the threads counted.
func (s *staff[W]) addTo(stats *Stats) {
	for _, w := range s.list {
		w.base().totals.addTo(stats)
	}
}

// oldest notes the call that runs longest, now being the time since the service's birth.
func oldest[W workerOf](list []W, now time.Duration, s *Stats) {
	for _, w := range list {
		t := w.base()
		at := t.started.Load()
		if at == 0 {
			continue
		}
		if age := now - time.Duration(at-1); age > s.Threads.Oldest {
			s.Threads.Oldest = age
			s.Threads.OldestAt, s.Threads.OldestOn = t.first.Load(), t.queue.Load().ID
		}
	}
}
