package rebalance

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
		Tab:   "rebalance",
		New:   func() views.View { return New() },
		Start: func(v views.View, _ *snapshot.Snapshot) any { return v.Start("") },
		Large: viewtest.ManyShared,
	}
}

func acts(ids ...keymap.ID) (out []views.Event) {
	for _, id := range ids {
		out = append(out, views.Event{Action: id})
	}
	return out
}

func cases() []viewtest.ScreenCase {
	return viewtest.PlanCases(viewtest.PlanActs{
		Circle:  []views.Event{{Action: views.Picked, Text: "s:AVG_BY_CIRCLE"}},
		More:    acts(keymap.PlanMore),
		Fewer:   acts(keymap.PlanFewer),
		Out:     append(acts(keymap.PlanWithout), views.Event{Action: keymap.Down}),
		Earlier: acts(keymap.PassBefore, keymap.PassBefore),
	})
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "rebalance", subject(), cases())
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

func BenchmarkFrameRebalance4096(b *testing.B) { viewtest.Benchmark(b, subject()) }

// asking is the screen with a question about thousands of queues.
func asking() viewtest.Subject {
	s := subject()
	s.Start = func(views.View, *snapshot.Snapshot) any { return State{Params: Params{Delta: 1}} }
	return s
}

func BenchmarkFrameRebalanceAsking4096(b *testing.B) { viewtest.Benchmark(b, asking()) }
