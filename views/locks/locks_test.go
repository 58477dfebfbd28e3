package locks

import (
	"reflect"
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

func typed(text string) views.Event {
	ev := event(views.SetFilter)
	ev.Text = text
	return ev
}

func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	at, each := viewtest.Press[State](v, st, s, evs...)
	return at, slices.Concat(each...)
}

// rows are the names of the queues on show, in order.
func rows(v *View, st State, s *snapshot.Snapshot) (out []string) {
	m := v.list(s, st.Params, viewtest.Now())
	for i := range m.rows {
		q, _ := m.queue(i)
		out = append(out, views.RawName(q.ID))
	}
	return out
}

func frame(t *testing.T, s *snapshot.Snapshot, st any, later time.Duration) (string, views.Out) {
	t.Helper()
	v := New()
	if st == nil {
		st = v.Start("")
	}
	shot := viewtest.Shot{View: v, Tab: "locks", State: st, Case: viewtest.Case{Snap: s}, W: 120, H: 36, Theme: viewtest.Theme(t, "mono", "unicode"), Later: later}
	lines, _, out := shot.Draw()
	return strings.Join(viewtest.Plain(lines), "\n"), out
}

func TestWhatExpiresFirstIsOnTopAndTheUnknownLast(t *testing.T) {
	s, v := viewtest.Orderly(), New()
	got := rows(v, v.Start("").(State), s)
	want := []string{"pay/broker-b/2", "order-created/broker-a/5", "order-created/broker-a/4"}
	if diff := cmp.Diff(want, got[:3]); diff != "" {
		t.Error(diff)
	}
	const unknown = "order-created/broker-b/6"
	if got[len(got)-1] != unknown {
		t.Errorf("last is %s, want the one that is not known", got[len(got)-1])
	}
	st, _ := press(v, v.Start(""), s, event(keymap.Reverse))
	if got := rows(v, st, s); got[len(got)-1] != unknown {
		t.Errorf("in the other direction the last is %s", got[len(got)-1])
	}
}

func TestFilters(t *testing.T) {
	s := viewtest.Orderly()
	tests := []struct {
		filter string
		n      int
		bad    string
	}{
		{"", 13, ""}, {"topic:pay", 4, ""}, {"broker:a", 6, ""}, {"broker:broker-b", 7, ""}, {"broker:b", 7, ""}, {"lock:late", 2, ""}, {"lock:refused", 2, ""},
		{"lock:expired", 2, ""}, {"lock:two", 1, ""}, {"lock:unknown", 1, ""}, {"lock:mine", 10, ""}, {"lock:unlocking", 2, ""}, {"!lock:mine", 3, ""},
		{"owner:10.1.0.9", 2, ""}, {"mark:bad", 2, ""}, {"mark:✗", 2, ""}, {"mark:ok", 8, ""}, {"pay b2", 1, ""}, {"lock:blue", 13, "none of mine"},
		{"mark:blue", 13, "none of ok"}, {"lag>1", 13, "is no term here"},
	}
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			v := New()
			st, _ := press(v, v.Start(""), s, typed(tt.filter))
			if got := rows(v, st, s); len(got) != tt.n {
				t.Errorf("%d locks pass, want %d: %v", len(got), tt.n, got)
			}
			_, bad := v.FilterNote(views.In{Snap: s, State: st, Now: viewtest.Now(), Theme: viewtest.Theme(t, "mono", "unicode")})
			if (tt.bad == "") != bad.Empty() || !strings.Contains(bad.String(), tt.bad) {
				t.Errorf("the fault is %q, want %q", bad, tt.bad)
			}
		})
	}
}

func TestTheFirstLineAnswers(t *testing.T) {
	change := func(f func(*snapshot.Lock)) *snapshot.Snapshot {
		for _, c := range viewtest.LockCases() {
			if c.Name == "calm" {
				f(&c.Snap.Queues[4].Lock)
				return c.Snap
			}
		}
		return nil
	}
	tests := []struct {
		name string
		snap *snapshot.Snapshot
		want string
	}{
		{"all are ours", change(func(*snapshot.Lock) {}), "✓ All 13 locks of ours are held"},
		{"one is refused", change(func(l *snapshot.Lock) { l.BrokerSays = snapshot.LockRefused }), "✗ 1 of 13 locks is refused"},
		{"one has expired", change(func(l *snapshot.Lock) { l.GrantedAt = l.GrantedAt.Add(-time.Minute) }), "✗ 1 of 13 locks has expired"},
		{"one is late", change(func(l *snapshot.Lock) { l.RenewAt = viewtest.Now().Add(-4 * time.Second) }), "! 1 of 13 renewals is late"},
		{"one can not be given up", change(func(l *snapshot.Lock) { l.TryUnlock = 1 }), "! 1 of 13 queues could not be given up"},
		{"one is not known", change(func(l *snapshot.Lock) { l.GrantedAt, l.BrokerSays = time.Time{}, snapshot.LockUnknown }), "? 1 of 13 locks is not known"},
		{"one has two owners", change(func(l *snapshot.Lock) { l.Believers = []string{"a", "b"} }), "✗ 1 of 13 queues has two believing owners"},
		{"a clock is wrong", change(func(l *snapshot.Lock) { l.GrantedAt = viewtest.Now().Add(2 * time.Second) }), "! 1 of 13 grants lies ahead: a clock is wrong"},
		{"other members have queues, too", viewtest.LockCases()[13].Snap, "✓ All 4 locks of ours are held · others 12"},
		{"none is used", viewtest.Normal(), "✓ Concurrent consumers do not use locks."},
		{"no queue", viewtest.Empty(), "? No queue is assigned to this member yet."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, _ := frame(t, tt.snap, nil, 0)
			if line := strings.Split(text, "\n")[3]; !strings.Contains(line, tt.want) {
				t.Errorf("got %q, want %q", line, tt.want)
			}
		})
	}
}

