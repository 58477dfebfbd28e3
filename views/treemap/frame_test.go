package treemap

import (
	"testing"

	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

const root = "../.."

func subject() viewtest.Subject {
	return viewtest.Subject{Tab: "map", New: func() views.View { return New() }, Large: viewtest.ManyCached}
}

func cases() []viewtest.ScreenCase {
	const v, x = keymap.Mode, keymap.GroupBy
	return viewtest.MapCases(viewtest.Acts(keymap.MapSize, keymap.MapSize), viewtest.Acts(v, v), viewtest.Acts(x), viewtest.Acts(x, x), viewtest.Acts(v, v, v), viewtest.Acts(v))
}

func TestGoldenFrames(t *testing.T) {
	viewtest.GoldensOf(t, root, "map", subject(), cases())
}

func TestEveryThemeSaysTheSame(t *testing.T) { viewtest.CheckThemes(t, subject(), cases()) }

func TestEveryFrameHasTheRightSizeAndOnlyOurSequences(t *testing.T) {
	viewtest.CheckTrees(t, subject(), 60)
}

func TestALargeFrameStaysInItsBudget(t *testing.T) { viewtest.CheckAllocs(t, subject()) }

func FuzzFrame(f *testing.F) { viewtest.Fuzz(f, subject()) }

func BenchmarkFrameMap4096(b *testing.B) { viewtest.Benchmark(b, subject()) }
