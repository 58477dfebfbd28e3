package events

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func press(v *View, st any, s *snapshot.Snapshot, evs ...views.Event) (State, []views.Intent) {
	var in []views.Intent
	for _, ev := range evs {
		ev.W, ev.H, ev.Now = 80, 20, viewtest.Now()
		st, in = v.Reduce(st, ev, s)
	}
	return st.(State), in
}

func act(id keymap.ID) views.Event { return views.Event{Action: id} }

func typed(text string) views.Event { return views.Event{Action: views.SetFilter, Text: text} }

func draw(t *testing.T, v *View, st State, s *snapshot.Snapshot, w, h int) []string {
	t.Helper()
	lines, _, _ := viewtest.Shot{View: v, Tab: "events", State: st, Case: viewtest.Case{Snap: s}, W: w, H: h, Theme: viewtest.Theme(t, "mono", "unicode")}.Draw()
	return viewtest.Plain(lines)
}

// whats are the texts of the events that pass.
func whats(v *View, st State, s *snapshot.Snapshot) []string {
	seqs, _ := v.seqs(s, st.Params)
	var out []string
	for _, q := range seqs {
		out = append(out, views.EventAt(s.Events, q).What)
	}
	return out
}

func TestFilters(t *testing.T) {
	s := viewtest.Normal()
	tests := []struct {
		filter string
		n      int
		bad    string
	}{
		{"", 12, ""}, {"src:pull", 2, ""}, {"level>=warn", 3, ""}, {"level:err", 1, ""}, {"level<info", 4, ""}, {"level:error", 1, ""}, {"level>info", 3, ""},
		{"where:broker-b", 3, ""}, {`queue:"order-created/broker-a/3"`, 5, ""}, {"queue:broker-a/3 level>=warn", 2, ""}, {"!src:pull level:dbg", 2, ""},
		{"timeout", 1, ""}, {"TIMEOUT", 1, ""}, {"no-such-text", 0, ""}, {"level:loud", 12, "none of dbg"}, {"flow:span", 12, "is no term here"},
		{"time:12:00", 3, ""}, {"time:12:00:30..12:00:33", 1, ""}, {"time:12:03..", 2, ""}, {"time:23:59..11:59:23", 4, ""}, {"time:noon", 12, "want a time of day"},
		{"!time:12:00 time:12", 4, ""},
	}
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			v := New()
			st, _ := press(v, v.Start(""), s, act(keymap.Reset), typed(tt.filter))
			if got := whats(v, st, s); len(got) != tt.n {
				t.Errorf("%d events pass, want %d: %v", len(got), tt.n, got)
			}
			_, bad := v.FilterNote(views.In{Snap: s, State: st})
			if (tt.bad == "") != bad.Empty() || !strings.Contains(bad.String(), tt.bad) {
				t.Errorf("the fault is %q, want %q", bad, tt.bad)
			}
		})
	}
}

func TestLevelsGoUpAndDown(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st := v.Start("").(State)
	var got []int
	for _, id := range []keymap.ID{"", keymap.More, keymap.More, keymap.Less, keymap.Less, keymap.Less, keymap.Less, keymap.Reset} {
		st, _ = press(v, st, s, act(id))
		got = append(got, len(whats(v, st, s)))
	}
	if diff := cmp.Diff([]int{8, 12, 12, 8, 3, 1, 1, 12}, got); diff != "" {
		t.Error(diff)
	}
}

// stream is n events, one a second.
func stream(first, n int) *snapshot.Snapshot {
	s := viewtest.Normal()
	s.Events.Entries = nil
	for i := range n {
		s.Events.Entries = append(s.Events.Entries, snapshot.Entry{
			Seq: uint64(first + i), At: viewtest.Now().Add(time.Duration(first+i) * time.Second), Level: snapshot.Info, Source: "engine", What: "event", Count: 1,
		})
	}
	return s
}

