package consumer

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

func TestLagOfAQueue(t *testing.T) {
	now := time.Unix(1, 0)
	for _, c := range []struct {
		name           string
		max, committed snapshot.Val[int64]
		want           snapshot.Val[int64]
	}{
		{"is unknown while the tail is", snapshot.UnknownBecause[int64]("not pulled yet"), snapshot.Of[int64](3, now), snapshot.UnknownBecause[int64]("not pulled yet")},
		{"counts from the committed offset", snapshot.Of[int64](50, now), snapshot.Of[int64](30, now), snapshot.Of[int64](20, now)},
		{"counts from the start while nothing was committed", snapshot.Of[int64](50, now), snapshot.Val[int64]{}, snapshot.Of[int64](40, now)},
		{"is negative when the commit is beyond the tail", snapshot.Of[int64](50, now), snapshot.Of[int64](60, now), snapshot.Of[int64](-10, now)},
	} {
		o := newOwned(event.QueueAssigned{Start: 10})
		o.max, o.committed = c.max, c.committed
		if got := o.lag(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestWhichPullsWereHeld(t *testing.T) {
	now := time.Unix(1, 0)
	for _, c := range []struct {
		name string
		max  snapshot.Val[int64]
		tail bool
		e    event.PullDone
		want bool
	}{
		{"no message came in time", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.NoNewMsg}, true},
		{"messages came to a pull at the tail", snapshot.Of[int64](5, now), true, event.PullDone{Status: mq.Found, Took: time.Second}, true},
		{"messages were there already, the answer was slow", snapshot.Of[int64](50, now), false, event.PullDone{Status: mq.Found, Next: 50, Max: 50, Took: time.Second}, false},
		{"the first pull waited for the last messages", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.Found, Next: 5, Max: 5, Took: time.Second}, true},
		{"the first pull found messages at once", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.Found, Next: 5, Max: 5, Took: time.Millisecond}, false},
		{"the first pull waited for the first of many", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.Found, Next: 5, Max: 50, Took: time.Second, Stored: now.Add(-time.Millisecond)}, true},
		{"the first pull was slow and more is there, all of it old", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.Found, Next: 5, Max: 50, Took: time.Second, Stored: now.Add(-time.Hour)}, false},
		{"the first pull was slow and more is there", snapshot.Val[int64]{}, false, event.PullDone{Status: mq.Found, Next: 5, Max: 50, Took: time.Second}, false},
	} {
		o := newOwned(event.QueueAssigned{})
		o.max, o.waitsTail = c.max, c.tail
		if got := o.learn(now, &c.e); got != c.want {
			t.Errorf("%s: held is %v", c.name, got)
		}
	}
}
