package tui

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/recorder"
	"mqscope/engine/replay/command"
	"mqscope/views/viewtest"
)

// typeLine presses the keys of a text and enter.
func (s *screen) typeLine(text string) {
	for _, r := range text {
		if r == ' ' {
			s.press(" ")
		} else {
			s.press(string(r))
		}
	}
	s.press("enter")
}

func TestCommands(t *testing.T) {
	recording := func(s *snapshotT) { s.Recorder.On, s.Recorder.File = true, "x.mqrec" }
	demo := inDemo(viewtest.Normal())
	tests := []struct {
		name string
		snap *snapshotT
		text string
		want []engine.Command
		says string
	}{
		{"seek passes on what was written", replayed(), "seek  12:03:41.220 ", []engine.Command{command.Seek{Text: "12:03:41.220"}}, ""},
		{"seek needs a place", replayed(), "seek", nil, "seek TEXT: #18244"},
		{"seek needs a recording", demo, "seek #1", nil, "seek works on recordings"},
		{"unmark takes a number", replayed(), "unmark ;2", []engine.Command{command.Unmark{Number: 2}}, ""},
		{"unmark needs one", replayed(), "unmark x", nil, "name the number of a bookmark"},
		{"record takes a file, with blanks too", demo, "record my file.mqrec", []engine.Command{recorder.Record{File: "my file.mqrec"}}, ""},
		{"record replaces when that is asked for", demo, "record --force x.mqrec", []engine.Command{recorder.Record{File: "x.mqrec", Replace: true}}, ""},
		{"record replaces something", demo, "record --force", nil, "name a file to write"},
		{"a black box is no recording to stop", changed(demo, func(s *snapshotT) { s.Recorder.On, s.Recorder.Box = true, true }), "stop", nil, "nothing is recorded to a file"},
		{"save needs no name", demo, "save", []engine.Command{recorder.Save{}}, ""},
		{"save takes a file", demo, "save it.mqrec", []engine.Command{recorder.Save{File: "it.mqrec"}}, ""},
		{"a recording has no black box", replayed(), "save", nil, "there is no black box"},
		{"record needs a file", demo, "record", nil, "name a file to write"},
		{"a recording is not recorded", replayed(), "record x", nil, "not recorded again"},
		{"only one recording at once", changed(demo, recording), "record x", nil, "recorded already"},
		{"stop ends it", changed(demo, recording), "stop", []engine.Command{recorder.Stop{}}, ""},
		{"stop needs something to stop", demo, "stop", nil, "nothing is recorded to a file"},
		{"stop takes nothing", changed(demo, recording), "stop x", nil, "nothing stands behind it"},
		{"what there is not is refused with what there is", demo, "reset-offset now", nil, "There is no command reset-offset: there are record, stop, save, export"},
		{"of a recording there is less", replayed(), "reset-offset now", nil, "there are seek, unmark, export"},
		{"a question mark lists them", demo, "?", nil, "record FILE | stop | save [FILE] | export"},
		{"nothing is nothing", demo, " ", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, key := range []string{":", "ctrl+p"} {
				s := newScreen(t, tt.snap, 120, 36)
				s.press("2", key)
				s.typeLine(tt.text)
				if diff := cmp.Diff(tt.want, s.source.done()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if tt.says != "" {
					s.has(tt.says)
				}
				if s.where() != "overview>queues" {
					t.Errorf("at %s", s.where())
				}
			}
		})
	}
}

func TestACommandIsCompletedAndExplainedAsItIsTyped(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("2", "：")
	s.has("record, stop, save, export, tab completes")
	s.press("r", "tab")
	s.has(":record")
	s.has("FILE: record what is shown to a file")
	s.press(" ", "s", "tab")
	s.has(":record s")
	s.hasNot(":record seek")
	s.press("esc")
	s.press(":", "x", " ")
	s.has("✗ no such command; record, stop")
	s.press("esc")
	if got := s.source.done(); len(got) != 0 {
		t.Errorf("commands %v", got)
	}
}

