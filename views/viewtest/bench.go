package viewtest

import (
	"testing"

	"mqscope/engine/snapshot"
)

// Benchmark composes whole frames of 120x36 over 4,096 queues, a new snapshot for each.
func Benchmark(b *testing.B, s Subject) {
	var snaps [8]*snapshot.Snapshot
	for i := range snaps {
		snaps[i] = Many(4096, uint64(i+1))
	}
	view := s.New()
	shot := Shot{View: view, Tab: s.Tab, State: s.Start(view, snaps[0]), W: 120, H: 36, Theme: Theme(b, "mqscope-dark", "unicode"), Keys: Keys(b)}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		shot.Case.Snap = snaps[i%len(snaps)]
		lines, _, _ := shot.Draw()
		if len(lines) != 36 {
			b.Fatal("no frame")
		}
		i++
	}
}
