package scenario_test

import (
	"testing"

	"mqscope/engine/decision"
	"mqscope/engine/scenario"
)

// finish runs a world of a scenario to its end.
func finish(tb testing.TB, s *scenario.Scenario, seed uint64) *scenario.World {
	tb.Helper()
	w, err := scenario.New(s, seed)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.Close)
	if _, err := w.Run(func(*decision.Decision) bool { return false }); err != nil {
		tb.Fatal(err)
	}
	return w
}

// Each lesson reaches what it promises, whatever chance does to it, and breaks nothing.
func TestLessonsReachTheirGoals(t *testing.T) {
	seeds := lessonSeeds
	if testing.Short() {
		seeds = 10
	}
	for _, s := range scenario.Lessons() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range uint64(seeds) {
				w := finish(t, s, seed)
				for _, what := range w.Left() {
					t.Errorf("seed %d: not reached: %s", seed, what)
				}
				if broken := w.Broken(); len(broken) > 0 {
					t.Errorf("seed %d: broken: %v", seed, broken)
				}
				if t.Failed() {
					t.Fatalf("%d steps in %v", w.Steps(), w.Since())
				}
				w.Close()
			}
		})
	}
}

// With the seed that the commands take, the goals are reached in the order in which they are
// listed, so that a person can read them as a story.
func TestGoalsAreReachedInTheirOrder(t *testing.T) {
	for _, s := range scenario.Lessons() {
		l := finish(t, s, 1).Snapshot().Sched.Lesson
		for i, g := range l.Goals {
			if i > 0 && g.Step < l.Goals[i-1].Step {
				t.Errorf("%s: %q at step %d comes after %q at step %d", s.Name, g.What, g.Step, l.Goals[i-1].What, l.Goals[i-1].Step)
			}
		}
	}
}
