package detail

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{
		Tab: "queues",
		New: func() views.View { return New() },
		Start: func(v views.View, s *snapshot.Snapshot) any {
			return v.Start(views.EncodeQueue(viewtest.Focus(s)))
		},
	}
}

func TestGoldenFrames(t *testing.T) {
	viewtest.PlainGoldens(t, root, "detail", subject())
}

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 60)
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameDetail4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
