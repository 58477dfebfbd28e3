package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine"
	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
	"mqscope/views/viewtest"
)

func replayed() *snapshotT { return viewtest.Replayed(viewtest.Tasks(viewtest.Normal())) }

// views of all tabs, by their keys.
func tabKeys() []string { return []string{"1", "2", "3", "4", "5", "6", "7", "0"} }

func TestTheTransportWorksOnEveryScreen(t *testing.T) {
	for _, tab := range append(tabKeys(), "detail") {
		var on, back engine.Command = command.Step{N: 1}, command.Step{N: -1}
		if tab == "7" { // it shows decisions, and goes through them
			on, back = command.Decision{}, command.Decision{Back: true}
		}
		want := []engine.Command{
			command.Play{}, on, back, command.Speed{Delta: -1}, command.Speed{Delta: 1}, command.Interest{Back: true}, command.Interest{}, on,
		}
		s := newScreen(t, replayed(), 120, 36)
		if tab == "detail" {
			s.press("2", "enter")
		} else {
			s.press(tab)
		}
		s.press("p", ".", ",", "<", ">", "[", "]", "。")
		if diff := cmp.Diff(want, s.source.done()); diff != "" {
			t.Errorf("on %s (-want +got):\n%s", s.where(), diff)
		}
		s.has("12:03:41.220 ×4 18,244/90,311")
		s.hasNot("FROZEN")
	}
}

func TestWithoutARecordingTheKeysDoWhatTheyDid(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("2", ";")
	s.has("; does nothing here")
	s.press("p")
	s.has("FROZEN")
	s.hasNot("├")
	s.press("?")
	s.hasNot("play the recording")
}

