package overview

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func press(v *View, st any, s *snapshot.Snapshot, pane int, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, viewtest.In(pane, evs...)...)
	return at, each[len(each)-1]
}

func act(id keymap.ID) views.Event { return views.Event{Action: id} }

func draw(t *testing.T, s *snapshot.Snapshot, w, h int) string {
	t.Helper()
	return subject().Shot(viewtest.Case{Snap: s}, w, h, nil).Text(t)
}

func TestEnterOpensTheQueuesOfARow(t *testing.T) {
	s := viewtest.Normal()
	tests := []struct {
		name string
		pane int
		want string
	}{
		{"of the broker that needs a look", brokersPane, `broker:"broker-b"`},
		{"of this member", membersPane, `owner:"10.1.0.7@3312"`},
		{"of the worst topic", topicsPane, `topic:"order-created"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := New()
			_, in := press(v, v.Start(""), s, tt.pane, act(keymap.Open))
			if diff := cmp.Diff([]views.Intent{views.Open{View: "queues", Arg: tt.want}}, in); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPaneWithoutRowsOpensAllQueues(t *testing.T) {
	v := New()
	_, in := press(v, v.Start(""), viewtest.Empty(), topicsPane, act(keymap.Open))
	if diff := cmp.Diff([]views.Intent{views.Open{View: "queues"}}, in); diff != "" {
		t.Error(diff)
	}
}

func TestEachPaneHasACursorOfItsOwn(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, brokersPane, act(keymap.Down))
	st, _ = press(v, st, s, membersPane, act(keymap.Bottom))
	if diff := cmp.Diff([panes]string{"broker-a", "10.1.0.9@871", ""}, st.Sel); diff != "" {
		t.Error(diff)
	}
	st, in := press(v, st, s, membersPane, act(keymap.Copy))
	if in[0].(views.CopyText).Raw != "10.1.0.9@871" {
		t.Errorf("copied %v", in)
	}
	st, _ = press(v, st, s, membersPane, views.Event{Action: views.Point, Text: "10.1.0.10@55"})
	if st.Sel[membersPane] != "10.1.0.10@55" {
		t.Errorf("a click leads to %s", st.Sel[membersPane])
	}
}

func TestTheCursorStaysOnItsBroker(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, brokersPane, act(keymap.Down))
	s2 := viewtest.Partial() // broker-b is down now and stands first still
	s2.Cluster.Brokers[0].Up, s2.Cluster.Brokers[0].Err = false, "gone"
	s2.Cluster.Brokers[1].Up = true
	if got, _ := press(v, st, s2, brokersPane, act(views.Refresh)); got.Sel[brokersPane] != "broker-a" {
		t.Errorf("the cursor is on %s", got.Sel[brokersPane])
	}
}

func TestFactsAreStatedNotJudged(t *testing.T) {
	text := draw(t, viewtest.Normal(), 120, 36)
	for _, want := range []string{
		"13 queues  ✗ 1 bad  ▲ 1 warning  ! 1 watch  ✓ 10 ok", "waiting 1.21M  in 1,051/s  out 1,096/s  drain ~7h27m",
		"worst ✗ order-created/a/3: no listener returned for 4m18s", "threads 20/20", "all busy", "limits >1,000 msgs >100 MiB span >2,000",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestP43DoubtsShow: a lag that could not be asked for is never drawn as 0, a sum says how many are
// missing.
func TestP43DoubtsShow(t *testing.T) {
	text := draw(t, viewtest.Partial(), 120, 36)
	for _, want := range []string{"waiting ≥1.20M", "drain ?", "? 7 unknown", "✗ broker-b", "? pay"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

func TestBrokersSayWhatIsWrong(t *testing.T) {
	s := viewtest.Partial()
	if text := draw(t, s, 200, 60); !strings.Contains(text, "down, retry in 2.3s") {
		t.Error(text)
	}
	s.Cluster.Brokers[1].RetryAt = time.Time{}
	if text := draw(t, s, 200, 60); !strings.Contains(text, "dial 10.0.0.22") {
		t.Error(text)
	}
	s.Cluster.Brokers[1].Err = ""
	if text := draw(t, s, 200, 60); !strings.Contains(text, "? broker-b") || !strings.Contains(text, "not connected") {
		t.Error(text)
	}
}

func TestMoreRowsThanFitAreCounted(t *testing.T) {
	s := viewtest.Normal()
	for i := range 20 {
		s.Topics = append(s.Topics, snapshot.Topic{Name: "topic-" + string(rune('a'+i)), Worst: snapshot.MarkOK})
	}
	s.Topics[22].Worst = snapshot.MarkWarn
	text := draw(t, s, 80, 24)
	if !strings.Contains(text, "more ─") {
		t.Errorf("the rest is not counted:\n%s", text)
	}
	bad, warn := strings.Index(text, "✗ order-created "), strings.Index(text, "▲ topic-t")
	if bad < 0 || warn < bad {
		t.Errorf("the worst do not stand first:\n%s", text)
	}
}

func TestAGroupThatOwnsNothingSaysWhy(t *testing.T) {
	if text := draw(t, viewtest.Empty(), 80, 24); !strings.Contains(text, "No member of order-svc is online.") {
		t.Error(text)
	}
	s := viewtest.Normal()
	for i := range s.Queues {
		s.Queues[i].Mine = false
	}
	if text := draw(t, s, 80, 24); !strings.Contains(text, "This member owns none of 13 queues") {
		t.Error(text)
	}
	s.Queues, s.Group.RebalanceNote = nil, "no route for order-created"
	if text := draw(t, s, 80, 24); !strings.Contains(text, "No queue is assigned") || !strings.Contains(text, "no route for order-created") {
		t.Error(text)
	}
}

func TestZoomGivesAPaneTheBody(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	out := v.Render(views.In{Snap: s, State: v.Start(""), W: 80, H: 20, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode"), Focus: topicsPane, Zoomed: true})
	text := strings.Join(viewtest.Plain(out.Lines), "\n")
	if !strings.Contains(text, "Topics 3") || strings.Contains(text, "Brokers") {
		t.Error(text)
	}
}

func TestSpokenSaysTheSameAsTheScreen(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	out := v.Render(views.In{Snap: s, State: v.Start(""), W: 80, H: 20, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
	if want := "Overview. 13 queues, 1 bad, 1 warning, 1 watch, 10 ok. Waiting 1.21M."; out.Spoken.String() != want {
		t.Errorf("got %q, want %q", out.Spoken, want)
	}
}
