package embedded

import (
	"slices"
	"time"
)

// timers are things to do later, in the order of their time, then of their making.
type timers struct {
	list []timer // sorted
}

type timer struct {
	at time.Time
	do func()
}

func (t *timers) add(at time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(t.list, at, func(e timer, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1 // equal ones stay before the new one
	})
	t.list = slices.Insert(t.list, i, timer{at, do})
}

// due takes the first thing whose time has come.
func (t *timers) due(now time.Time) func() {
	if len(t.list) == 0 || t.list[0].at.After(now) {
		return nil
	}
	do := t.list[0].do
	t.list = slices.Delete(t.list, 0, 1)
	return do
}

// next is when the first thing is due, zero if there is none.
func (t *timers) next() time.Time {
	if len(t.list) == 0 {
		return time.Time{}
	}
	return t.list[0].at
}

// earlier returns the earlier of two times, where zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// ticker is a period counted from a start, so that its phase does not depend on when it is
// looked at.
type ticker struct {
	next   time.Time
	period time.Duration
}

func newTicker(start time.Time, period time.Duration) ticker {
	return ticker{start.Add(period), period}
}

// passed tells whether a tick has come since it last did, and plans the next one.
func (t *ticker) passed(now time.Time) bool {
	if now.Before(t.next) {
		return false
	}
	t.next = t.next.Add(t.period * (now.Sub(t.next)/t.period + 1))
	return true
}
