package scheduler

import (
	"slices"
	"strings"
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

// recorded is a recording that stands at a decision, made again or not.
func recorded(inferred bool) *snapshot.Snapshot {
	s := viewtest.Replayed(viewtest.Stepped(viewtest.Normal(), 6))
	s.Sched.Stepping, s.Sched.Drives = false, ""
	s.Sched.Newest = s.Sched.Steps + 3
	s.Replay.Inferred = inferred
	return s
}

func TestARecordingGoesOnToWhatTheCursorIsOnAndToWhatIsTyped(t *testing.T) {
	v, s := New(), recorded(false)
	st := v.Start("").(State)
	for id, want := range map[keymap.ID]any{keymap.StepTask: command.Task{}, keymap.RunTo: command.Until{Task: current(s).ID}} {
		if _, intents := press(v, st, s, act(id)...); !slices.Equal(intents, ask1(want)) {
			t.Errorf("%s asks %v, want %v", id, intents, want)
		}
	}
	st, intents := press(v, st, s, act(keymap.RunUntil)...)
	if _, ok := intents[0].(views.Input); !ok {
		t.Fatalf("%v", intents)
	}
	if _, intents = press(v, st, s, text(views.Entered, "flow.span if span > 9")); !slices.Equal(intents, ask1(command.Until{Condition: "flow.span if span > 9"})) {
		t.Errorf("what was typed asks %v", intents)
	}
	for _, id := range []keymap.ID{keymap.StepOne, keymap.StepBack, keymap.StepChange, keymap.Slower} {
		if _, intents = press(v, st, s, act(id)...); len(intents) != 0 {
			t.Errorf("%s asks %v of a recording", id, intents)
		}
	}
	if got := draw(t, s, st, 0, 120, 36); !strings.Contains(got, "event #18,244, decision ") || !strings.Contains(got, "R run to  E until  T its turn  b break") {
		t.Error(got)
	}
}

func TestOfWhatWasSeenNoDecisionIsGoneOnTo(t *testing.T) {
	for why, s := range map[views.Lit]*snapshot.Snapshot{
		"no decision is known of what was seen on the wire": recorded(true), "what was recorded can not be changed": recorded(false),
	} {
		v := New()
		out := v.Render(views.In{Snap: s, State: v.Start(""), W: 120, H: 30, Now: s.At, Theme: viewtest.Theme(t, "mono", "unicode")})
		for _, id := range []keymap.ID{keymap.StepChange, keymap.RunTo} {
			off := slices.Contains(out.Off, views.Off{ID: id, Why: why})
			if want := s.Replay.Inferred || id == keymap.StepChange; off != want {
				t.Errorf("%s of a recording, inferred %v: off %v in %v", id, s.Replay.Inferred, off, out.Off)
			}
		}
		if _, intents := press(v, v.Start(""), recorded(true), act(keymap.RunTo)...); len(intents) != 0 {
			t.Errorf("asks %v", intents)
		}
	}
}
