package step_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/step"
	"mqscope/engine/step/steptest"
)

func TestPlaces(t *testing.T) {
	illegal := decision.Decision{Line: decision.PullAnswer, Queue: steptest.Queue(1), Text: "OFFSET_ILLEGAL"}
	illegal.N[0] = 1300
	added := decision.Decision{Line: decision.RebalanceAdded, Queue: steptest.Queue(3), N: [6]int64{1201, 1}}
	early := decision.Decision{Line: decision.PullTaken, At: steptest.Start.Add(time.Second)}
	for _, tt := range []struct {
		text string
		d    decision.Decision
		want bool
	}{
		{"flow.span", spanOf(1), true},
		{"flow.span", added, false},
		{"flow.span if span > 1500", spanOf(1501), true},
		{"flow.span if span > 1500", spanOf(1500), false},
		{"queue orders/a/3", spanOf(1), true},
		{"queue a/3", spanOf(1), true},
		{"queue 3", spanOf(1), true},
		{"queue 3 if span > 1", spanOf(1), false},
		{"queue other/a/3", spanOf(1), false},
		{"queue b/3", spanOf(1), false},
		{"queue 0", early, false}, // about no queue
		{"cause flow:span", spanOf(1), true},
		{"cause pull_interval", spanOf(1), false},
		{"status OFFSET_ILLEGAL", illegal, true},
		{"status FOUND", illegal, false},
		{"offset > 1200", added, true},
		{"offset > 1201", added, false},
		{"offset >= 1201", added, true},
		{"offset < 1202", added, true},
		{"offset <= 1200", added, false},
		{"offset == 1201", added, true},
		{"offset != 1201", added, false},
		{"offset > 1", spanOf(1500), false}, // a span is no offset
		{"owner a/3", added, true},
		{"owner a/2", added, false},
		{"owner a/3", spanOf(1), false},
		{"time t+2s", spanOf(1), true},
		{"time t+1s", spanOf(1), false}, // the one before was at that time already
		{"time t+2001ms", spanOf(1), false},
		{"any if span == 1", spanOf(1), true},
		{"span == 1", spanOf(1), true},
		{"queue == 3", spanOf(1), true},
	} {
		p := place(t, tt.text)
		m := moment(tt.d)
		m.Before = &early
		if got := p.Reached(m); got != tt.want {
			t.Errorf("%s is %v for %s %s", tt.text, got, tt.d.Line.ID, decision.Words(&tt.d))
		}
		if again := place(t, p.String()); again.String() != p.String() {
			t.Errorf("%s is written as %s and %s", tt.text, p, again)
		}
	}
}

func TestErrorsOfBreakpointsSayWhereAndWhatToWrite(t *testing.T) {
	for _, tt := range []struct {
		text   string
		column int
		want   string
	}{
		{"", 1, "there is no place"},
		{"flow.spam", 1, "did you mean flow.span?"},
		{"qqqqqqqqqqq", 1, "write one as flow.span"},
		{"if span > 1", 1, "write any if"},
		{"flow.span if", 14, "condition is missing"},
		{"flow.span iff span", 11, "too much"},
		{"flow.span if spam > 1", 14, "did you mean span?"},
		{"any", 5, "any needs a condition"},
		{"any thing", 5, "too much"},
		{"queue", 7, "queue topic/broker/3"},
		{"queue a/b/c/3", 7, "write topic/broker/3"},
		{"queue a/x", 7, "write topic/broker/3"},
		{"queue /3", 7, "no broker"},
		{"queue a/3 b", 11, "too much"},
		{"offset ~ 3", 8, "does not compare"},
		{"offset > x", 10, "no offset"},
		{"offset 3", 10, "offset > 1200"},
		{"time 5s", 6, "t+12s"},
		{"time t+x", 6, "t+12s"},
		{"flow.span after x", 17, "after 2"},
		{"flow.span after", 17, "number of hits"},
		{"spann > 3", 1, "did you mean span?"},
	} {
		_, err := step.ParseBreakpoint(tt.text)
		var at *step.TextError
		if !errors.As(err, &at) || at.Column != tt.column || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want column %d and %q", tt.text, err, tt.column, tt.want)
		}
	}
}

func FuzzBreakpoint(f *testing.F) {
	for _, s := range []string{"flow.span if span > 1500 && queue == 3 after 2", "queue topic/broker/3", "cause flow:span", "status OFFSET_ILLEGAL", "offset > 1200", "time t+12s", "owner a/3", "any if yes", "if", " queue !=0", "after 1", "queue == 3 after 2", "cause no_subscription"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := step.ParseBreakpoint(text)
		if err != nil {
			var at *step.TextError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		again, err := step.ParseBreakpoint(b.String())
		if err != nil || again.String() != b.String() {
			t.Fatalf("%q is written as %q: %v", text, b, err)
		}
	})
}

