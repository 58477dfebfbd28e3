package latency

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{Tab: "latency", New: func() views.View { return New() }, Large: viewtest.ManyPulls}
}

func cases() []viewtest.ScreenCase {
	cursor := append(viewtest.Acts(keymap.Left), views.Event{Action: keymap.Left, N: 14})
	return append(viewtest.PullCases(viewtest.Acts(keymap.More, keymap.Down), cursor),
		viewtest.ScreenCase{Case: named("holds-included"), Acts: viewtest.Acts(keymap.Mode)},
		viewtest.ScreenCase{Case: named("holds-only"), Acts: viewtest.Acts(keymap.Mode, keymap.Mode)},
	)
}

// named is the normal case under another name.
func named(name string) viewtest.Case {
	c := viewtest.PullCases(nil, nil)[0].Case
	c.Name = name
	return c
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "latency", subject(), cases())
}

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 60)
}

func TestEveryThemeSaysTheSame(t *testing.T) { viewtest.CheckThemes(t, subject(), cases()) }

func TestALargeFrameStaysInItsBudget(t *testing.T) {
	viewtest.CheckAllocs(t, subject())
	viewtest.CheckAllocs(t, opened())
}

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameLatency4096(b *testing.B) { viewtest.Benchmark(b, subject()) }

// opened is the screen with thousands of rows.
func opened() viewtest.Subject {
	s := subject()
	s.Start = func(views.View, *snapshot.Snapshot) any { return State{Open: []string{"broker-a", "broker-b"}} }
	return s
}

func BenchmarkFrameLatencyOpen4096(b *testing.B) { viewtest.Benchmark(b, opened()) }
