package tui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func TestEveryTabHasAViewOfItsOwn(t *testing.T) {
	s := newScreen(t, viewtest.Orderly(), 120, 36)
	for _, tab := range views.Tabs() {
		s.press(s.m.cfg.Keys.KeyOf(tab.Action))
		if got := s.m.stack.top().view.ID(); got != tab.ID {
			t.Errorf("%s shows %q, want %q", tab.Action, got, tab.ID)
		}
		s.has("▸" + s.m.cfg.Keys.KeyOf(tab.Action) + " " + string(tab.Name))
	}
}

func TestEveryViewHasAPlaceOfItsOwn(t *testing.T) {
	seen := map[any]string{}
	for _, v := range screens() {
		if other, ok := seen[v.Place()]; ok {
			t.Errorf("%s has the keys of %s", v.ID(), other)
		}
		seen[v.Place()] = v.ID()
	}
}

func TestQueuesShownInDetailAreWatched(t *testing.T) {
	snap := viewtest.PullCases(nil, nil)[0].Snap
	s := newScreen(t, snap, 120, 36)
	s.press("5")
	asked := func() []snapshot.MessageQueue {
		w, _ := s.source.commands[len(s.source.commands)-1].(engine.Watch)
		return w.Queues
	}
	if got := asked(); len(got) != 0 {
		t.Errorf("%v are watched while every broker is folded", got)
	}
	s.press("+")
	var want []snapshot.MessageQueue
	for _, q := range snap.Queues {
		if q.ID.BrokerName == "broker-b" {
			want = append(want, q.ID)
		}
	}
	if diff := cmp.Diff(want, asked()); diff != "" {
		t.Errorf("watched (-want +got):\n%s", diff)
	}
	n := len(s.source.commands)
	s.press("j", "k")
	if len(s.source.commands) != n {
		t.Error("the same queues were asked for again")
	}
	s.press("1")
	if got := asked(); len(got) != 0 {
		t.Errorf("%v are watched after the view was left", got)
	}
	s.press("5")
	if diff := cmp.Diff(want, asked()); diff != "" {
		t.Errorf("watched when the tab is shown again (-want +got):\n%s", diff)
	}
}

func TestCountdownsAreDrawnMoreOften(t *testing.T) {
	s := newScreen(t, viewtest.Orderly(), 120, 36)
	s.press("4")
	before := s.m.frame.count
	s.wait(time.Second)
	if n := s.m.frame.count - before; n != 4 {
		t.Errorf("%d frames in a second while a lease ends, want 4", n)
	}
	s.press("3")
	before = s.m.frame.count
	s.wait(time.Second)
	if n := s.m.frame.count - before; n != 1 {
		t.Errorf("%d frames in a second of the Map, want 1", n)
	}
	s.press("4")
	s.wait(5 * time.Second) // too long without news to count down
	before = s.m.frame.count
	s.wait(3 * time.Second)
	if n := s.m.frame.count - before; n != 3 {
		t.Errorf("%d frames in three seconds of an old picture, want 3", n)
	}
}

func TestWhatIfReachesNoBroker(t *testing.T) {
	s := newScreen(t, viewtest.Shared("order-created", 8), 120, 36)
	s.press("6", "+", "+", "-", " ", "v", "enter", "[", "]", "=", "u", "U")
	if got := s.source.done(); len(got) != 0 {
		t.Errorf("commands %v", got)
	}
	s.press("+")
	s.has("What if 5 members")
}
