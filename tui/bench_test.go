package tui

import (
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

// benchViews are the screens whose whole frame is measured, and the keys that lead there.
func benchViews() []struct {
	name string
	keys []string
} {
	return []struct {
		name string
		keys []string
	}{
		{"overview", nil}, {"queues", []string{"2"}}, {"grouped", []string{"2", "x"}}, {"detail", []string{"2", "enter"}},
		{"map", []string{"3"}}, {"locks", []string{"4"}}, {"latency", []string{"5", "+"}}, {"rebalance", []string{"6"}},
		{"events", []string{"0"}}, {"help", []string{"2", "?"}},
	}
}

// fresh are snapshots of many queues that differ in number and lags.
func fresh(n int) []*snapshot.Snapshot {
	var out []*snapshot.Snapshot
	for i := range 8 {
		s := next(many(n), time.Duration(i)*100*time.Millisecond)
		s.Seq += uint64(i)
		for j := range s.Queues {
			s.Queues[j].Lag.V += int64(i * j % 13)
		}
		out = append(out, s)
	}
	return out
}

func BenchmarkFrame(b *testing.B) {
	for _, v := range benchViews() {
		b.Run(v.name, func(b *testing.B) {
			snaps := fresh(4096)
			s := newScreen(b, snaps[0], 120, 36)
			s.press(v.keys...)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				snap := *snaps[i%len(snaps)]
				snap.Seq = uint64(20_000 + i)
				s.m.news(&snap)
				s.clock = s.clock.Add(time.Second / 30)
				s.m.compose(s.clock)
			}
		})
	}
}

// TestAFrameAllocatesLittle is the limit on allocations of BenchmarkFrame.
func TestAFrameAllocatesLittle(t *testing.T) {
	for _, v := range benchViews() {
		t.Run(v.name, func(t *testing.T) {
			snaps := fresh(4096)
			s := newScreen(t, snaps[0], 120, 36)
			s.press(v.keys...)
			i := 0
			n := testing.AllocsPerRun(32, func() {
				i++
				snap := *snaps[i%len(snaps)]
				snap.Seq = uint64(20_000 + i)
				s.m.news(&snap)
				s.clock = s.clock.Add(time.Second / 30)
				s.m.compose(s.clock)
			})
			if n >= 2000 {
				t.Errorf("%v allocations a frame, want fewer than 2,000", n)
			}
			t.Logf("%v allocations", n)
		})
	}
}
