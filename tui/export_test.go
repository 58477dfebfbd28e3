package tui

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mqscope/views/viewtest"
)

// written gives the screen what its file writers have said so far.
func (s *screen) written() {
	s.t.Helper()
	msgs := s.cmds
	s.cmds = nil
	for _, msg := range msgs {
		if msg, ok := msg.(exportedMsg); ok {
			s.send(msg)
		}
	}
	s.press()
}

// export takes what is on screen in the way that is some lines below the first one.
func (s *screen) export(below int) {
	s.t.Helper()
	s.press("e")
	for range below {
		s.press("j")
	}
	s.press("enter")
}

// only is the one file of a directory.
func only(t *testing.T, dir string) (name string, content []byte) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, all[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Name(), b
}

func TestATableGoesToAFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2")
	s.export(0)
	s.has("save as queues-order-svc-20260309-")
	s.press("enter")
	s.written()
	name, b := only(t, dir)
	s.has("Saved ")
	s.has(name)
	rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil || len(rows) != 1+len(viewtest.Normal().Queues) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestEachWayWritesWhatItSays(t *testing.T) {
	check := map[string]func(b []byte) error{
		"tsv": func([]byte) error { return nil },
		"json": func(b []byte) error {
			var v any
			return json.Unmarshal(b, &v)
		},
		"txt": func([]byte) error { return nil },
		"svg": func(b []byte) error {
			d := xml.NewDecoder(strings.NewReader(string(b)))
			for {
				if _, err := d.Token(); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		},
	}
	for below, ext := range map[int]string{1: "tsv", 2: "json", 3: "txt", 4: "svg"} {
		dir := t.TempDir()
		t.Chdir(dir)
		s := newScreen(t, viewtest.Hostile(), 120, 36)
		s.press("2")
		s.export(below)
		s.press("enter")
		s.written()
		name, b := only(t, dir)
		if filepath.Ext(name) != "."+ext || check[ext](b) != nil || len(b) == 0 {
			t.Errorf("%s: %v, %d bytes", name, check[ext](b), len(b))
		}
		if strings.ContainsRune(string(b), 0x1b) {
			t.Errorf("%s has a control sequence", name)
		}
		if ext == "txt" && (!strings.Contains(string(b), "mqscope") || strings.Contains(string(b), "Export")) {
			t.Errorf("not the screen below:\n%s", b)
		}
	}
}

func TestNothingIsReplacedUnasked(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newScreen(t, viewtest.Normal(), 120, 36)
	again := func() {
		s.press("2")
		s.export(0)
		s.press("ctrl+u", "x", "enter")
		s.written()
		s.has("replaces a file")
	}
	again()
	s.press("enter") // Cancel
	s.written()
	s.has("Nothing was written")
	if _, b := only(t, dir); string(b) != "old" {
		t.Fatalf("it is %q", b)
	}
	again()
	s.press("tab")
	s.wait(readFor)
	s.press("enter")
	s.written()
	s.has("Saved ")
	if _, b := only(t, dir); !strings.HasPrefix(string(b), "mark,") {
		t.Errorf("it is %q", b)
	}
}

func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2")
	for _, c := range []struct{ name, want string }{
		{"no/such/x.csv", "there is no folder "}, {".", "is a directory"}, {"", "No name"},
	} {
		s.export(0)
		s.press("ctrl+u")
		if c.name != "" {
			s.press(c.name)
		}
		s.press("enter")
		s.written()
		s.has(c.want)
	}
	if all, _ := os.ReadDir(dir); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
}

func TestWithoutATableOnlyTheFrameIsOffered(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("3", "e")
	s.hasNot("CSV")
	s.has("SVG")
	s.press("esc", "2", "e")
	s.has("CSV")
	s.press("enter", "esc")
	if s.where() != "overview>queues" {
		t.Errorf("at %s", s.where())
	}
	s.press(":", "export", "enter")
	s.has("CSV")
	s.press("esc")
	none := newScreen(t, nil, 80, 24)
	none.press("e")
	none.hasNot("CSV")
}

func TestNamesOfFilesAreMadeOfPlainLetters(t *testing.T) {
	got := fileName("queues", "../%RETRY%订单\x1b[31m"+strings.Repeat("x", 200), viewtest.Now(), "text")
	if !strings.HasPrefix(got, "queues-.._") || strings.ContainsAny(got, "/%[\x1b") || len(got) > 100 || !strings.HasSuffix(got, ".txt") {
		t.Errorf("%q", got)
	}
}
