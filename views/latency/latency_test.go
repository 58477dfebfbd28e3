package latency

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

const ms = time.Millisecond

func event(id keymap.ID) views.Event {
	return views.Event{Action: id, W: 120, H: 31, Now: viewtest.Now()}
}

func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, evs...)
	return at, slices.Concat(each...)
}

// caseOf is one of the golden situations.
func caseOf(t *testing.T, name string) *snapshot.Snapshot {
	t.Helper()
	for _, c := range viewtest.PullCases(nil, nil) {
		if c.Name == name {
			return c.Snap
		}
	}
	t.Fatalf("no case %s", name)
	return nil
}

func frame(t *testing.T, s *snapshot.Snapshot, st State) string {
	t.Helper()
	return viewtest.Shot{View: New(), Tab: "latency", State: st, Case: viewtest.Case{Snap: s}, W: 120, H: 36}.Text(t)
}

func at(h, m, s int) time.Time { return time.Date(2026, 3, 9, h, m, s, 0, time.UTC) }

// quick is a slot of fast answers.
func quick(n uint32) snapshot.Slot {
	return snapshot.Slot{Heat: [snapshot.HeatClasses]uint32{n}, P50: 2 * ms, P99: 3 * ms, Max: 4 * ms}
}

func slow(d time.Duration) snapshot.Slot {
	s := snapshot.Slot{P50: 2 * ms, P99: d, Max: d}
	s.Heat[snapshot.HeatClass(d)] = 30
	return s
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		name string
		slot snapshot.Slot
		want int
	}{
		{"nothing is blank, not the lowest heat", snapshot.Slot{}, -1},
		{"holds alone are blank", snapshot.Slot{Held: 9, HeldTime: 15 * time.Second}, -1},
		{"the 99th percentile decides", snapshot.Slot{Heat: [5]uint32{400, 0, 0, 0, 1}, P99: 30 * ms, Max: 3 * time.Second}, 2},
		{"with few answers the slowest does", snapshot.Slot{Heat: [5]uint32{3, 0, 0, 1}, Max: 200 * ms}, 3},
		{"without either the counts do", snapshot.Slot{Heat: [5]uint32{3, 1}}, 1},
		{"holds make nothing slow", snapshot.Slot{Heat: [5]uint32{3}, Max: ms, Held: 9, HeldTime: 15 * time.Second}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := classOf(&tt.slot); got != tt.want {
				t.Errorf("class %d, want %d", got, tt.want)
			}
		})
	}
}

// signs draws the cells of a series as text.
func signs(t *testing.T, a axis, se *snapshot.Series, mode Mode) string {
	t.Helper()
	g := viewtest.Theme(t, "mono", "unicode").Glyphs
	var b strings.Builder
	for _, c := range a.cells(se, mode, nil) {
		_, sign := c.sign(g)
		b.WriteString(string(sign))
	}
	return b.String()
}

