package network_test

import (
	"container/heap"
	"context"
	"time"

	"mqscope/engine/clock"
)

// timeline is virtual time that passes when a test says so, or while it waits.
type timeline struct {
	now   time.Time
	due   due
	order int
	// stubborn has things happen that were taken back, as may be when their time has come.
	stubborn bool
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newTimeline() *timeline { return &timeline{now: start} }

type entry struct {
	at    time.Time
	order int
	fn    func()
	index int
}

func (t *timeline) Now() time.Time { return t.now }

func (t *timeline) After(d time.Duration, fn func()) (cancel func()) {
	t.order++
	e := &entry{at: t.now.Add(max(d, 0)), order: t.order, fn: fn}
	heap.Push(&t.due, e)
	return func() {
		if e.index >= 0 && !t.stubborn {
			heap.Remove(&t.due, e.index)
		}
	}
}

// step does what is due next, if that is before limit.
func (t *timeline) step(limit time.Time) bool {
	if len(t.due) == 0 || t.due[0].at.After(limit) {
		return false
	}
	e := heap.Pop(&t.due).(*entry)
	t.now = e.at
	e.fn()
	return true
}

// pass lets d go by.
func (t *timeline) pass(d time.Duration) {
	limit := t.now.Add(d)
	for t.step(limit) {
	}
	t.now = limit
}

// The timeline is a cooperative clock, on which whoever waits makes the others' steps.

func (t *timeline) Wait(ctx context.Context, w clock.Waits) clock.Which {
	for {
		select {
		case <-w.First:
			return clock.First
		case <-ctx.Done():
			return clock.Ended
		default:
		}
		if !t.step(t.now.Add(24 * time.Hour)) {
			panic("a wait that never ends")
		}
	}
}

func (t *timeline) Go(_ string, fn func()) { t.After(0, fn) }

func (t *timeline) NewTimer(time.Duration) clock.Timer { panic("no timers here") }

func (t *timeline) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	t.After(at.Sub(t.now), cancel)
	return withDeadline{inner, at}, cancel
}

type withDeadline struct {
	context.Context
	at time.Time
}

func (d withDeadline) Deadline() (time.Time, bool) { return d.at, true }

// due is what waits, the first one on top.
type due []*entry

func (d due) Len() int { return len(d) }

func (d due) Less(i, j int) bool {
	if !d[i].at.Equal(d[j].at) {
		return d[i].at.Before(d[j].at)
	}
	return d[i].order < d[j].order
}

func (d due) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

func (d *due) Push(x any) {
	e := x.(*entry)
	e.index = len(*d)
	*d = append(*d, e)
}

func (d *due) Pop() any {
	last := len(*d) - 1
	e := (*d)[last]
	*d = (*d)[:last]
	e.index = -1
	return e
}

var _ clock.Cooperative = (*timeline)(nil)
