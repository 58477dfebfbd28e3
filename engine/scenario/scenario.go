package scenario

import (
	"fmt"
	"slices"
	"strings"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
)

// Scenario is a world with a story.
type Scenario struct {
	Name   string // as it is called on the command line
	Lesson int    // its number among the lessons, 0 when it is none
	Title  string
	// Text is what a person reads before a goal is reached: first what it is about, then what to
	// watch.
	Text []string
	// Config is the world of a seed. Two calls share nothing.
	Config func(seed uint64) sim.Config
	// Goals makes the states that the world promises to reach, afresh for each world, as some of
	// them count. They are in the order in which they are reached. nil makes none.
	Goals func() []Goal
}

// Goal is a state that a scenario promises to reach.
type Goal struct {
	What string // the state, in up to 34 characters, which fit beside a step
	Seen string // why it is so, to be read once it is reached
	// Met tells whether a decision of the driven member reaches it; it is called for each one
	// until it does, and must neither wait nor change anything of the world.
	Met func(d *decision.Decision, w *sim.World) bool
}

// All are the scenarios: the lessons in their order, then the others.
func All() []*Scenario {
	return append(Lessons(),
		demo("demo", "The demo, step by step", false), demo("demo-orderly", "The demo in order, step by step", true))
}

// Lessons are the ten lessons in their order.
func Lessons() []*Scenario {
	list := []*Scenario{
		firstPull(), longPoll(), flowControls(), putBacks(), offsetIllegal(),
		revoked(), twoJoin(), orderlyLock(), retryTopic(), changingDelays(),
	}
	for i, s := range list {
		s.Lesson = i + 1
	}
	return list
}

// Find returns the scenario of a name, or the lesson of a number. The error says what there is.
func Find(name string) (*Scenario, error) {
	all := All()
	i := slices.IndexFunc(all, func(s *Scenario) bool {
		return s.Name == name || s.Lesson > 0 && fmt.Sprint(s.Lesson) == name
	})
	if i >= 0 {
		return all[i], nil
	}
	return nil, fmt.Errorf("there is no scenario %q: the scenarios are %s", name, strings.Join(Names(), ", "))
}

// Names are those of all scenarios, in the order of All.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}
