package rebalance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func event(id keymap.ID) views.Event {
	return views.Event{Action: id, W: 120, H: 31, Now: viewtest.Now()}
}

func picked(id string) views.Event {
	ev := event(views.Picked)
	ev.Text = id
	return ev
}

func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	var all []views.Intent
	for _, ev := range evs {
		var intents []views.Intent
		st, intents = v.Reduce(st, ev, s)
		all = append(all, intents...)
	}
	return st.(State), all
}

func frame(t *testing.T, s *snapshot.Snapshot, st State) string {
	t.Helper()
	shot := viewtest.Shot{View: New(), Tab: "rebalance", State: st, Case: viewtest.Case{Snap: s}, W: 120, H: 36, Theme: viewtest.Theme(t, "mono", "unicode")}
	lines, _, _ := shot.Draw()
	return strings.Join(viewtest.Plain(lines), "\n")
}

func TestRequests(t *testing.T) {
	members := []string{"10.1.0.10@55", "10.1.0.11@9", "10.1.0.7@3312", "10.1.0.9@871"}
	tests := []struct {
		name     string
		do       []views.Event
		strategy string
		want     []string
	}{
		{"one more", []views.Event{event(keymap.PlanMore)}, "AVG", append(slices.Clone(members), "new-01")},
		{"two more", []views.Event{event(keymap.PlanMore), event(keymap.PlanMore)}, "AVG", append(slices.Clone(members), "new-01", "new-02")},
		{"one fewer", []views.Event{event(keymap.PlanFewer)}, "AVG", members[:3]},
		{"one more and one fewer is as now", []views.Event{event(keymap.PlanMore), event(keymap.PlanFewer)}, "AVG", members},
		{"this one out", []views.Event{event(keymap.PlanWithout)}, "AVG", []string{members[0], members[1], members[3]}},
		{"out and back in", []views.Event{event(keymap.PlanWithout), event(keymap.PlanWithout)}, "AVG", members},
		{"this one out and a new one in", []views.Event{event(keymap.PlanWithout), event(keymap.PlanMore)}, "AVG", []string{members[0], members[1], members[3], "new-01"}},
		{"a new one out again", []views.Event{event(keymap.PlanMore), event(keymap.Bottom), event(keymap.PlanWithout)}, "AVG", members},
		{"another strategy", []views.Event{picked("s:AVG_BY_CIRCLE")}, "AVG_BY_CIRCLE", members},
		{"an unknown strategy is not taken", []views.Event{picked("s:MAGIC")}, "AVG", members},
		{"as now", []views.Event{event(keymap.PlanMore), picked("s:AVG_BY_CIRCLE"), event(keymap.PlanNow)}, "AVG", members},
		{"undo takes the last step back", []views.Event{event(keymap.PlanMore), event(keymap.PlanMore), event(keymap.Undo)}, "AVG", append(slices.Clone(members), "new-01")},
		{"esc goes back to now", []views.Event{event(keymap.PlanMore), event(keymap.Cancel)}, "AVG", members},
		{"one member stays", slices.Repeat([]views.Event{event(keymap.PlanFewer)}, 9), "AVG", members[:1]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, s := New(), viewtest.Shared("order-created", 8)
			st, _ := press(v, v.Start(""), s, tt.do...)
			f := v.facts(s, st.Topic)
			got := st.request(s, f.current(), f.members)
			if diff := cmp.Diff(snapshot.PlanRequest{Topic: "order-created", Strategy: tt.strategy, Members: tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheNumberOfNewMembersIsBounded(t *testing.T) {
	v, s := New(), viewtest.Shared("order-created", 8)
	st, _ := press(v, v.Start(""), s, slices.Repeat([]views.Event{event(keymap.PlanMore)}, 200)...)
	f := v.facts(s, "")
	req := st.request(s, f.current(), f.members)
	if n := len(req.Members); n != 4+mostNew || len(slices.Compact(slices.Clone(req.Members))) != n {
		t.Errorf("%d members, %d of them different", n, len(slices.Compact(slices.Clone(req.Members))))
	}
}

// counting counts what a planner is asked.
func counting(s *snapshot.Snapshot) *[]snapshot.PlanRequest {
	var asked []snapshot.PlanRequest
	ask := s.WhatIf
	s.WhatIf = func(r snapshot.PlanRequest) snapshot.Plan {
		asked = append(asked, r)
		return ask(r)
	}
	return &asked
}

func TestAQuestionIsAskedOnce(t *testing.T) {
	s := viewtest.Shared("order-created", 8)
	asked := counting(s)
	v := New()
	render := func(st State, s *snapshot.Snapshot, later time.Duration) {
		v.Render(views.In{Snap: s, State: st, W: 120, H: 31, Now: viewtest.Now().Add(later), Theme: viewtest.Theme(t, "mono", "unicode")})
	}
	count := func(want int, why string) {
		t.Helper()
		if len(*asked) != want {
			t.Errorf("%d questions, want %d: %s", len(*asked), want, why)
		}
	}
	render(State{}, s, 0)
	count(0, "there is none")
	st := State{Params: Params{Delta: 1}}
	for range 10 {
		render(st, s, 0)
	}
	count(1, "the same one")
	next := *s
	next.Seq++
	render(st, &next, time.Second)
	count(1, "a new snapshot with the same owners")
	render(st, &next, 6*time.Second)
	count(2, "an answer gets old")
	moved := *s
	moved.Queues = slices.Clone(s.Queues)
	moved.Queues[0].Owner.V = "10.1.0.9@871"
	render(st, &moved, 6*time.Second)
	count(3, "other owners")
	render(State{Params: Params{Delta: 2}}, &moved, 6*time.Second)
	count(4, "another question")
	render(State{Params: Params{Delta: 2}, Pass: s.Rebalances[1].At}, &moved, 6*time.Second)
	count(4, "a rebalance that was seen is on show")
}

func TestOnlyTheTopicOnScreenIsAsked(t *testing.T) {
	s := viewtest.Planning(viewtest.Normal())
	asked := counting(s)
	v := New()
	st, _ := press(v, v.Start("pay"), s, event(keymap.PlanMore), event(keymap.Down))
	v.Render(views.In{Snap: s, State: st, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
	for _, r := range *asked {
		if r.Topic != "pay" {
			t.Errorf("asked for %q", r.Topic)
		}
	}
	if len(*asked) == 0 {
		t.Error("nothing was asked")
	}
}

func TestTopicsAreWalkedAndPicked(t *testing.T) {
	v, s := New(), viewtest.Planning(viewtest.Normal())
	var got []string
	st := v.Start("").(State)
	for _, id := range []keymap.ID{"", keymap.Right, keymap.Right, keymap.Right, keymap.Left} {
		st, _ = press(v, st, s, event(id))
		got = append(got, v.facts(s, st.Topic).current())
	}
	want := []string{"order-created", "pay", "%RETRY%order-svc", "%RETRY%order-svc", "pay"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, intents := press(v, st, s, event(keymap.PlanTopic))
	if p, ok := intents[0].(views.Pick); !ok || len(p.Options) != 3 || p.Now != "t:pay" {
		t.Errorf("%+v", intents)
	}
	st, _ = press(v, st, s, picked("t:order-created"), picked("t:nothing"))
	if st.Topic != "order-created" {
		t.Errorf("topic %q", st.Topic)
	}
}

func TestRebalancesAreWalked(t *testing.T) {
	v, s := New(), viewtest.Shared("order-created", 8)
	var got []time.Time
	told := 0
	st := v.Start("").(State)
	for _, id := range []keymap.ID{keymap.PassBefore, keymap.PassBefore, keymap.PassBefore, keymap.PassBefore, keymap.PassAfter, keymap.PassAfter, keymap.PassAfter, keymap.PassAfter} {
		var intents []views.Intent
		st, intents = press(v, st, s, event(id))
		got = append(got, st.Pass)
		told += len(intents)
	}
	r := s.Rebalances
	want := []time.Time{r[2].At, r[1].At, r[0].At, r[0].At, r[1].At, r[2].At, {}, {}}
	if diff := cmp.Diff(want, got); diff != "" || told != 2 {
		t.Errorf("%d toasts, %s", told, diff)
	}
}

func TestThePictureOfARebalance(t *testing.T) {
	s := viewtest.Shared("order-created", 8)
	text := frame(t, s, State{Pass: s.Rebalances[1].At})
	for _, want := range []string{
		"11:51:41, 12m00s ago: member 10.1.0.9@871 left · 9 queues moved · AVG, 3 members · 2 of 3 seen",
		"10.1.0.10@55      ■■■■.... ........    4  │ ■■■■++.. ........    6    +2",
		" - 10.1.0.9@871 out  ........ ....■■■■    4  │ ........ ....----    0    -4  b4-7",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTheFirstLineAnswers(t *testing.T) {
	tests := []struct{ name, want string }{
		{"normal", "✓ Each of 16 queues has one owner; 4 members have 4"},
		{"two-owners", "✗ 1 of 16 queues has two owners: b0"},
		{"no-owner", "? 1 of 16 queues has no known owner: a5 (the strategy left it to nobody)"},
		{"partial", "? 12 of 16 queues have no known owner: a0-7 (8) b4-7 (4) (broker-b does not answer)"},
		{"fewer-queues-than-members", "! 2 of 4 members are idle: 2 queues for 4 members"},
		{"stale", "~ Each of 16 queues has one owner; 4 members have 4 · ~as of 41s ago"},
		{"empty", "? No queue of order-created is known."},
		{"what-if-not-here", "✓ Each of 16 queues has one owner"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range cases() {
				if c.Name != tt.name {
					continue
				}
				if line := strings.Split(frame(t, c.Snap, State{}), "\n")[3]; c.Snap.Source.Err == "" && !strings.Contains(line, tt.want) {
					t.Errorf("got %q, want %q", line, tt.want)
				}
			}
		})
	}
	nothing := viewtest.Empty()
	nothing.Group.Subscriptions = nil
	if text := frame(t, nothing, State{}); !strings.Contains(text, "? No topic subscribed.") {
		t.Errorf("without a topic:\n%s", text)
	}
}

func TestBothOwnersOfAQueueAreShown(t *testing.T) {
	for _, c := range cases() {
		if c.Name != "two-owners" {
			continue
		}
		text := frame(t, c.Snap, State{})
		for _, want := range []string{"10.1.0.7@3312 me  ........ ✗■■■", "10.1.0.9@871      ........ ✗...■■■■"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

func TestIdleMembersAreMarked(t *testing.T) {
	s := viewtest.Shared("order-created", 1)
	if text := frame(t, s, State{}); !strings.Contains(text, "! 10.1.0.9@871 idle") {
		t.Errorf("now:\n%s", text)
	}
	if text := frame(t, s, State{Params: Params{Strategy: "AVG_BY_CIRCLE", Delta: 1}}); !strings.Contains(text, "idle 3") {
		t.Errorf("what if:\n%s", text)
	}
}

func TestRuns(t *testing.T) {
	s := viewtest.Shared("order-created", 100)
	v := New()
	d := v.begin(views.In{Snap: s, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")}, State{})
	tests := []struct {
		name string
		list []int32
		w    int
		want string
	}{
		{"none", nil, 40, "-"},
		{"one", []int32{7}, 40, "a7"},
		{"a run", []int32{0, 1, 2, 3}, 40, "a0-3"},
		{"runs and single ones", []int32{0, 2, 3, 9}, 40, "a0 a2-3 a9"},
		{"two brokers are counted", []int32{97, 98, 99, 100, 101, 103}, 40, "a97-99 (3) b0-1 b3 (3)"},
		{"a run does not go on at the next broker", []int32{99, 100}, 40, "a99 b0"},
		{"what is too long is cut", []int32{0, 2, 4, 6, 8, 10}, 10, "a0 a2 a4 …"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.runs(tt.list, d.t.ids, d.t.blocks, tt.w).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestManyQueuesAreRunsAndFewAreCells(t *testing.T) {
	for perBroker, want := range map[int]bool{8: true, 32: true, 33: false, 512: false} {
		s := viewtest.Shared("order-created", perBroker)
		v := New()
		d := v.begin(views.In{Snap: s, W: 200, H: 55, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")}, State{})
		if d.lay.matrix != want {
			t.Errorf("%d queues as cells: %v, want %v", 2*perBroker, d.lay.matrix, want)
		}
	}
}

func TestWithoutAPlannerTheKeysAreOffAndSaySo(t *testing.T) {
	s := viewtest.Shared("order-created", 8)
	s.WhatIf = nil
	v := New()
	st, intents := press(v, v.Start(""), s, event(keymap.PlanMore), event(keymap.PlanStrategy), event(keymap.PlanWithout))
	if st.asks(s) || len(intents) != 0 {
		t.Errorf("%+v, intents %v", st.Params, intents)
	}
	out := v.Render(views.In{Snap: s, State: st, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
	off := map[keymap.ID]bool{}
	for _, o := range out.Off {
		off[o.ID] = true
	}
	for _, id := range []keymap.ID{keymap.PlanStrategy, keymap.PlanMore, keymap.PlanFewer, keymap.PlanWithout, keymap.PlanNow} {
		if !off[id] {
			t.Errorf("%s is not off", id)
		}
	}
}

func TestOpening(t *testing.T) {
	v, s := New(), viewtest.Shared("order-created", 8)
	_, got := press(v, v.Start(""), s, event(keymap.Open))
	if diff := cmp.Diff([]views.Intent{views.Open{View: "queues", Arg: `topic:"order-created" owner:"10.1.0.7@3312"`}}, got); diff != "" {
		t.Error(diff)
	}
	_, got = press(v, v.Start(""), s, event(keymap.PlanMore), event(keymap.Bottom), event(keymap.Open))
	if _, ok := got[0].(views.Toast); !ok {
		t.Errorf("a made-up member opens %v", got)
	}
}

func TestWhatAMemberHoldsIsNotSummedSilently(t *testing.T) {
	s := viewtest.Shared("order-created", 8)
	for i := range s.Queues {
		if s.Queues[i].Mine {
			s.Queues[i].Count = snapshot.UnknownBecause[int]("no answer")
			break
		}
	}
	if text := frame(t, s, State{}); !strings.Contains(text, "≥519") {
		t.Errorf("a part is missing and the sum does not say so:\n%s", text)
	}
}

func TestWhatIfIsOffWhereNothingIsSharedOut(t *testing.T) {
	for want, change := range map[views.Lit]func(*snapshot.Snapshot){
		"each member reads all queues, nothing is shared out":        func(s *snapshot.Snapshot) { s.Group.Model = 1 },
		"members pop what the broker chooses, nothing is shared out": func(s *snapshot.Snapshot) { s.Group.Kind = snapshot.PopKind },
		"this source can not be asked what if":                       func(s *snapshot.Snapshot) { s.WhatIf = nil },
	} {
		s := viewtest.Shared("order-created", 8)
		change(s)
		v := New()
		st, intents := press(v, v.Start(""), s, event(keymap.PlanMore), event(keymap.PlanStrategy))
		out := v.Render(views.In{Snap: s, State: st, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
		if st.asks(s) || len(intents) != 0 || !slices.Contains(out.Off, views.Off{ID: keymap.PlanMore, Why: want}) {
			t.Errorf("%s: %+v, off is %v", want, st.Params, out.Off)
		}
	}
}

func TestAStrategyThatNobodyNamedIsTheOneThatFits(t *testing.T) {
	s := viewtest.Shared("order-created", 8)
	s.Group.Strategy = ""
	ask := s.WhatIf
	s.WhatIf = func(r snapshot.PlanRequest) snapshot.Plan {
		if r.Strategy != "" {
			t.Errorf("asked for %q", r.Strategy)
		}
		r.Strategy = "AVG"
		return ask(r)
	}
	v := New()
	st, _ := press(v, v.Start(""), s, event(keymap.PlanMore))
	out := v.Render(views.In{Snap: s, State: st, W: 120, H: 31, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
	if text := strings.Join(viewtest.Plain(out.Lines), "\n"); !strings.Contains(text, "What if AVG as it seems, 5 members: moves") {
		t.Error(text)
	}
}
