package tracks_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mqscope/engine/decision"
	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
	steps "mqscope/engine/step/command"
)

// played is a Player of a recording of our own in a bubble of virtual time.
func played(t *testing.T, test func(t *testing.T, p *replay.Player)) {
	t.Helper()
	track, err := tracks.Open(recordings(t)["of our own"], replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := replay.NewPlayer(replay.PlayerConfig{Track: track})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}()
		test(t, p)
	})
}

// last is the decision that a picture shows last.
func last(s *snapshot.Snapshot) *decision.Decision {
	if n := len(s.Sched.Current.Lines); n > 0 {
		return &s.Sched.Current.Lines[n-1].Decision
	}
	return &decision.Decision{Line: &decision.Line{}}
}

func TestARecordingGoesOnToADecision(t *testing.T) {
	played(t, func(t *testing.T, p *replay.Player) {
		after := func(cmds ...any) *snapshot.Snapshot {
			for _, c := range cmds {
				p.Do(c)
			}
			synctest.Wait()
			return p.Snapshot()
		}
		s := after(steps.Until{Condition: "flow.count if yes"})
		first, d := s.Replay.Event, last(s)
		if d.Line != decision.Find("flow.count") || s.Replay.Playing {
			t.Fatalf("at event %d after %s", first, decision.Words(d))
		}
		if s = after(steps.Until{Condition: "flow.count if yes"}); s.Replay.Event < first || last(s).Line != decision.Find("flow.count") || last(s).Queue == d.Queue && last(s).At.Equal(d.At) {
			t.Errorf("again: at event %d after %s", s.Replay.Event, decision.Words(last(s)))
		}
		task := last(s).Task
		if s = after(steps.Task{}); last(s).Task == task && task != 0 {
			t.Errorf("the turn of task %d goes on with %s", task, decision.Words(last(s)))
		}
		if s = after(steps.Until{Task: task}); last(s).Task != task {
			t.Errorf("task %d has no turn: %s", task, decision.Words(last(s)))
		}
		if s = after(steps.SetBreakpoint{Text: "pull.send"}, steps.Until{Condition: "offset > 1000000"}); last(s).Line != decision.PullSend || !strings.Contains(s.Replay.Note, "pull.send") {
			t.Errorf("a breakpoint on the way: %q, %s", s.Replay.Note, decision.Words(last(s)))
		}
		at := s.Replay.Event
		if s = after(steps.Until{Condition: "flow.spam"}); s.Replay.Event != at || !strings.Contains(s.Replay.Note, "did you mean flow.span?") {
			t.Errorf("a line that is none: %q at event %d", s.Replay.Note, s.Replay.Event)
		}
		if s = after(steps.Delete{Index: 0, Words: "pull.send"}, steps.Until{Condition: "offset > 1000000"}); s.Replay.Note != "the end of the recording" || s.Replay.Event != s.Replay.Total {
			t.Errorf("what is never so: %q at event %d", s.Replay.Note, s.Replay.Event)
		}
		if s = after(command.SeekEvent{Event: 100}, steps.Until{Condition: "offset > 1000000"}, command.SeekEvent{Event: 50}); s.Replay.Event > 60 {
			t.Errorf("it goes on although something else was asked for: event %d", s.Replay.Event)
		}
		if s = after(steps.Change{What: steps.FailPull}); !strings.Contains(s.Replay.Note, "can not be changed") {
			t.Errorf("a change: %q", s.Replay.Note)
		}
	})
}
