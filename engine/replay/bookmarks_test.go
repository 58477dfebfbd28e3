package replay_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
)

func at(event int) time.Time { return time.Date(2026, 1, 31, 12, 0, event, 0, time.UTC) }

// marksOf opens the bookmarks of the recording x.mqrec in dir.
func marksOf(t *testing.T, dir string) *replay.Bookmarks {
	t.Helper()
	return replay.OpenBookmarks(replay.OwnDisk{}, filepath.Join(dir, "x.mqrec"), minute().Info())
}

func marksText(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "x.mqrec.marks"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBookmarksAreThereTheNextTime(t *testing.T) {
	dir := t.TempDir()
	b := marksOf(t, dir)
	if why := b.Trouble(); why != "" || len(b.List()) != 0 {
		t.Fatalf("trouble %q, bookmarks %v", why, b.List())
	}
	_ = b.Mark(0, 30, at(30), "here it begins, \x1b[2J 订单")
	_ = b.Mark(0, 10, at(10), "")
	_ = b.Mark(0, 20, at(20), "gone soon")
	_ = b.Mark(2, 0, at(0), "a note")
	_ = b.Unmark(3)
	want := []snapshot.Bookmark{{Number: 2, Event: 10, At: at(10), Note: "a note"}, {Number: 1, Event: 30, At: at(30), Note: "here it begins, \x1b[2J 订单"}}
	if diff := cmp.Diff(want, marksOf(t, dir).List()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, "x.mqrec.marks"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if strings.Contains(marksText(t, dir), "\x1b") {
		t.Error("the file has an escape byte")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("%d files are left", len(entries))
	}
}

func TestWhatIsSaidOfBookmarks(t *testing.T) {
	b := replay.NewBookmarks()
	for _, tt := range []struct {
		got  error
		want string
	}{
		{b.Mark(0, 5, at(5), ""), ""},
		{b.Mark(0, 5, at(5), "again"), ""},
		{b.Mark(7, 5, at(5), ""), "there is no bookmark 7"},
		{b.Mark(0, 6, at(6), strings.Repeat("订", 1001)), "the note has 1001 characters, at most 1000 are allowed"},
		{b.Unmark(2), "there is no bookmark 2"},
		{b.Mark(0, 9, at(9), ""), ""},
		{b.Unmark(1), ""},
		{b.Mark(0, 3, at(3), ""), ""},
	} {
		if got := fmt.Sprint(tt.got); got != tt.want && (tt.got != nil || tt.want != "") {
			t.Errorf("error %q, want %q", got, tt.want)
		}
	}
	want := []snapshot.Bookmark{{Number: 1, Event: 3, At: at(3)}, {Number: 2, Event: 9, At: at(9)}}
	if diff := cmp.Diff(want, b.List()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2000 {
		_ = b.Mark(0, uint64(i+100), at(0), "")
	}
	if n := len(b.List()); n != 1000 {
		t.Errorf("%d bookmarks", n)
	}
}

func TestAListThatWasHandedOutDoesNotChange(t *testing.T) {
	b := replay.NewBookmarks()
	_ = b.Mark(0, 5, at(5), "first")
	_ = b.Mark(0, 6, at(6), "second")
	list, copied := b.List(), slices.Clone(b.List())
	_ = b.Mark(1, 0, at(0), "other")
	_ = b.Unmark(1)
	_ = b.Mark(0, 1, at(1), "")
	if diff := cmp.Diff(copied, list); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatIsNotTheirsIsLeftAlone(t *testing.T) {
	foreign := t.TempDir()
	other := minute()
	other.Header.Created = at(1)
	_ = replay.OpenBookmarks(replay.OwnDisk{}, filepath.Join(foreign, "x.mqrec"), other.Info()).Mark(0, 3, at(3), "theirs")
	for name, tt := range map[string]struct{ text, want string }{
		"empty":          {"", "is no file of bookmarks"},
		"no JSON":        {"#!/bin/sh\n", "is no file of bookmarks"},
		"cut":            {`{"version":1,"recording":{"id":"`, "is no file of bookmarks"},
		"another type":   {`{"version":"1"}`, "is no file of bookmarks"},
		"newer":          {`{"version":2,"recording":{}}`, "has version 2, this program knows 1"},
		"no recording":   {`{"version":1}`, "belongs to another recording"},
		"another one's":  {marksText(t, foreign), "belongs to another recording"},
		"numbers twice":  {marked(t, `{"number":1,"event":2,"at":"2026-01-31T12:00:00Z"},{"number":1,"event":3,"at":"2026-01-31T12:00:00Z"}`), "is damaged (bookmark number 1)"},
		"a number of 0":  {marked(t, `{"number":0,"event":2,"at":"2026-01-31T12:00:00Z"}`), "is damaged"},
		"an endless one": {marked(t, `{"number":1,"event":2,"at":"2026-01-31T12:00:00Z","note":"`+strings.Repeat("x", 1001)+`"}`), "is too long"},
		"a huge one":     {strings.Repeat(" ", 9<<20), "it is no file of bookmarks"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.mqrec.marks")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := marksOf(t, dir)
			if why := b.Trouble(); !strings.Contains(why, tt.want) || !strings.Contains(why, "kept in memory only") {
				t.Errorf("trouble %q, want %q in it", why, tt.want)
			}
			if err := b.Mark(0, 5, at(5), "x"); err != nil || len(b.List()) != 1 || b.Trouble() != "" {
				t.Errorf("error %v, bookmarks %v", err, b.List())
			}
			if marksText(t, dir) != tt.text {
				t.Error("the file was written")
			}
		})
	}
}

// marked is a file of the bookmarks of minute() with these in it.
func marked(t *testing.T, list string) string {
	t.Helper()
	dir := t.TempDir()
	_ = marksOf(t, dir).Mark(0, 1, at(1), "replace me")
	before, rest, _ := strings.Cut(marksText(t, dir), `"bookmarks": [`)
	_, after, ok := strings.Cut(rest, "]")
	if !ok {
		t.Fatal("no list")
	}
	return before + `"bookmarks": [` + list + "]" + after
}

func TestNoLinkIsFollowed(t *testing.T) {
	for _, late := range []bool{false, true} {
		dir := t.TempDir()
		victim := filepath.Join(dir, "victim")
		if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		link := func() {
			if err := os.Symlink(victim, filepath.Join(dir, "x.mqrec.marks")); err != nil {
				t.Fatal(err)
			}
		}
		if !late {
			link()
		}
		b := marksOf(t, dir)
		if late {
			link()
		}
		_ = b.Mark(0, 5, at(5), "x") // it is kept in memory
		said := b.Trouble()
		if text, _ := os.ReadFile(victim); string(text) != "mine" || !strings.Contains(said, "no regular file") {
			t.Errorf("victim %q, said %q", text, said)
		}
		if len(b.List()) != 1 {
			t.Errorf("bookmarks %v", b.List())
		}
	}
}

// failingDisk fails, and counts what was asked of it.
type failingDisk struct {
	reads, writes int
	text          []byte
}

func (d *failingDisk) Read(string) ([]byte, error) {
	d.reads++
	if d.text == nil {
		return nil, fs.ErrNotExist
	}
	return d.text, nil
}

func (d *failingDisk) Write(string, []byte) error {
	d.writes++
	return errors.New("read-only file system")
}

func TestAFolderThatCanNotBeWrittenIsSaidOnce(t *testing.T) {
	disk := &failingDisk{}
	b := replay.OpenBookmarks(disk, "x.mqrec", minute().Info())
	for i, want := range []string{"bookmarks are kept in memory only: read-only file system", ""} {
		err := b.Mark(0, uint64(i), at(i), "")
		if said := b.Trouble(); err != nil || said != want || disk.writes != 1 || len(b.List()) != i+1 {
			t.Errorf("error %v, said %q, %d writes", err, said, disk.writes)
		}
	}
}

func TestTwoProgramsKeepEachOthersBookmarks(t *testing.T) {
	dir := t.TempDir()
	a, b := marksOf(t, dir), marksOf(t, dir)
	_ = a.Mark(0, 5, at(5), "of a")
	_ = b.Mark(0, 6, at(6), "of b")
	_ = a.Mark(0, 7, at(7), "of a")
	if list := marksOf(t, dir).List(); len(list) != 3 || list[1].Note != "of b" || list[1].Number != 2 {
		t.Errorf("bookmarks %v", list)
	}
	_ = b.Unmark(1)
	_ = a.Mark(2, 0, at(0), "changed by a")
	if list := marksOf(t, dir).List(); len(list) != 2 || list[0].Note != "changed by a" {
		t.Errorf("bookmarks %v", list)
	}
}

// TestReplayTouchesNoNetworkAndNoDisk drives a player through all that a person may ask, with a
// disk that fails on any use, which only setting a bookmark reaches.
func TestReplayTouchesNoNetworkAndNoDisk(t *testing.T) {
	disk := &failingDisk{}
	track := minute().Interest(snapshot.InterestError, 10, 20)
	marks := replay.OpenBookmarks(disk, "x.mqrec", track.Info())
	disk.reads = 0
	playing(t, replay.PlayerConfig{Track: track, Bookmarks: marks}, func(t *testing.T, s stage) {
		for _, c := range []any{
			command.Play{}, command.Play{Stop: true}, command.Speed{Delta: 1}, command.Step{N: 1}, command.Step{N: -1}, command.SeekEvent{Event: 9},
			command.SeekTime{At: at(9)}, command.Seek{Text: "50%"}, command.Interest{}, command.Interest{Back: true}, replay.Watch{},
		} {
			s.after(c)
			s.later(time.Second)
		}
		if disk.reads+disk.writes != 0 {
			t.Errorf("%d reads, %d writes without a bookmark", disk.reads, disk.writes)
		}
		if s.after(command.Mark{}); disk.reads != 1 || disk.writes != 1 {
			t.Errorf("%d reads, %d writes of a bookmark", disk.reads, disk.writes)
		}
	})
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte(`{"version":1,"recording":{"id":"0123456789abcdef","records":61},"bookmarks":[{"number":1,"event":5,"at":"2026-01-31T12:00:00Z","note":"x"}]}`))
	f.Add([]byte(`{`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, text []byte) {
		disk := &failingDisk{text: text}
		b := replay.OpenBookmarks(disk, "x.mqrec", minute().Info())
		trouble := b.Trouble()
		if n := len(b.List()); n > 1000 || n > 0 && trouble != "" {
			t.Errorf("%d bookmarks, trouble %q", n, trouble)
		}
		_ = b.Mark(0, 5, at(5), "x")
		if trouble != "" && disk.writes != 0 {
			t.Error("a file that is not theirs was written")
		}
	})
}
