package consumer

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

const (
	// A consumer at its limit trips, pulls once and trips again, many times a second: a trip
	// counts as going on for flowLasts after the last one.
	flowLasts = time.Second
	// A trip is told again only when there was none for flowQuiet.
	flowQuiet = 10 * time.Second
)

// flowControl remembers the trips of one queue.
type flowControl struct {
	cause    event.Cause
	since    time.Time // begin of the episode
	last     time.Time // latest put-back
	going    bool
	putBacks uint64
}

// trip counts one put-back and says whether it is worth telling.
func (f *flowControl) trip(now time.Time, c event.Cause) (tell bool) {
	if f.cause != c || now.Sub(f.last) > flowLasts {
		f.since = now
	}
	tell = f.cause != c || now.Sub(f.last) > flowQuiet
	f.cause, f.last, f.going = c, now, true
	f.putBacks++
	return tell
}

// over says once that an episode has ended, and how long it was.
func (f *flowControl) over(now time.Time) (lasted time.Duration, ended bool) {
	if !f.going || now.Sub(f.last) <= flowQuiet {
		return 0, false
	}
	f.going = false
	return f.last.Sub(f.since), true
}

// shown is what a snapshot says.
func (f *flowControl) shown(now time.Time) snapshot.Flow {
	s := snapshot.Flow{PutBacks: f.putBacks}
	if f.putBacks > 0 && now.Sub(f.last) <= flowLasts {
		s.Cause, s.Since = f.cause, f.since
	}
	return s
}

func flowText(c event.Cause, o *owned, l pull.Limits) string {
	count, bytes, span := o.pq.Load()
	switch c {
	case event.CauseFlowCount:
		return fmt.Sprintf("count %d > %d, put back 50ms", count, l.CountPerQueue)
	case event.CauseFlowSize:
		return fmt.Sprintf("size %d MiB > %d MiB, put back 50ms", bytes>>20, l.MiBPerQueue)
	}
	return fmt.Sprintf("span %d > %d, put back 50ms", span, l.Span)
}
