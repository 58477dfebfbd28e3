package viewtest

import (
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

// maxAllocs is how many allocations one frame of 120x36 over 4,096 queues may cost
// (tui.md section 8).
const maxAllocs = 2000

// large draws frames of 120x36 over 4,096 queues. Each frame has a new snapshot, and so much
// time passes that rows are sorted anew.
func large(tb testing.TB, s Subject) func() {
	tb.Helper()
	if s.Large == nil {
		s.Large = func(seq uint64) *snapshot.Snapshot { return Many(4096, seq) }
	}
	var snaps [8]*snapshot.Snapshot
	for i := range snaps {
		snaps[i] = s.Large(uint64(i + 1))
	}
	view := s.New()
	shot := Shot{View: view, Tab: s.Tab, State: s.start(view, snaps[0]), W: 120, H: 36, Theme: Theme(tb, "mqscope-dark", "unicode"), Keys: Keys(tb)}
	i := 0
	return func() {
		shot.Case.Snap = snaps[i%len(snaps)]
		shot.Later += 2 * time.Second
		i++
		if lines, _, _ := shot.Draw(); len(lines) != shot.H {
			tb.Fatal("no frame")
		}
	}
}

// CheckAllocs checks the allocations of a large frame.
func CheckAllocs(t *testing.T, s Subject) {
	t.Helper()
	draw := large(t, s)
	draw()
	if n := testing.AllocsPerRun(20, draw); n >= maxAllocs {
		t.Errorf("a frame costs %.0f allocations, the budget is %d", n, maxAllocs)
	}
}

// Benchmark composes large frames.
func Benchmark(b *testing.B, s Subject) {
	draw := large(b, s)
	b.ReportAllocs()
	for b.Loop() {
		draw()
	}
}
