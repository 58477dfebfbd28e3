package consumer

import (
	"testing"
	"time"

	"mqscope/engine/event"
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