func TestNegativeAgesAreClockSkew(t *testing.T) {
	for _, c := range viewtest.LockCases() {
		if c.Name == "clock-skew" {
			if text, _ := frame(t, c.Snap, nil, 0); !strings.Contains(text, "clock skew -2s") {
				t.Error(text)
			}
		}
	}
}

func TestLeasesCountDownWithoutNewData(t *testing.T) {
	s := viewtest.Orderly()
	at := func(later time.Duration) string { text, _ := frame(t, s, nil, later); return text }
	for later, want := range map[time.Duration]string{0: "] 2.6s", time.Second: "] 1.6s", 2400 * time.Millisecond: "] 200ms", 3 * time.Second: "expired 0s ago"} {
		if text := at(later); !strings.Contains(text, want) {
			t.Errorf("after %v there is no %q:\n%s", later, want, text)
		}
	}
}

func TestAnOldPictureDoesNotCountDown(t *testing.T) {
	s := viewtest.Orderly()
	a, _ := frame(t, s, nil, 20*time.Second)
	b, out := frame(t, s, nil, 25*time.Second)
	cut := func(s string) string { return strings.Join(strings.Split(s, "\n")[4:], "\n") }
	if diff := cmp.Diff(cut(a), cut(b)); diff != "" {
		t.Errorf("what is not known goes on:\n%s", diff)
	}
	if !strings.Contains(b, "as of 25s ago") || !strings.Contains(b, "~[") || out.Tick != 0 {
		t.Errorf("it does not say how old it is, or wants more frames (%v):\n%s", out.Tick, b)
	}
}

func TestFramesComeFasterWhileALeaseEnds(t *testing.T) {
	if _, out := frame(t, viewtest.Orderly(), nil, 0); out.Tick != countdown {
		t.Errorf("frames every %v while a lease ends, want %v", out.Tick, countdown)
	}
	for _, c := range viewtest.LockCases() {
		if c.Name == "calm" {
			if _, out := frame(t, c.Snap, nil, 0); out.Tick != 0 {
				t.Errorf("frames every %v while none ends", out.Tick)
			}
		}
	}
}

func TestActions(t *testing.T) {
	s := viewtest.Orderly()
	first := snapshot.MessageQueue{Topic: "pay", BrokerName: "broker-b", QueueID: 2}
	tests := []struct {
		name string
		id   keymap.ID
		want views.Intent
	}{
		{"enter opens the queue", keymap.Open, views.Open{View: "detail", Arg: views.EncodeQueue(first)}},
		{"o offers what is related", keymap.Related, views.NewCleaner().Related(first, s, "locks")},
		{"esc leaves", keymap.Cancel, views.GoBack{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := New()
			_, got := press(v, v.Start(""), s, event(tt.id))
			if !reflect.DeepEqual([]views.Intent{tt.want}, got) {
				t.Errorf("intents %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestTheCursorStaysOnItsLock(t *testing.T) {
	s, v := viewtest.Orderly(), New()
	st, _ := press(v, v.Start(""), s, event(keymap.Down), event(keymap.Down))
	want := snapshot.MessageQueue{Topic: "order-created", BrokerName: "broker-a", QueueID: 4}
	if st.Sel != want {
		t.Fatalf("on %v", st.Sel)
	}
	renewed := viewtest.Orderly()
	for i := range renewed.Queues {
		if renewed.Queues[i].ID == want {
			renewed.Queues[i].Lock.GrantedAt = viewtest.Now()
		}
	}
	later := event(views.Refresh)
	later.Now = later.Now.Add(2 * time.Second)
	st, told := press(v, st, renewed, later)
	if st.Sel != want || st.Pos == 2 || len(told) != 0 {
		t.Errorf("on %v in row %d, toasts %v", st.Sel, st.Pos, told)
	}
	gone := *renewed
	gone.Queues = gone.Queues[:3]
	st, told = press(v, st, &gone, later)
	if st.Sel == want || len(told) != 1 {
		t.Errorf("on %v with toasts %v after the queue went away", st.Sel, told)
	}
}

func TestNextFindsWhatNeedsALook(t *testing.T) {
	s, v := viewtest.Orderly(), New()
	st := v.Start("")
	var got []string
	for range 5 {
		var next State
		next, _ = press(v, st, s, event(keymap.Next))
		got = append(got, views.RawName(next.Sel))
		st = next
	}
	want := []string{"order-created/broker-a/5", "order-created/broker-a/4", "pay/broker-b/1", "order-created/broker-b/6", "pay/broker-b/2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSortFilterAndUndo(t *testing.T) {
	s, v := viewtest.Orderly(), New()
	picked := event(views.Picked)
	picked.Text = "unlock"
	st, _ := press(v, v.Start(""), s, picked)
	if got := rows(v, st, s); got[0] != "pay/broker-b/1" || !st.Desc {
		t.Errorf("most attempts to unlock are not first: %v", got)
	}
	st, _ = press(v, st, s, event(keymap.Filter), typed("p"), typed("pay"))
	st, _ = press(v, st, s, event(keymap.Undo))
	if st.Filter != "" || st.Sort != "unlock" {
		t.Errorf("after undo %+v", st.Params)
	}
	st, _ = press(v, st, s, event(keymap.Undo), event(keymap.Redo), event(keymap.Redo))
	if st.Filter != "pay" || st.Sort != "unlock" {
		t.Errorf("after redo %+v", st.Params)
	}
	picked.Text = "nonsense"
	if after, _ := press(v, st, s, picked); after.Params != st.Params {
		t.Errorf("a column that does not exist sorts: %+v", after.Params)
	}
}