func breakpoint(t testing.TB, text string) *step.Breakpoint {
	t.Helper()
	b, err := step.ParseBreakpoint(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBreakpointsStopRunsAndCountHits(t *testing.T) {
	s := open(t, steptest.Options{Seed: 5})
	s.Break(breakpoint(t, "flow.span if span > 1000 after 2"))
	s.Break(breakpoint(t, "status OFFSET_ILLEGAL"))
	var stops []uint64
	for range 3 {
		stop := must(t)(s.Run())
		if last, _ := s.Last(nil); last.Decision.N[0] <= 1000 || !last.Break || stop.Why != "break flow.span if span > 1000 after 2" {
			t.Fatalf("stopped with %+v at %+v", stop, last)
		}
		stops = append(stops, stop.Step)
	}
	shown := func() uint64 { return s.Snapshot().Sched.Breakpoints[0].Hits }
	if shown() != 5 {
		t.Fatalf("%d hits after 3 stops with 2 let pass", shown())
	}
	// Back and forth: the hits are those up to where the world stands, and stop as they did.
	if err := s.Goto(stops[0]); err != nil || shown() != 3 {
		t.Fatalf("%d hits at the first stop, %v", shown(), err)
	}
	if err := s.Goto(0); err != nil || shown() != 0 {
		t.Fatalf("%d hits at the beginning, %v", shown(), err)
	}
	for _, want := range stops {
		if stop := must(t)(s.Run()); stop.Step != want {
			t.Fatalf("stopped at %d, want %d", stop.Step, want)
		}
	}
	// Switched off it stops nothing and counts nothing.
	if err := s.Toggle(0, "flow.span"); err != nil {
		t.Fatal(err)
	}
	if stop := must(t)(s.Until(place(t, "any if now > s(1)"), 0)); !stop.Met || shown() != 5 {
		t.Fatalf("%+v, %d hits", stop, shown())
	}
	if err := s.Delete(0, "queue 3"); err == nil {
		t.Error("another breakpoint than meant was deleted")
	}
	if err := s.Delete(0, "flow.span"); err != nil || len(s.Breakpoints()) != 1 {
		t.Errorf("%v, left are %v", err, s.Breakpoints())
	}
}

func TestAChangeForgetsTheHitsBehindIt(t *testing.T) {
	s := open(t, steptest.Options{Seed: 5})
	s.Break(breakpoint(t, "pull.taken"))
	for range 60 {
		must(t)(s.Run())
	}
	if err := s.Goto(20); err != nil {
		t.Fatal(err)
	}
	hits := s.Snapshot().Sched.Breakpoints[0].Hits
	if err := s.Change(step.AdvanceClock{By: time.Second}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		must(t)(s.Run())
	}
	if got := s.Snapshot().Sched.Breakpoints[0].Hits; hits > 4 || got != hits+40 {
		t.Fatalf("%d hits, %d after forty more", hits, got)
	}
}

func TestThePictureHasTheSteppingPart(t *testing.T) {
	s := open(t, steptest.Options{Seed: 5})
	s.Break(breakpoint(t, "queue 2"))
	s.Break(breakpoint(t, "queue gone/a/3"))
	stop := must(t)(s.Run())
	shown := s.Snapshot().Sched
	if !shown.Known || !shown.Stepping || shown.Running || !shown.Virtual() || !shown.Start.Equal(steptest.Start) {
		t.Errorf("shown are %+v", shown)
	}
	if shown.Steps != s.Steps() || shown.Newest != s.Newest() || shown.Hit.Step != stop.Step || shown.Hit.Why != "break queue 2" {
		t.Errorf("stopped at %d with %+v: shown are %d of %d, %+v", s.Steps(), stop, shown.Steps, shown.Newest, shown.Hit)
	}
	if bs := shown.Breakpoints; len(bs) != 2 || bs[0].Words != "queue 2" || bs[0].Note != "" || bs[1].Note != "no topic has this queue now" {
		t.Errorf("breakpoints %+v", bs)
	}
	for _, task := range shown.Tasks {
		if task.Break != (task.Queue == steptest.Queue(2)) || task.Current != (task.ID == shown.Current.Task) {
			t.Errorf("task %+v, the current one is %d", task, shown.Current.Task)
		}
	}
	if err := s.Do(step.MemberJoins{Name: "m2"}); err != nil {
		t.Fatal(err)
	}
	s.Break(breakpoint(t, "queue 3"))
	shown = s.Snapshot().Sched
	if note := shown.Breakpoints[2].Note; note != "this queue is not ours now" {
		t.Errorf("note %q for a queue that went to another member", note)
	}
	marks := shown.Marks
	if i := slices.IndexFunc(marks, func(m snapshotMark) bool { return m.What == "join m2" && m.Change && m.Step == s.Steps() }); i < 0 {
		t.Errorf("marks %v lack the change", marks)
	}
	if i := slices.IndexFunc(marks, func(m snapshotMark) bool { return m.What == "break queue 2" && !m.Change && m.Step == stop.Step }); i < 0 {
		t.Errorf("marks %v lack the hit", marks)
	}
}

func TestMarksAreNotedOnce(t *testing.T) {
	s := open(t, steptest.Options{Seed: 5})
	for range 3 {
		must(t)(s.Until(place(t, "any if now > s(5)"), 0))
		if err := s.Goto(0); err != nil {
			t.Fatal(err)
		}
	}
	marks := s.Snapshot().Sched.Marks
	if len(marks) < 5 || !slices.IsSortedFunc(marks, func(a, b snapshotMark) int { return int(a.Step) - int(b.Step) }) {
		t.Fatalf("marks %v", marks)
	}
	for i, m := range marks {
		if m.What != "rebalance" || i > 0 && m == marks[i-1] {
			t.Fatalf("mark %v after %v", m, marks[max(0, i-1)])
		}
	}
}
