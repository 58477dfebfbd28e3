package locks

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{
		Tab:   "locks",
		New:   func() views.View { return New() },
		Start: func(v views.View, _ *snapshot.Snapshot) any { return v.Start("") },
		Large: viewtest.ManyLocks,
	}
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "locks", subject(), viewtest.LockCases())
}

func TestEveryThemeSaysTheSame(t *testing.T) {
	viewtest.CheckThemes(t, subject(), viewtest.LockCases())
}

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	for seed := range uint64(60) {
		viewtest.CheckTree(t, subject(), seed)
	}
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { viewtest.CheckTree(t, subject(), seed) })
}

func BenchmarkFrameLocks4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
