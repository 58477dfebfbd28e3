package consumer

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"mqscope/engine/clock"
	"mqscope/engine/rebalance"
)

// twoClocks is a clock whose monotonic part and whose time on the wall are set apart.
type twoClocks struct {
	clock.System
	began      time.Time // with a monotonic reading
	mono, wall time.Duration
}

func (c *twoClocks) Now() time.Time {
	t := c.began.Add(c.mono)
	// The wall clock's seconds stand in the 33 bits above the nanoseconds where there is a monotonic reading.
	*(*uint64)(unsafe.Pointer(&t)) += uint64((c.wall-c.mono)/time.Second) << 30
	return t
}

// pass lets time pass by both clocks, in whole seconds where they differ.
func (c *twoClocks) pass(mono, wall time.Duration) { c.mono, c.wall = c.mono+mono, c.wall+wall }

// TestRecordedTimesGoByTheMonotonicClock: they never run back, and jump by no clock that is set; that
// the computer slept, or the clock was set ahead, is told once, and how far times are behind.
func TestRecordedTimesGoByTheMonotonicClock(t *testing.T) {
	const s = time.Second
	c := &twoClocks{began: time.Now()}
	in := &inputs{}
	if at := in.wall(c.Now()); at != c.Now() {
		t.Errorf("the wall is at %v before anything is recorded", at)
	}
	in.begin(c.Now())
	begin := in.here
	mono := time.Duration(0)
	for _, tt := range []struct {
		name       string
		mono, wall time.Duration
		by, behind time.Duration // told; 0 is nothing
	}{
		{"time goes on", 10 * s, 10 * s, 0, 0},
		{"a second more on the wall", 10 * s, 11 * s, 0, 0},
		{"it slept for an hour", 2 * s, 3602 * s, 3600 * s, 3601 * s},
		{"it goes on", 20 * s, 20 * s, 0, 0},
		{"the clock is set back", s, -7199 * s, 0, 0},
		{"it goes on behind", 20 * s, 20 * s, 0, 0},
		{"it slept for two seconds, and the wall is behind all the same", 0, 2 * s, 2 * s, 0},
		{"and for long", s, 7201 * s, 7200 * s, 3603 * s},
	} {
		c.pass(tt.mono, tt.wall)
		mono += tt.mono
		at := in.now(c)
		if at.Sub(begin) != mono || at.String() != at.Round(0).String() {
			t.Errorf("%s: %v after the beginning, want %v", tt.name, at.Sub(begin), mono)
		}
		if wall := in.wall(at); !wall.Equal(c.Now()) || wall.Sub(c.Now()) != 0 {
			t.Errorf("%s: the wall is at %v, not at %v", tt.name, wall, c.Now())
		}
		saw := in.sawAhead()
		if saw != (tt.by > 0) {
			t.Errorf("%s: seen %v", tt.name, saw)
		}
		if !saw {
			continue
		}
		if e := in.retimed(rebalance.ClockAhead{}); e != (rebalance.ClockAhead{By: tt.by, Behind: tt.behind}) {
			t.Errorf("%s: told %+v, want by %v behind %v", tt.name, e, tt.by, tt.behind)
		}
		if in.sawAhead() {
			t.Errorf("%s: told twice", tt.name)
		}
	}
}

func TestHowFarTheClockWentAheadIsSaid(t *testing.T) {
	for want, e := range map[string]rebalance.ClockAhead{
		"the clock on the wall went ahead: it was set, or the computer slept":       {},
		"the clock on the wall went ahead by 2s: it was set, or the computer slept": {By: 2 * time.Second},
		"slept; times of this recording are 1h0m1s behind it from here on":          {By: time.Hour, Behind: time.Hour + time.Second},
	} {
		if m := momentOf(e); m.Kind != "clock.ahead" || !strings.HasSuffix(m.Words, want) {
			t.Errorf("%+v: %q, want %q", e, m.Words, want)
		}
	}
}
