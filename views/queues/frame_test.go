package queues

import (
	"testing"

	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{Tab: "queues", New: func() views.View { return New() }}
}

func TestGoldenFrames(t *testing.T) {
	viewtest.PlainGoldens(t, root, "queues", subject())
	viewtest.GoldensOf(t, root, "queues", subject(), viewtest.DifferCases())
}

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 60)
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameQueues4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