func TestARecordingThatIsMadeIsShownAndWarnedOf(t *testing.T) {
	rec := func(bytes, limit int64, box bool, err string) *snapshotT {
		return changed(inDemo(viewtest.Normal()), func(s *snapshotT) {
			s.Seq++
			s.Recorder.On, s.Recorder.Bytes, s.Recorder.Limit, s.Recorder.Box, s.Recorder.Err = err == "", bytes, limit, box, err
		})
	}
	for _, tt := range []struct {
		snap *snapshotT
		want string
	}{
		{rec(12<<20, 0, false, ""), " REC 12MiB "},
		{rec(100<<20, 256<<20, false, ""), " REC 100MiB of 256MiB "},
		{rec(231<<20, 256<<20, false, ""), "▲REC 231MiB of 256MiB "},
		{rec(256<<20, 256<<20, true, ""), " BOX 256MiB of 256MiB "},
	} {
		s := newScreen(t, tt.snap, 120, 36)
		s.has(tt.want)
		s = newScreen(t, tt.snap, 60, 16)
		s.has(tt.want[:4])
	}
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.send(snapshotMsg{rec(1<<20, 0, false, "")})
	s.send(snapshotMsg{changed(rec(1<<20, 0, false, "write \x1b[2J: disk full"), func(s *snapshotT) { s.Seq++ })})
	s.wait(time.Hour)
	s.has("Recording ended: write ␛[2J: disk full")
	file := func(on bool, seq uint64) snapshotMsg {
		return snapshotMsg{changed(rec(12<<20, 0, false, ""), func(s *snapshotT) { s.Seq += seq; s.Recorder.On, s.Recorder.File = on, "x.mqrec" })}
	}
	s = newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.send(file(true, 1))
	s.wait(time.Second)
	s.has("Recording to x.mqrec, :stop ends it")
	s.send(file(false, 2))
	s.wait(time.Second)
	s.has("Recorded 12MiB to x.mqrec")
}

// TestASavedBlackBoxIsTold: until a key is pressed if nobody asked for it, and why.
func TestASavedBlackBoxIsTold(t *testing.T) {
	saved := func(times int, why string) snapshotMsg {
		return snapshotMsg{changed(inDemo(viewtest.Normal()), func(s *snapshotT) {
			s.Seq += uint64(times)
			s.Recorder.On, s.Recorder.Box = true, true
			s.Recorder.Saved.File, s.Recorder.Saved.Why, s.Recorder.Saved.Times = fmt.Sprint(times, "\x1b.mqrec"), why, times
		})}
	}
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.send(saved(1, ""))
	s.has("Black box saved to 1␛.mqrec")
	s.wait(time.Hour)
	s.hasNot("Black box")
	s.send(saved(2, "orders/a/1: \x1b[2J hangs"))
	s.wait(time.Hour)
	s.has("orders/a/1: ␛[2J hangs: black box saved to 2␛.mqrec")
	s.press("j")
	s.hasNot("lack box")
}

func TestLeavingARecordingThatIsMadeAsksOnce(t *testing.T) {
	rec := changed(inDemo(viewtest.Normal()), func(s *snapshotT) { s.Recorder.On, s.Recorder.File = true, "orders.mqrec" })
	s := newScreen(t, rec, 120, 36)
	s.press("ctrl+c")
	s.has("Quit, and end the recording orders.mqrec")
	if s.quit {
		t.Fatal("it left without asking")
	}
	s.press("ctrl+c")
	if !s.quit {
		t.Error("the second one does not leave")
	}
	s = newScreen(t, changed(viewtest.Normal(), func(s *snapshotT) { s.Recorder.On = true }), 120, 36)
	s.press("q")
	s.has("the recording ends with it")
	s = newScreen(t, rec, 50, 10)
	s.press("q")
	s.has("This is recorded: q again leaves")
	s.press("q")
	if !s.quit {
		t.Error("a tiny window is not left")
	}
}

func TestTabCompletesATermOfAFilter(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("2", "/", "t", "o", "tab")
	if got := s.m.input.line.text(); got != "topic:" {
		t.Errorf("the line is %q", got)
	}
}
