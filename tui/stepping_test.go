package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
	"mqscope/views/viewtest"
)

func TestStepsArePassedOn(t *testing.T) {
	s := newScreen(t, viewtest.Stepped(viewtest.Normal(), 6), 120, 36)
	s.press("7", ".", ",", "。", "p", "<", "》", "T", "R", "tab", "b", "E", "s", "p", "a", "n", "enter", "B", "enter", "a", "b", "esc")
	want := []engine.Command{
		command.One{}, command.Back{N: 1}, command.One{}, command.Run{}, command.Pace{Delta: -1}, command.Pace{Delta: 1}, command.Task{},
		command.Until{Task: 5}, command.SetBreakpoint{Text: "flow.count"}, command.Until{Condition: "span"},
	}
	if diff := cmp.Diff(want, s.source.done()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestNobodyStepsWhatIsNotStepped(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Tasks(viewtest.Normal())), 120, 36)
	s.press("7", ".")
	s.has("nobody steps this consumer")
	s.press(",", "R", "b", "B", "I", "T", "E", "<", ">")
	if got := s.source.done(); len(got) != 0 || s.where() != "overview>scheduler" {
		t.Errorf("commands %v at %s", got, s.where())
	}
	s.press("p")
	s.has("FROZEN")
}

func TestALiveConsumerIsNotSteppedWhereNothingMayBeChanged(t *testing.T) {
	s := newScreen(t, viewtest.Driven(viewtest.Normal()), 120, 36, func(c *Config) { c.ReadOnly = true })
	s.press("7", ".")
	s.has("nothing can be changed")
	if got := s.source.done(); len(got) != 0 {
		t.Errorf("commands %v", got)
	}
	s = newScreen(t, viewtest.Driven(viewtest.Normal()), 120, 36)
	s.press("7", ".")
	if diff := cmp.Diff([]engine.Command{command.One{}}, s.source.done()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestVirtualTimeStandsStill(t *testing.T) {
	s := newScreen(t, viewtest.Stepped(viewtest.Normal(), 6), 120, 36)
	s.press("7")
	before := s.text()
	s.wait(time.Hour)
	if diff := cmp.Diff(before, s.text()); diff != "" {
		t.Errorf("an hour of the wall changed the picture:\n%s", diff)
	}
	s.has("0.0s ago")
}

func TestAHitIsToldOnEveryView(t *testing.T) {
	first := viewtest.Stepped(viewtest.Normal(), 6)
	s := newScreen(t, first, 120, 36)
	s.press("2")
	hit := next(viewtest.Hit(viewtest.Normal()), 0)
	s.send(snapshotMsg{hit})
	s.wait(100 * time.Millisecond)
	s.has("Stopped at step 1,326: breakpoint flow.span")
	s.wait(10 * time.Second)
	s.hasNot("Stopped at step")
	bad := next(viewtest.Wrong(viewtest.Normal()), 0)
	bad.Seq++
	s.send(snapshotMsg{bad})
	s.wait(time.Minute)
	s.has("✗ Stopped at step 1,324: I13")
	s.press("7")
	s.hasNot("✗ Stopped at step")
	s.send(snapshotMsg{changed(bad, func(s *snapshotT) { s.Seq++; s.Sched.Hit = snapshot.SchedHit{} })})
	s.wait(time.Second)
	s.hasNot("Stopped at step")
}

func TestABellIsRungOnlyWhereItIsWanted(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		s := newScreen(t, viewtest.Stepped(viewtest.Normal(), 6), 120, 36, func(c *Config) { c.Bell = wanted })
		s.send(snapshotMsg{next(viewtest.Hit(viewtest.Normal()), 0)})
		if rung := strings.Contains(s.wrote.String(), "\a"); rung != wanted {
			t.Errorf("bell %t: rung %t", wanted, rung)
		}
	}
}

func TestRunAndPauseOfAFrozenScreenThawIt(t *testing.T) {
	s := newScreen(t, viewtest.Stepped(viewtest.Normal(), 6), 120, 36)
	s.press("2", "p", "7")
	s.has("FROZEN")
	s.press("p")
	s.hasNot("FROZEN")
	if got := s.source.done(); len(got) != 0 {
		t.Errorf("commands %v", got)
	}
}

func TestRelatedLeadsToTheTaskOfTheQueue(t *testing.T) {
	snap := inDemo(viewtest.Tasks(viewtest.Normal()))
	for _, from := range [][]string{{"2"}, {"2", "enter"}, {"3"}, {"4"}, {"5", "+", "down"}, {"6"}, {"0"}} {
		s := newScreen(t, snap, 120, 36)
		if from[0] == "4" {
			s = newScreen(t, inDemo(viewtest.Tasks(viewtest.Orderly())), 120, 36)
		}
		s.press(from...)
		switch s.press("o"); from[0] {
		case "6", "0": // it is the first one there
		default:
			s.press("down")
		}
		s.press("enter")
		if got := s.m.stack.top().view.ID(); got != "scheduler" {
			t.Errorf("from %v o leads to %s, want the scheduler", from, got)
		}
	}
}
