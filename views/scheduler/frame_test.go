package scheduler

import (
	"testing"

	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{Tab: "scheduler", New: func() views.View { return New() }, Large: viewtest.ManyTasks}
}

func acts(ids ...keymap.ID) []views.Event { return viewtest.In(lowerPane, viewtest.Acts(ids...)...) }

func cases() []viewtest.ScreenCase {
	return viewtest.SchedCases(acts(keymap.Mode), acts(keymap.Mode, keymap.Mode), acts(keymap.Up, keymap.Up, keymap.Up))
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "scheduler", subject(), cases())
}

func TestEveryThemeSaysTheSame(t *testing.T) { viewtest.CheckThemes(t, subject(), cases()) }

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 100)
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameScheduler4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
