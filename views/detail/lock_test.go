package detail

import (
	"strings"
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views/viewtest"
)

// orderly is the stuck queue of an orderly consumer, its lock changed.
func orderly(change func(l *snapshot.Lock)) *snapshot.Snapshot {
	s := viewtest.Orderly()
	s.Group.Limits.MaxReconsume = -1
	for i := range s.Queues {
		if s.Queues[i].ID.QueueID == 3 && s.Queues[i].ID.Topic == "order-created" {
			change(&s.Queues[i].Lock)
		}
	}
	return s
}

// TestAnOrderlyQueueShowsItsLock: at each size that has room for what else is known.
func TestAnOrderlyQueueShowsItsLock(t *testing.T) {
	tests := []struct {
		name   string
		change func(l *snapshot.Lock)
		want   string
	}{
		{"held", func(*snapshot.Lock) {}, "mine lease 18s renewed in 8.6s"},
		{"late", func(l *snapshot.Lock) { l.RenewAt = viewtest.Now().Add(-7e9) }, "late lease 18s renewal late 7"},
		{"lost", func(l *snapshot.Lock) { l.BrokerSays = snapshot.LockRefused }, "refused lease 18s asked"},
		{"expired", func(l *snapshot.Lock) { l.GrantedAt = l.GrantedAt.Add(-30e9) }, "expired 11s ago"},
	}
	for _, tt := range tests {
		s := orderly(tt.change)
		for _, size := range [][2]int{{120, 36}, {200, 60}, {80, 24}, {100, 30}} {
			v := New()
			if got := text(t, v, start(v, s), s, size[0], size[1]); !strings.Contains(got, "lock ") || !strings.Contains(got, tt.want) {
				t.Errorf("%s at %v lacks %q:\n%s", tt.name, size, tt.want, got)
			}
		}
	}
	v, s := New(), orderly(func(*snapshot.Lock) {})
	got := text(t, v, start(v, s), s, 120, 36)
	if !strings.Contains(got, "try 0/no limit") {
		t.Errorf("a limit of tries that there is not:\n%s", got)
	}
	viewtest.Golden(t, root, "detail/orderly.120x36.txt", strings.Split(got, "\n"))
	viewtest.Golden(t, root, "detail/orderly.80x24.txt", strings.Split(text(t, v, start(v, s), s, 80, 24), "\n"))
}