func TestFollowing(t *testing.T) {
	v := New()
	st, _ := press(v, v.Start(""), stream(1, 100), act(keymap.Down))
	if !st.Follow {
		t.Fatal("down at the newest event ends following")
	}
	st, _ = press(v, st, stream(1, 100), act(keymap.Up))
	if st.Follow || st.Sel != 99 {
		t.Fatalf("up leads to %+v", st)
	}
	lines := draw(t, v, st, stream(1, 418), 80, 24)
	if !strings.Contains(lines[1], "+318 new") || !strings.Contains(lines[1], "f follows") {
		t.Errorf("the crumb line is %q", lines[1])
	}
	if !strings.HasPrefix(lines[19], "►") {
		t.Errorf("new events moved the cursor away:\n%s", strings.Join(lines, "\n"))
	}
	st, _ = press(v, st, stream(1, 418), act(keymap.Follow))
	if lines = draw(t, v, st, stream(1, 418), 80, 24); !st.Follow || !strings.Contains(lines[1], "● following") || !strings.Contains(lines[21], "418/418") {
		t.Errorf("following again:\n%s", strings.Join(lines, "\n"))
	}
	st, _ = press(v, st, stream(1, 418), act(keymap.Top))
	if st.Follow || st.Sel != 1 {
		t.Errorf("top leads to %d, follow %v", st.Sel, st.Follow)
	}
	if st, _ = press(v, st, stream(1, 418), act(keymap.Bottom)); !st.Follow {
		t.Error("the last event is not followed")
	}
}

func TestADroppedEventLeavesTheCursorOnTheOldestLeft(t *testing.T) {
	v := New()
	st, _ := press(v, v.Start(""), stream(1, 100), act(keymap.Top), act(keymap.Down))
	s := stream(51, 100)
	s.Events.Dropped = 50
	lines := draw(t, v, st, s, 80, 24)
	if !strings.HasPrefix(lines[3], "►") || !strings.Contains(lines[21], "1/100") {
		t.Errorf("the cursor is lost:\n%s", strings.Join(lines, "\n"))
	}
	if !strings.Contains(lines[21], "50 older ones dropped") {
		t.Errorf("the footer is %q", lines[21])
	}
}

// TestAFloodIsFoldedAndCounted: 100,000 equal events are one line with their number.
func TestAFloodIsFoldedAndCounted(t *testing.T) {
	s := stream(1, 1)
	s.Events.Entries[0].Count = 100_000
	v := New()
	lines := draw(t, v, v.Start("").(State), s, 80, 24)
	if !strings.Contains(lines[3], "×100k") {
		t.Errorf("got %q", lines[3])
	}
}

