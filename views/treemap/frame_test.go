package treemap

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
		Tab:   "map",
		New:   func() views.View { return New() },
		Start: func(v views.View, _ *snapshot.Snapshot) any { return v.Start("") },
		Large: viewtest.ManyCached,
	}
}

func acts(ids ...keymap.ID) (out []views.Event) {
	for _, id := range ids {
		out = append(out, views.Event{Action: id})
	}
	return out
}

func cases() []viewtest.ScreenCase {
	const v, x = keymap.Mode, keymap.GroupBy
	return viewtest.MapCases(acts(keymap.MapSize, keymap.MapSize), acts(v, v), acts(x), acts(x, x), acts(v, v, v), acts(v))
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "map", subject(), cases())
}

func TestEveryThemeSaysTheSame(t *testing.T) { viewtest.CheckThemes(t, subject(), cases()) }

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

func BenchmarkFrameMap4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
