package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mqscope/engine/recording"
)

func TestUnwrittenNamesTheFileAndTheRemedy(t *testing.T) {
	path := filepath.Join("somewhere", "x.mqrec")
	part := path + ".77.part"
	for _, test := range []struct {
		err  error
		says string // "" where it is about another file
	}{
		{&fs.PathError{Op: "open", Path: part, Err: fs.ErrNotExist}, path + ": the folder somewhere is not there: make it"},
		{&fs.PathError{Op: "open", Path: filepath.Join("somewhere", ".mqscope-7"), Err: fs.ErrPermission}, path + ": permission denied: nothing may be written in the folder somewhere"},
		{&recording.DiskError{Op: "write", Path: part, Err: syscall.ENOSPC}, path + ": no space left on device: make room"},
		{&os.LinkError{Op: "rename", Old: part, New: path, Err: errors.New("busy")}, path + ": busy"},
		{errors.New(path + ": no regular file: give another name"), path + ": no regular file"},
		{&fs.PathError{Op: "read", Path: "capture.pcap", Err: fs.ErrPermission}, ""},
		{errors.New("there is no event in it"), ""},
	} {
		switch got := unwritten(path, test.err); {
		case got == nil && test.says != "":
			t.Errorf("%v: nothing is said", test.err)
		case got != nil && (test.says == "" || !strings.HasPrefix(got.Error(), test.says)):
			t.Errorf("%v: %q, want %q", test.err, got, test.says)
		}
	}
}

func TestFoldersThatAreNotThere(t *testing.T) {
	dir, from := filepath.Join(t.TempDir(), "none"), recorded(t, "pull")
	for name, args := range map[string][]string{
		"x.mqrec": {"import", captureFile("pull"), "-o"}, "y.mqrec": {"redact", from, "-o"}, "z.html": {"replay", from, "--export-html"},
	} {
		path := filepath.Join(dir, name)
		r := mqscope(t, append(args, path)...)
		if want := "mqscope: " + path + ": the folder " + dir + " is not there: make it, or give another name\n"; r.code != exitFailure || r.err != want {
			t.Errorf("%s: code %d, %q", args[0], r.code, r.err)
		}
	}
}

// TestFilesThatAreNotThere names each of them once, and does not say how they were looked for.
func TestFilesThatAreNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.mqrec")
	for _, args := range [][]string{
		{"events", path}, {"redact", path}, {"replay", path, "--headless"}, {"diff", path, path}, {"import", path, "-o", "never.mqrec"},
	} {
		r := mqscope(t, args...)
		if !strings.HasPrefix(r.err, "mqscope: "+path+": ") || strings.Count(r.err, path) != 1 || strings.Contains(r.err, "stat") {
			t.Errorf("%s: %q", args[0], r.err)
		}
	}
}

// flipped is a copy of a file in which one bit is another, that at a part of its length.
func flipped(t *testing.T, path string, part float64) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[int(part*float64(len(data)))] ^= 4
	return write(t, "flipped.mqrec", string(data))
}

func TestRedactLeavesWhatItCanNotRead(t *testing.T) {
	for what, from := range map[string]string{
		"nothing of it can be read":             flipped(t, recorded(t, "pull"), 0.5),
		"because not all of it can be read: da": flipped(t, engineRecording, 0.7),
	} {
		before, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		r := mqscope(t, "redact", from, "--in-place")
		if r.code != exitFailure || !strings.Contains(r.err, what) {
			t.Errorf("code %d, %q, want %q", r.code, r.err, what)
		}
		if after, err := os.ReadFile(from); err != nil || string(after) != string(before) {
			t.Errorf("%s: it was changed, %v", what, err)
		}
	}
}

var engineRecording = filepath.Join("..", "..", "engine", "replay", "remade", "testdata", "seed.mqrec")

// TestJumpsTellOfDamage: what is shown is where the damage is, not what was asked for.
func TestJumpsTellOfDamage(t *testing.T) {
	path := flipped(t, engineRecording, 0.96)
	for _, at := range []string{"100%", "+42s", "#280"} {
		r := mqscope(t, "replay", path, "--headless", "--at", at)
		containsAll(t, at, r.out, "event 277 of 283", "recording damaged at byte ")
	}
	r := mqscope(t, "replay", flipped(t, engineRecording, 0.7), "--headless", "--at", "#280")
	containsAll(t, "behind a checkpoint that is behind the damage", r.out, "event 280 of 283")
	r = mqscope(t, "replay", path, "--headless", "--at", "100%", "--json")
	containsAll(t, "as JSON", r.out, `"damage":"damaged at byte `)
	r = mqscope(t, "replay", flipped(t, recorded(t, "pull"), 0.5), "--headless")
	containsAll(t, "all of it", r.err, "no event in it can be read: ", " at byte ")
}

func TestAPageSaysHowFarADamagedRecordingWasRead(t *testing.T) {
	r := mqscope(t, "replay", flipped(t, engineRecording, 0.96), "--export-html", filepath.Join(t.TempDir(), "x.html"))
	containsAll(t, "a page", r.out, "events #1 to #277, ", "the recording is damaged at byte ")
}

func TestGroupThatARecordingIsNotOf(t *testing.T) {
	for _, args := range [][]string{{"replay", engineRecording, "--headless"}, {"events", engineRecording}, {"diff", engineRecording, engineRecording}} {
		r := mqscope(t, append(args, "--group", "nobody")...)
		if r.code == exitOK || r.out != "" {
			t.Errorf("%s: code %d, printed %q", args[0], r.code, r.out)
		}
		containsAll(t, args[0], r.err, `"nobody"`, `"g"`)
	}
	if r := mqscope(t, "events", engineRecording, "--group", "g"); r.code != exitOK {
		t.Errorf("its own group: %q", r.err)
	}
}
