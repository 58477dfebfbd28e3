package overview

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{
		Tab: "overview",
		New: func() views.View { return New() },
		Start: func(v views.View, _ *snapshot.Snapshot) any {
			return v.Start("")
		},
	}
}

func TestGoldenFrames(t *testing.T) {
	viewtest.PlainGoldens(t, root, "overview", subject())
	viewtest.GoldensOf(t, root, "overview", subject(), viewtest.DifferCases())
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

func BenchmarkFrameOverview4096(b *testing.B) {
	viewtest.Benchmark(b, subject())
}
