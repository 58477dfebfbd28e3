package scenario

import (
	"mqscope/engine/decision"
	"mqscope/engine/sim"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// World is a sim.World that finds out which goals of its scenario are reached.
type World struct {
	*sim.World
	scenario *Scenario
	goals    []Goal
	reached  []uint64 // the step of each goal, 0 for one that is not reached
	latest   int      // the goal that was reached last, -1 for none
	left     int      // how many are not reached
}

// Maker makes the world of a scenario and a seed, the same one each time.
func Maker(s *Scenario, seed uint64) step.Maker {
	return func() (step.World, error) { return New(s, seed) }
}

// New makes the world of a scenario and a seed.
func New(s *Scenario, seed uint64) (*World, error) {
	inner, err := sim.New(s.Config(seed))
	if err != nil {
		return nil, err
	}
	w := &World{World: inner, scenario: s, latest: -1}
	if s.Goals != nil {
		w.goals = s.Goals()
	}
	w.reached, w.left = make([]uint64, len(w.goals)), len(w.goals)
	return w, nil
}

// Run implements step.World.
func (w *World) Run(stop func(d *decision.Decision) bool) (step.Reason, error) {
	return w.World.Run(func(d *decision.Decision) bool {
		if w.left > 0 {
			w.observe(d)
		}
		return stop(d)
	})
}

// observe finds the goals that a decision reaches.
func (w *World) observe(d *decision.Decision) {
	for i := range w.goals {
		if w.reached[i] == 0 && w.goals[i].Met(d, w.World) {
			w.reached[i], w.latest = w.Steps(), i
			w.left--
		}
	}
}

// Sight implements step.Guide: a run stops where a goal is reached.
func (w *World) Sight() string {
	if w.latest >= 0 && w.reached[w.latest] == w.Steps() {
		return w.goals[w.latest].What
	}
	return ""
}

// Left are the goals that are not reached.
func (w *World) Left() (list []string) {
	for i := range w.goals {
		if w.reached[i] == 0 {
			list = append(list, w.goals[i].What)
		}
	}
	return list
}

// Snapshot implements step.World.
func (w *World) Snapshot() *snapshot.Snapshot {
	s := w.World.Snapshot()
	s.Source.Name = w.scenario.Name
	if w.scenario.Lesson > 0 {
		s.Sched.Lesson = w.lesson()
	}
	return s
}

// lastWords end each lesson.
const lastWords = "That was all of it. Go back and look again, or change what comes and see what it leads to."

// lesson is what a person reads where the world stands: what it is about at the beginning, what to
// watch up to the first goal, then why the latest one was reached.
func (w *World) lesson() *snapshot.Lesson {
	l := &snapshot.Lesson{
		Number: w.scenario.Lesson, Of: len(Lessons()), Name: w.scenario.Name, Title: w.scenario.Title,
		Text: w.scenario.Text, Goals: make([]snapshot.Goal, len(w.goals)),
	}
	for i := range w.goals {
		l.Goals[i] = snapshot.Goal{What: w.goals[i].What, Reached: w.reached[i] > 0, Step: w.reached[i]}
	}
	switch {
	case w.latest >= 0 && w.left == 0:
		l.Text = []string{w.goals[w.latest].Seen, lastWords}
	case w.latest >= 0:
		l.Text = []string{w.goals[w.latest].Seen}
	case w.Steps() > 0:
		l.Text = w.scenario.Text[1:]
	}
	return l
}

var (
	_ step.World = (*World)(nil)
	_ step.Guide = (*World)(nil)
)
