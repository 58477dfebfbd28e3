package locks

import (
	"testing"

	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{Tab: "locks", New: func() views.View { return New() }, Large: viewtest.ManyLocks}
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "locks", subject(), viewtest.LockCases())
}

func TestEveryThemeSaysTheSame(t *testing.T) {
	viewtest.CheckThemes(t, subject(), viewtest.LockCases())
}

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 60)
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameLocks4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
