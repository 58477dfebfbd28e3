package step_test

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
	"mqscope/engine/step/steptest"
)

func TestCommandsAreCarriedOut(t *testing.T) {
	s := open(t, steptest.Options{Seed: 7})
	do := func(cmd any) {
		t.Helper()
		if err := s.Do(cmd); err != nil {
			t.Fatalf("%T: %v", cmd, err)
		}
	}
	at := func(want uint64) {
		t.Helper()
		if s.Steps() != want {
			t.Fatalf("at step %d, want %d", s.Steps(), want)
		}
	}
	do(command.One{})
	do(command.One{})
	at(2)
	do(command.Back{N: 1})
	at(1)
	do(command.Back{})
	at(0)
	do(command.Goto{Step: 30})
	at(30)
	do(command.Task{})
	if trace := s.Trace(); len(trace.Lines) != 1 {
		t.Fatalf("trace %+v", trace)
	}
	do(command.Until{Condition: "flow.span if span > 2000"})
	if last, _ := s.Last(nil); last.Decision.N[0] <= 2000 {
		t.Fatalf("until ended at %+v", last)
	}
	do(command.Until{Condition: "span < 1000"})
	if last, _ := s.Last(nil); last.Decision.N[0] >= 1000 {
		t.Fatalf("until ended at %+v", last)
	}
	do(command.Until{Task: 3})
	if trace := s.Trace(); trace.Task != 3 {
		t.Fatalf("turn of %d", trace.Task)
	}
	do(command.SetBreakpoint{Text: "pull.send if queue == 1"})
	do(command.SetBreakpoint{Queue: steptest.Queue(0)})
	do(command.SetBreakpoint{Text: "pull.send if queue == 1"})
	shown := s.Snapshot().Sched.Breakpoints
	if len(shown) != 2 || shown[1].Queue != steptest.Queue(0) || shown[1].Words != "queue orders/a/0" {
		t.Fatalf("breakpoints %+v", shown)
	}
	do(command.Toggle{Index: 1, Words: shown[1].Words})
	do(command.Run{})
	if last, _ := s.Last(nil); last.Decision.Line.ID != "pull.send" || last.Decision.Queue != steptest.Queue(1) {
		t.Fatalf("the run ended at %+v", last)
	}
	do(command.Delete{Index: 0, Words: shown[0].Words})
	if left := s.Breakpoints(); len(left) != 1 || !left[0].Off {
		t.Fatalf("left are %v", left)
	}
	do(command.Pause{})
	do(command.Pace{Delta: 1})
}

func TestChangesOfScreensBecomeChangesOfWorlds(t *testing.T) {
	q := steptest.Queue(2)
	for _, tt := range []struct {
		c    command.Change
		want string
	}{
		{command.Change{What: command.DelayTask, Task: 3, For: time.Second}, "delay orders/a/2 1s"},
		{command.Change{What: command.DelayTask, Queue: q, For: time.Second}, "delay orders/a/2 1s"},
		{command.Change{What: command.FailPull, Queue: q}, "fail-pull orders/a/2"},
		{command.Change{What: command.AnswerPull, Queue: q, Status: "NO_NEW_MSG"}, "answer orders/a/2 NO_NEW_MSG"},
		{command.Change{What: command.ExpireLock, Queue: q}, "expire-lock orders/a/2"},
		{command.Change{What: command.HangHandler, Queue: q, For: time.Minute}, "hang orders/a/2 1m0s"},
		{command.Change{What: command.FailHandler, Queue: q}, "fail-handler orders/a/2"},
		{command.Change{What: command.Advance, For: time.Minute}, "advance 1m0s"},
		{command.Change{What: command.MemberJoins}, "join m3"},
		{command.Change{What: command.MemberLeaves}, "leave m2"},
		{command.Change{What: command.FailPull}, "error: select a task or a queue first: the change is about one"},
		{command.Change{What: "burn"}, `error: there is no change "burn"`},
	} {
		s := open(t, steptest.Options{Members: []string{"m2"}})
		got := ""
		if err := s.Do(tt.c); err != nil {
			got = "error: " + err.Error()
		} else {
			got = s.Changes()[0].What
		}
		if got != tt.want {
			t.Errorf("%+v became %q, want %q", tt.c, got, tt.want)
		}
	}
	s := open(t, steptest.Options{})
	if err := s.Do(command.Change{What: command.MemberLeaves}); err == nil {
		t.Error("the only member left")
	}
	for _, want := range []string{"join m2", "join m3"} {
		if err := s.Do(command.Change{What: command.MemberJoins}); err != nil || s.Changes()[len(s.Changes())-1].What != want {
			t.Errorf("changes %v, want %s last: %v", s.Changes(), want, err)
		}
	}
}

func TestCommandsWithMistakesSayWhatToWrite(t *testing.T) {
	s := open(t, steptest.Options{})
	for _, tt := range []struct {
		cmd  any
		want string
	}{
		{command.Until{Condition: "flow.spam"}, "did you mean flow.span?"},
		{command.SetBreakpoint{Text: "pull.taken if nixt > 1"}, "line 1, column 15"},
		{command.Toggle{Index: 3}, "the list has changed"},
		{step.FailPull{Queue: mq.MessageQueue{QueueID: 77}}, "there is no queue 77, write one as orders/a/0"},
	} {
		if err := s.Do(tt.cmd); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.cmd, err, tt.want)
		}
	}
	if s.Steps() != 0 || len(s.Breakpoints()) != 0 {
		t.Error("a mistake did something")
	}
}

// watch is a command that is no business of a stepper.
type watch struct{ n int }

func TestOtherCommandsGoToTheWorldAlsoAfterAStepBack(t *testing.T) {
	var worlds []*steptest.World
	m := steptest.Maker(steptest.Options{})
	s, err := step.New(func() (step.World, error) {
		w, err := m()
		worlds = append(worlds, w.(*steptest.World))
		return w, err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 3 {
		if err := s.Do(watch{n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Goto(10); err != nil {
		t.Fatal(err)
	}
	if err := s.Back(5); err != nil {
		t.Fatal(err)
	}
	if got := worlds[0].Told(); len(got) != 3 {
		t.Errorf("the first world was told %v", got)
	}
	if got := worlds[1].Told(); len(got) != 1 || got[0] != any(watch{2}) {
		t.Errorf("the world after a step back was told %v, want the last command", got)
	}
}