func TestPlayStopsWhatPlays(t *testing.T) {
	s := newScreen(t, changed(replayed(), func(s *snapshotT) { s.Replay.Playing = true }), 80, 24)
	s.press("p")
	if diff := cmp.Diff([]engine.Command{command.Play{Stop: true}}, s.source.done()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryScreenKeepsItsSizeWithTheTransport(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {100, 30}, {120, 36}} {
		for _, tab := range tabKeys() {
			s := newScreen(t, replayed(), size[0], size[1])
			s.press(tab)
			if n := len(s.lines()); n != size[1] {
				t.Errorf("%s at %v has %d lines", s.where(), size, n)
			}
			s.has("18,244/90,311")
		}
	}
}

func TestGoldenFramesOfARecording(t *testing.T) {
	for name, snap := range map[string]*snapshotT{
		"queues":  replayed(),
		"damaged": changed(replayed(), func(s *snapshotT) { s.Replay.Damage = "cut at byte 81204112, record 90312" }),
		"departed": changed(replayed(), func(s *snapshotT) {
			s.Replay.Departed = "event 12,001: pull.flow was span, is count"
		}),
	} {
		for _, size := range []string{"60x16", "80x24", "120x36"} {
			w, h := map[string]int{"60x16": 60, "80x24": 80, "120x36": 120}[size], map[string]int{"60x16": 16, "80x24": 24, "120x36": 36}[size]
			s := newScreen(t, snap, w, h)
			s.press("2")
			viewtest.Golden(t, "..", "replay/"+name+"."+size+".txt", s.lines())
		}
	}
}

func TestTheEventsAroundCanBePutAway(t *testing.T) {
	s := newScreen(t, replayed(), 80, 24)
	s.press("2")
	s.has("#18,244 ► pull.flow")
	s.press("a")
	s.hasNot("► pull.flow")
	s.has("18,244/90,311")
	s.press("a")
	s.has("#18,244 ► pull.flow")
	s.press("7", "z") // a zoomed pane has the whole body
	s.hasNot("#18,244 ► pull.flow")
}

func TestRecordedTimeStandsStill(t *testing.T) {
	s := newScreen(t, replayed(), 120, 36)
	s.press("2")
	before := s.text()
	s.wait(time.Hour)
	if diff := cmp.Diff(before, s.text()); diff != "" {
		t.Errorf("an hour of the wall changed the picture:\n%s", diff)
	}
}

func TestARecordingIsNotChanged(t *testing.T) {
	s := newScreen(t, viewtest.Replayed(viewtest.Orderly()), 120, 36)
	for _, keys := range [][]string{{"1", "!"}, {"4", "X"}, {"2", "C"}} {
		s.press(keys...)
		if !strings.Contains(strings.ToLower(s.text()), "a recording can not be changed") {
			t.Errorf("%v is not refused:\n%s", keys, s.text())
		}
		s.wait(time.Minute)
	}
	if got := s.source.done(); len(got) != 0 || s.m.overlay() != nil {
		t.Errorf("commands %v", got)
	}
}

func TestHelpListsTheKeysOfARecordingOnlyWhereThereIsOne(t *testing.T) {
	s := newScreen(t, replayed(), 120, 36)
	s.press("7", "?")
	for _, want := range []string{"play the recording, or stop", "an event back; there a decision", "bookmark here, with a note"} {
		s.has(want)
	}
	s.hasNot("freeze the screen")
	s.hasNot("step: one decision")
	s.press("r", "e", "p", "l", "a", "y", "-", "b", "a", "c", "k", "enter")
	s.press("?", "p", "a", "u", "s", "e")
	s.has("off: a recording can not be changed")
	if diff := cmp.Diff([]engine.Command{command.Decision{Back: true}}, s.source.done()); diff != "" {
		t.Errorf("help runs (-want +got):\n%s", diff)
	}
}

func TestABookmarkHasANote(t *testing.T) {
	s := newScreen(t, changed(replayed(), func(s *snapshotT) { s.Replay.Playing = true }), 120, 36)
	s.press(";", "w", "h", "y", "?", ".", "enter")
	want := []engine.Command{command.Play{Stop: true}, command.Mark{Note: "why?."}, command.Play{}}
	if diff := cmp.Diff(want, s.source.done()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = newScreen(t, changed(replayed(), func(s *snapshotT) { s.Replay.Playing = true }), 120, 36)
	s.press("；", "x", "esc")
	if diff := cmp.Diff([]engine.Command{command.Play{Stop: true}, command.Play{}}, s.source.done()); diff != "" {
		t.Errorf("esc (-want +got):\n%s", diff)
	}
	here := changed(replayed(), func(s *snapshotT) { s.Replay.Event, s.Replay.At = 18_245, s.Replay.Near[2].At })
	s = newScreen(t, here, 120, 36)
	s.press(";")
	s.has("the note of the bookmark that is here")
	s.press("ctrl+u", "n", "e", "w", "enter")
	if diff := cmp.Diff([]engine.Command{command.Mark{Number: 1, Note: "new"}}, s.source.done()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatThePlayerSaysIsSaid(t *testing.T) {
	s := newScreen(t, replayed(), 120, 36)
	say := func(note string, number uint64) {
		s.send(snapshotMsg{changed(replayed(), func(s *snapshotT) { s.Seq += number; s.Replay.Note, s.Replay.Noted = note, number })})
		s.wait(50 * time.Millisecond)
	}
	say("the end of \x1b[2J the recording", 1)
	s.has("The end of ␛[2J the recording")
	s.wait(time.Minute)
	s.hasNot("The end of")
	say("the end of \x1b[2J the recording", 1)
	s.hasNot("The end of")
	say("the end of \x1b[2J the recording", 2)
	s.has("The end of")
	s.wait(time.Minute)
	s.send(snapshotMsg{changed(replayed(), func(s *snapshotT) {
		s.Seq += 3
		s.Replay.Bookmarks = append(s.Replay.Bookmarks[:1:1], snapshot.Bookmark{Number: 3})
	})})
	s.wait(50 * time.Millisecond)
	s.has("Bookmark 1 is taken away")
}

func TestAClickOnTheLineOfTimeSeeks(t *testing.T) {
	s := newScreen(t, replayed(), 120, 36)
	x, y := s.find("┤ 12:20:00")
	s.mouse(x-1, y, tea.MouseButtonLeft)
	x, _ = s.find("p . ,")
	s.mouse(x+2, y, tea.MouseButtonLeft)
	if diff := cmp.Diff([]engine.Command{command.Seek{Text: "100%"}, command.Step{N: 1}}, s.source.done()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEnterOnAnEventSeeksToIt(t *testing.T) {
	s := newScreen(t, replayed(), 120, 36)
	s.press("0", "up", "up")
	s.has("enter go there")
	s.press("enter")
	got := s.source.done()
	if len(got) != 1 {
		t.Fatalf("commands %v", got)
	}
	seek := got[0].(command.SeekEntry)
	n := len(replayed().Events.Entries)
	if e := replayed().Events.Entries[n-3]; seek.Seq != e.Seq || !seek.At.Equal(e.At) {
		t.Fatalf("%+v is not for %+v", seek, e)
	}
	s.send(snapshotMsg{changed(replayed(), func(s *snapshotT) {
		s.Seq++
		s.Replay.At, s.Replay.Told, s.Events.Entries = seek.At, seek.Seq, s.Events.Entries[:n-2]
	})})
	s.wait(time.Second)
	s.has("enter in full")
	s.press("enter")
	s.has("enter close")
	if got := s.source.done(); len(got) != 1 {
		t.Errorf("commands %v", got)
	}
}
