// Package clock lets whatever waits be driven by another clock than the computer's.
//
// Parts that decide are told the time; only shells hold a Clock. System is a thin skin on
// package time, so inside a testing/synctest bubble it runs on the bubble's time. It owns
// nothing and has no Java counterpart.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and makes timers.
type Clock interface {
	Now() time.Time
	NewTimer(d time.Duration) Timer
}

// Timer fires once on C after its duration; Reset and Stop are those of time.Timer.
type Timer interface {
	C() <-chan time.Time
	Reset(d time.Duration) bool
	Stop() bool
}

// System is the computer's clock.
type System struct{}

// Now returns time.Now.
func (System) Now() time.Time { return time.Now() }

// NewTimer returns a timer of package time.
func (System) NewTimer(d time.Duration) Timer { return systemTimer{time.NewTimer(d)} }

type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }

// Sleep waits for d or until ctx ends, whichever is first; it returns ctx's error then.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	if Wait(ctx, c, Waits{Timer: t}) == Fired {
		return nil
	}
	return ctx.Err()
}