func TestNextGoesToWarningsAndErrors(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, act(keymap.Top))
	var got []uint64
	for _, id := range []keymap.ID{keymap.Next, keymap.Next, keymap.Prev} {
		st, _ = press(v, st, s, act(id))
		got = append(got, st.Sel)
	}
	if diff := cmp.Diff([]uint64{9007, 9008, 9007}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEventInFull(t *testing.T) {
	s := viewtest.Normal()
	long := "first line\nsecond line with a \x1b[31m in it and " + strings.Repeat("many words ", 200)
	s.Events.Entries[11].What = long
	v := New()
	st, in := press(v, v.Start(""), s, act(keymap.Open))
	if !st.Full || len(in) != 0 {
		t.Fatalf("open gives %v %v", st.Full, in)
	}
	text := strings.Join(draw(t, v, st, s, 80, 24), "\n")
	for _, want := range []string{"Event 9011", "2026-03-09 12:03:41.220 +00:00", "queue order-created/broker-a/3", "3,780 times", " first line\n", "with a ␛[31m in it", "…"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	viewtest.Golden(t, root, "events/full.80x24.txt", strings.Split(text, "\n"))
	if st, _ = press(v, st, s, act(keymap.Cancel)); st.Full {
		t.Error("esc does not close it")
	}
}

func TestUndo(t *testing.T) {
	s := viewtest.Normal()
	v := New()
	st, _ := press(v, v.Start(""), s, act(keymap.More), act(keymap.Filter), typed("pull"), act(keymap.Undo))
	if st.Filter != "" || st.Level != uint8(snapshot.Debug) {
		t.Errorf("undo leads to %+v", st.Params)
	}
	if st, _ = press(v, st, s, act(keymap.Redo)); st.Filter != "pull" {
		t.Errorf("redo leads to %+v", st.Params)
	}
	if st, _ = press(v, st, s, act(keymap.Undo), act(keymap.Undo)); st.Level != uint8(snapshot.Info) {
		t.Errorf("two undos lead to %+v", st.Params)
	}
}

func TestCopyTakesTheTextAsItIs(t *testing.T) {
	s := viewtest.Hostile()
	v := New()
	st, _ := press(v, v.Start(""), s, act(keymap.Reset))
	_, in := press(v, st, s, act(keymap.Copy))
	c := in[0].(views.CopyText)
	if c.Raw != s.Events.Entries[11].What || !c.Hidden {
		t.Errorf("got %+v", c)
	}
}

func TestALookForAQueueShowsEveryLevel(t *testing.T) {
	v := New()
	s := viewtest.Normal()
	st := v.Start(`queue:"order-created/broker-a/3"`).(State)
	if got := whats(v, st, s); len(got) != 5 {
		t.Errorf("%d events: %v", len(got), got)
	}
}

func TestLevelsDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for i, e := range []snapshot.Entry{{Level: snapshot.Debug}, {Level: snapshot.Info}, {Level: snapshot.Warn}, {Level: snapshot.Error}} {
		s := stream(1, 1)
		s.Events.Entries[0].Level = e.Level
		v := New()
		seen[draw(t, v, v.Start("event").(State), s, 80, 24)[3]] = true
		if len(seen) != i+1 {
			t.Errorf("level %v looks like another", e.Level)
		}
	}
}

func TestMarksOfTheLineOfTimeAreThoseOfTheEvents(t *testing.T) {
	s := viewtest.Replayed(viewtest.Normal())
	n := len(s.Events.Entries)
	s.Replay.Bookmarks = []snapshot.Bookmark{{Number: 7, At: s.Events.Entries[n-1].At}}
	s.Replay.Interests = []snapshot.Interest{{At: s.Replay.From}, {At: s.Events.Entries[n-3].At}, {At: s.Replay.To}}
	v := New()
	st := v.Start("level:dbg").(State)
	st.Filter = ""
	var marked []string
	for _, line := range draw(t, v, st, s, 120, 36) {
		for _, mark := range []string{"  7 ×3,780", "    !"} {
			if strings.HasSuffix(strings.TrimSpace(line), mark) {
				marked = append(marked, strings.TrimSpace(mark))
			}
		}
	}
	if got := strings.Join(marked, ", "); got != "!, 7 ×3,780" {
		t.Errorf("marks %q:\n%s", got, strings.Join(draw(t, v, st, s, 120, 36), "\n"))
	}
}

// toldBy is a recording that stands at an event which told the entries from told on, up to newest.
func toldBy(told, newest int) *snapshot.Snapshot {
	s := stream(1, newest)
	at := s.Events.Entries[newest-1].At
	for i := range s.Events.Entries {
		s.Events.Entries[i].At = at // all of one time
	}
	s.Replay = snapshot.Replay{Known: true, At: at, Told: uint64(told)}
	return s
}

func TestTheCursorStaysOnTheEventThatItSentTheRecordingTo(t *testing.T) {
	v := New()
	st := v.Start("").(State)
	does := func(action keymap.ID, s *snapshot.Snapshot) []views.Intent {
		next, intents := v.Reduce(st, views.Event{Action: action, W: 80, H: 24}, s)
		st = next.(State)
		return intents
	}
	from := toldBy(28, 30) // an event told 28, 29 and 30
	for range 9 {
		does(keymap.Up, from)
	}
	want := []views.Intent{views.Play{Command: command.SeekEntry{Seq: 21, At: from.Replay.At}}}
	if diff := cmp.Diff(want, does(keymap.Open, from)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	does(views.Refresh, from) // it is not there yet
	there := toldBy(20, 22)
	does(views.Refresh, there)
	if e := v.underCursor(st, there); e.Seq != 21 {
		t.Errorf("the cursor is on %d", e.Seq)
	}
	if does(keymap.Open, there); !st.Full {
		t.Error("the entry of the event where it stands is not opened")
	}
	on := toldBy(23, 24)
	does(views.Refresh, on)
	if e := v.underCursor(st, on); e.Seq != 24 || !st.Follow {
		t.Errorf("it does not follow once the recording goes on: on %d", e.Seq)
	}
}

func TestACursorThatIsMovedIsNotMovedBack(t *testing.T) {
	v := New()
	st, _ := v.Reduce(v.Start(""), views.Event{Action: keymap.Up, W: 80, H: 24}, toldBy(28, 30))
	for _, e := range []struct {
		action keymap.ID
		s      *snapshot.Snapshot
	}{{keymap.Up, toldBy(28, 30)}, {keymap.Up, toldBy(28, 30)}, {keymap.Open, toldBy(28, 30)}, {views.Refresh, toldBy(27, 27)}, {keymap.Up, toldBy(27, 27)}, {views.Refresh, toldBy(28, 30)}} {
		st, _ = v.Reduce(st, views.Event{Action: e.action, W: 80, H: 24}, e.s)
	}
	if got := st.(State); got.Follow || got.Sel != 26 {
		t.Errorf("on %d, follows %v", got.Sel, got.Follow)
	}
}
