package tui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/queues"
	"mqscope/views/viewtest"
)

func TestTabsAreAsTheyWereLeft(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2", "j", "j", "x", "/", "p", "enter", "j")
	want := s.m.stack.top().state.(queues.State)
	s.press("0", "1", "2")
	got := s.m.stack.top().state.(queues.State)
	if diff := cmp.Diff([]any{want.Params, want.Sel}, []any{got.Params, got.Sel}); diff != "" {
		t.Errorf("the Queues tab changed while it was away:\n%s", diff)
	}
}

func TestAViewOpenedWithAFilterLeavesTheTabAlone(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("enter") // the first broker's queues
	s.has(`broker:"broker-b"`)
	s.press("1", "2")
	if f := s.m.stack.top().state.(queues.State).Filter; f != "" {
		t.Errorf("the tab has the filter %q of what was opened elsewhere", f)
	}
}

func TestSelectionFollowsTheQueue(t *testing.T) {
	snap := viewtest.Normal()
	s := newScreen(t, snap, 120, 36)
	s.press("2", "j")
	sel := s.m.stack.top().state.(queues.State).Sel
	s.send(snapshotMsg{changed(next(snap, 0), func(n *snapshotT) {
		n.Queues = append([]snapshot.Queue(nil), n.Queues...)
		for i := range n.Queues {
			n.Queues[i].Mark = snapshot.MarkBad
			if n.Queues[i].ID == sel.Queue {
				n.Queues[i].Mark = snapshot.MarkOK
			}
		}
	})})
	s.press("enter")
	if got := s.m.stack.top().queue; got != sel.Queue {
		t.Errorf("opened %v, want the queue that was selected: %v", got, sel.Queue)
	}
}

func TestOpenQueuesAreWatched(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2", "enter")
	q := s.m.stack.top().queue
	s.press("q")
	got := s.source.commands[len(s.source.commands)-2:]
	want := []engine.Command{engine.Watch{Queues: []snapshot.MessageQueue{q}}, engine.Watch{}}
	if diff := cmp.Diff(want, got); diff != "" || q.Topic == "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestThePathHasNoCirclesAndAnEnd(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	for i := range 100 {
		s.m.carryOut(views.Open{View: "detail", Arg: views.EncodeQueue(snapshot.MessageQueue{Topic: "t", BrokerName: "b", QueueID: int32(i)})})
	}
	if n := len(s.m.stack.path); n != maxPath {
		t.Errorf("%d views on top of each other, want at most %d", n, maxPath)
	}
	s.m.carryOut(views.Open{View: "detail", Arg: s.m.stack.path[3].arg})
	if n := len(s.m.stack.path); n != 4 {
		t.Errorf("%d views after going to one that is open, want 4", n)
	}
}

func TestAViewMayAskForQueuesOfItsOwn(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2")
	q := viewtest.Normal().Queues[3].ID
	s.m.carryOut(views.Watch{Queues: []snapshot.MessageQueue{q}})
	s.press("1")
	got := s.source.commands[len(s.source.commands)-2:]
	want := []engine.Command{engine.Watch{Queues: []snapshot.MessageQueue{q}}, engine.Watch{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestAViewThatDoesNotExistIsSaidSo(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.m.carryOut(views.Open{View: "nowhere\x1b[2J"})
	s.press("tab")
	s.has("There is no view named nowhere")
}

func TestPanesAndZoom(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.has("▸ Brokers")
	s.press("tab")
	s.has("▸ Members")
	s.press("shift+tab", "shift+tab")
	s.has("▸ Topics")
	s.press("z")
	s.hasNot("Members 4")
	s.press("esc")
	s.has("Members 4")
}

// TestLocksAreWatchedWhileTheirScreenIsOpen: other members are asked for theirs only then.
func TestLocksAreWatchedWhileTheirScreenIsOpen(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	for _, step := range []struct {
		key  string
		want bool
	}{{"4", true}, {"1", false}, {"4", true}, {"2", false}} {
		s.press(step.key)
		if got, ok := s.source.commands[len(s.source.commands)-1].(engine.Watch); !ok || got.Locks != step.want {
			t.Errorf("after %s: %+v, want locks watched: %v", step.key, s.source.commands[len(s.source.commands)-1], step.want)
		}
	}
}