func TestCellsOfTheHeatMap(t *testing.T) {
	se := snapshot.Series{Step: 10 * time.Second, Until: at(12, 1, 0), Slots: []snapshot.Slot{
		quick(9), {}, slow(40 * ms), slow(700 * ms), {Held: 2, HeldTime: 15 * time.Second}, {Timeouts: 1},
	}}
	m := &memo{edge: se.Until, step: se.Step}
	tests := []struct {
		name string
		cols int
		mode Mode
		want string
	}{
		{"one column a slot", 60, WithoutHolds, ". =@ ✗"},
		{"the worst of two wins", 30, WithoutHolds, ".@✗"},
		{"holds have a sign of their own", 60, WithHolds, ". =@z✗"},
		{"holds alone", 60, OnlyHolds, "    z "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := signs(t, m.axisOf(tt.cols), &se, tt.mode)
			if want := strings.Repeat(" ", tt.cols-len([]rune(tt.want))) + tt.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestThePastDoesNotChangeWhenTimeGoesOn(t *testing.T) {
	se := snapshot.Series{Step: 10 * time.Second, Until: at(12, 1, 0)}
	for i := range 60 {
		se.Slots = append(se.Slots, slow(time.Duration(1+i*7%31)*20*ms))
	}
	m := &memo{edge: se.Until, step: se.Step}
	before := signs(t, m.axisOf(30), &se, WithoutHolds)
	se.Until, se.Slots = se.Until.Add(10*time.Second), append(se.Slots[1:], quick(30))
	m.edge = se.Until
	after := signs(t, m.axisOf(30), &se, WithoutHolds)
	if before[1:] != after[:29] {
		t.Errorf("columns changed when one slot more came:\n%s\n%s", before, after)
	}
}

func TestSeriesThatEndEarlierKeepTheirTime(t *testing.T) {
	late := snapshot.Series{Step: 10 * time.Second, Until: at(12, 0, 30), Slots: []snapshot.Slot{quick(9), quick(9)}}
	m := &memo{edge: at(12, 1, 0), step: 10 * time.Second}
	if got := signs(t, m.axisOf(60), &late, WithoutHolds); !strings.HasSuffix(got, "..   ") {
		t.Errorf("a series that ended 30s ago ends with %q", got[50:])
	}
}

func TestSlowSpells(t *testing.T) {
	q, s := quick(30), slow(700*ms)
	tests := []struct {
		name     string
		slots    []snapshot.Slot
		from, to time.Time
		now, ok  bool
	}{
		{"never slow", []snapshot.Slot{q, q, q}, time.Time{}, time.Time{}, false, false},
		{"slow until now", []snapshot.Slot{q, s, s}, at(12, 0, 40), at(12, 1, 0), true, true},
		{"slow before", []snapshot.Slot{s, s, q, q}, at(12, 0, 20), at(12, 0, 40), false, true},
		{"one quick slot does not end it", []snapshot.Slot{s, q, s}, at(12, 0, 30), at(12, 1, 0), true, true},
		{"two do", []snapshot.Slot{s, q, q, s}, at(12, 0, 50), at(12, 1, 0), true, true},
		{"blanks do not end it", []snapshot.Slot{s, {}, {}, {}, s, {}}, at(12, 0, 0), at(12, 0, 50), true, true},
		{"failures are slow", []snapshot.Slot{q, {Timeouts: 1}}, at(12, 0, 50), at(12, 1, 0), true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			se := snapshot.Series{Step: 10 * time.Second, Until: at(12, 1, 0), Slots: tt.slots}
			got, ok := slowSpell(&se, slowFrom)
			if ok != tt.ok || !got.from.Equal(tt.from) || !got.to.Equal(tt.to) || got.now != tt.now {
				t.Errorf("%v from %v to %v, lasting %v", ok, got.from, got.to, got.now)
			}
		})
	}
}

func TestTheFirstLineAnswers(t *testing.T) {
	down := caseOf(t, "normal")
	down.Cluster.Brokers[1].Up, down.Cluster.Brokers[1].Err = false, "refused"
	calm := caseOf(t, "normal")
	delete(calm.BrokerPulls, "broker-b")
	calm.Cluster.Brokers = calm.Cluster.Brokers[:1]
	tests := []struct {
		name string
		snap *snapshot.Snapshot
		want string
	}{
		{"slow a while ago", caseOf(t, "normal"), "▲ broker-b was slow 11:57:30..12:00:20, up to 3s; it is not now · 5 got no answer"},
		{"all quick", calm, "✓ Pulling is quick: 19.8k answers in 10 min, 99% within 3.9ms"},
		{"not reached", down, "✗ broker-b is not reached"},
		{"nothing but holds", caseOf(t, "all-holds"), "✓ All 480 answers were long-poll holds: no new messages, not slowness"},
		{"too few", caseOf(t, "few-samples"), "? Only 14 answers in 10 min: too few to tell"},
		{"no pull", caseOf(t, "no-pull"), "? No pull finished in 10 min"},
		{"old", caseOf(t, "stale"), "~as of 41s ago"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if line := strings.Split(frame(t, tt.snap, State{}), "\n")[3]; !strings.Contains(line, tt.want) {
				t.Errorf("got %q, want %q", line, tt.want)
			}
		})
	}
}

func TestTheWorstBrokerIsFirst(t *testing.T) {
	v, s := New(), caseOf(t, "normal")
	m := v.list(s, State{}, viewtest.Now())
	if m.brokers[0].name != "broker-b" || m.brokers[0].mark != snapshot.MarkWarn || m.brokers[1].mark != snapshot.MarkOK {
		t.Errorf("%s %v before %s %v", m.brokers[0].name, m.brokers[0].mark, m.brokers[1].name, m.brokers[1].mark)
	}
}

func TestRowsKeepTheirPlaceForASecond(t *testing.T) {
	v, a := New(), caseOf(t, "normal")
	v.list(a, State{}, viewtest.Now())
	b := caseOf(t, "normal")
	se := b.BrokerPulls["broker-a"]
	se.Total.P99 = 9 * time.Second
	b.BrokerPulls["broker-a"] = se
	if got := v.list(b, State{}, viewtest.Now().Add(500*ms)).brokers[0].name; got != "broker-b" {
		t.Errorf("%s is first after half a second", got)
	}
	c := *b
	if got := v.list(&c, State{}, viewtest.Now().Add(2*time.Second)).brokers[0].name; got != "broker-a" {
		t.Errorf("%s is first after two seconds", got)
	}
}

func TestQuantilesNeedTwentySamples(t *testing.T) {
	text := frame(t, caseOf(t, "few-samples"), State{})
	row := strings.Split(text, "\n")[6]
	if !strings.Contains(row, "?      ?    3ms      7") {
		t.Errorf("the row of seven samples is %q", row)
	}
}

func TestBrokersOpenAndTheirQueuesAreAskedFor(t *testing.T) {
	v, s := New(), caseOf(t, "normal")
	st, got := press(v, v.Start(""), s, event(views.Refresh), event(keymap.More))
	if len(got) != 1 || len(got[0].(views.Watch).Queues) != 7 {
		t.Fatalf("intents %v, want to watch the seven queues of broker-b", got)
	}
	st, got = press(v, st, s, event(keymap.Down), event(keymap.Up), event(views.Refresh))
	if len(got) != 0 {
		t.Errorf("the same queues are asked for again: %v", got)
	}
	small := event(views.Refresh)
	small.H = 8
	if _, got := press(v, st, s, small); len(got) != 1 || len(got[0].(views.Watch).Queues) > 4 {
		t.Errorf("a small screen asks for %v", got)
	}
	st, got = press(v, st, s, event(keymap.Down), event(keymap.Less))
	if len(got) != 1 || len(got[0].(views.Watch).Queues) != 0 || st.Sel != (Target{Broker: "broker-b"}) {
		t.Errorf("folded: on %+v, intents %v", st.Sel, got)
	}
}

func TestEnterGoesWhereTheCursorIs(t *testing.T) {
	s := caseOf(t, "normal")
	q := snapshot.MessageQueue{Topic: "pay", BrokerName: "broker-b", QueueID: 0}
	enter, left := event(keymap.Open), event(keymap.Left)
	back := left
	back.N = 29
	tests := []struct {
		name string
		do   []views.Event
		want views.Intent
	}{
		{"a queue opens", []views.Event{event(keymap.More), event(keymap.Down), enter}, views.Open{View: "detail", Arg: views.EncodeQueue(q)}},
		{"a time shows the events of the broker then", []views.Event{left, back, enter}, views.Open{View: "events", Arg: "time:11:58:50..11:59:00 where:broker-b"}},
		{"a time shows the events of the queue then", []views.Event{event(keymap.More), event(keymap.Down), left, back, enter},
			views.Open{View: "events", Arg: `time:11:58:50..11:59:00 queue:"pay/broker-b/0"`}},
		{"o lists the queues of a broker", []views.Event{event(keymap.Related)}, views.Open{View: "queues", Arg: `broker:"broker-b"`}},
		{"esc drops the time first", []views.Event{left, event(keymap.Cancel), event(keymap.Cancel)}, views.GoBack{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := New()
			_, got := press(v, v.Start(""), s, tt.do...)
			if diff := cmp.Diff(tt.want, got[len(got)-1]); diff != "" {
				t.Error(diff)
			}
			if n := len(got); n > 2 {
				t.Errorf("%d intents: %v", n, got)
			}
		})
	}
}

func TestABrokerNameThatIsNoWordIsLeftOutOfTheFilter(t *testing.T) {
	a := axis{start: at(12, 0, 0), col: 10 * time.Second, n: 60}
	for _, name := range []string{"two words", `quo"te`, "tab\there", ""} {
		if got := eventsAt(Target{Broker: name}, a, 0).(views.Open).Arg; got != "time:12:00:00..12:00:10" {
			t.Errorf("%q gives %q", name, got)
		}
	}
}

func TestTheTimeCursorStaysOnItsTime(t *testing.T) {
	v, s := New(), caseOf(t, "normal")
	st, _ := press(v, v.Start(""), s, event(keymap.Left), event(keymap.Left))
	m := v.list(s, st, viewtest.Now())
	if i, ok := m.axisOf(60).at(st.At); !ok || i != 58 {
		t.Fatalf("in column %d", i)
	}
	m.edge = m.edge.Add(time.Minute)
	if i, ok := m.axisOf(60).at(st.At); !ok || i != 52 {
		t.Errorf("in column %d a minute later, want 52", i)
	}
	if i, ok := m.axisOf(30).at(st.At); !ok || i < 25 || i > 27 {
		t.Errorf("in column %d of 30", i)
	}
}

func TestStartOpensTheBrokerOfAQueue(t *testing.T) {
	q := snapshot.MessageQueue{Topic: "pay", BrokerName: "broker-b", QueueID: 2}
	v, s := New(), caseOf(t, "normal")
	st := v.Start(views.EncodeQueue(q)).(State)
	m := v.list(s, st, viewtest.Now())
	if got := m.target(m.rows[m.find(st)]); got.Queue != q {
		t.Errorf("the cursor is on %+v", got)
	}
}

func TestHistogramBars(t *testing.T) {
	for lines, n := range map[int]int{3: 5, 6: 6, 9: 9, 13: 13, 40: 13} {
		b := binsFor(lines)
		if len(b.names) != n || len(b.ends) != n-1 {
			t.Errorf("%d bars and %d ends for %d lines, want %d", len(b.names), len(b.ends), lines, n)
		}
		for i := range snapshot.BucketsCount {
			low, high := snapshot.BucketBounds(i)
			if at := b.at((low + high) / 2); at < 0 || at >= n {
				t.Errorf("bucket %d falls into bar %d of %d", i, at, n)
			}
		}
	}
}
