package scheduler

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{
		Tab:   "scheduler",
		New:   func() views.View { return New() },
		Start: func(v views.View, _ *snapshot.Snapshot) any { return v.Start("") },
		Large: viewtest.ManyTasks,
	}
}

func acts(ids ...keymap.ID) (out []views.Event) {
	for _, id := range ids {
		out = append(out, views.Event{Action: id, Focus: lowerPane})
	}
	return out
}

func cases() []viewtest.ScreenCase {
	return viewtest.SchedCases(acts(keymap.Mode), acts(keymap.Mode, keymap.Mode), acts(keymap.Up, keymap.Up, keymap.Up))
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "scheduler", subject(), cases())
}

func TestEveryThemeSaysTheSame(t *testing.T) { viewtest.CheckThemes(t, subject(), cases()) }

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	for seed := range uint64(100) {
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

func BenchmarkFrameScheduler4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
