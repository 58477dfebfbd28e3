package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

// played plays a recording to its end: the run must be made again as it was.
func playedToItsEnd(t *testing.T, path string) *snapshot.Snapshot {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v", path, info.Mode())
	}
	track, err := tracks.Open(path, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := track.Close(); err != nil {
			t.Error(err)
		}
	}()
	events := 0
	for {
		_, err := track.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	s := track.Picture()
	if s.Replay.Departed != "" || events == 0 {
		t.Errorf("%d events, departed: %s", events, s.Replay.Departed)
	}
	return s
}

func TestAConsumerIsRecordedAndPlayed(t *testing.T) {
	ns, path := cluster(t), filepath.Join(t.TempDir(), "a.mqrec")
	if r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "200", "--size", "300"); r.code != exitOK {
		t.Fatal(r.err)
	}
	args := []string{"record", "-n", ns, "-g", "billing", "-t", "orders", "--from", "first", "--bodies", "hash", "--deny", "KEY*", "--no-screen", "--for", "2s", "-o", path}
	r := mqscope(t, args...)
	if r.code != exitOK || r.out != "recording to "+path+"; ctrl+c ends it\n" || !strings.HasPrefix(r.err, "written to "+path+": ") {
		t.Errorf("code %d, output %q, errors %q", r.code, r.out, r.err)
	}
	s := playedToItsEnd(t, path)
	if s.Counters.Received != 200 || s.Group.Name != "billing" {
		t.Errorf("in the end it shows %d messages of group %q", s.Counters.Received, s.Group.Name)
	}
	file, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	h := file.Header()
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if h.Program != "mqscope "+version() || h.Source != "engine" || h.Cluster != ns || h.Bodies != "hash" || !strings.Contains(h.Secrets, "KEY*") || h.Meta["strategy"] != "AVG" {
		t.Errorf("header %q %q %q %q %q %q", h.Program, h.Source, h.Cluster, h.Bodies, h.Secrets, h.Meta["strategy"])
	}

	r = mqscope(t, "events", path, "--kind", "message", "--json")
	if r.code != exitOK || strings.Count(r.out, `"kind":"message"`) != 200 || !strings.Contains(r.out, "body of 300 bytes, SHA-256 ") || strings.Contains(r.out, "keys k") {
		t.Errorf("code %d, errors %q, of %d lines the first is %.300s", r.code, r.err, strings.Count(r.out, "\n"), r.out)
	}

	r = mqscope(t, args...)
	if r.code != exitUsage || !strings.Contains(r.err, path+" is there already: give another name with -o, or replace it with --force") {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	if r = mqscope(t, append(args, "--force", "--bodies", "none")...); r.code != exitOK {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	if r = mqscope(t, "events", path, "--kind", "message"); r.code != exitFailure || !strings.Contains(r.err, "--bodies none") {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	playedToItsEnd(t, path)
}

func TestWhatARecordingNeeds(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"record", "-n", "x:1", "-g", "g", "-t", "t"}, "--output is missing: give -o FILE to record to, or --black-box SIZE"},
		{[]string{"record", "-o", "x"}, "--namesrv is missing"},
		{[]string{"demo", "--black-box", "5"}, `--black-box "5": a size from 1MiB to 64GiB is allowed`},
		{[]string{"demo", "--bodies", "some"}, `--bodies "some": bodies "some": write full, hash`},
		{[]string{"demo", "--deny", "["}, `--deny "[": property pattern "["`},
	} {
		if r := mqscope(t, tt.args...); r.code != exitUsage || !strings.Contains(r.err, tt.want) || r.out != "" {
			t.Errorf("%v: code %d, output %q, errors %q", tt.args, r.code, r.out, r.err)
		}
	}
}

// TestABlackBoxThatWasLeftIsFoundAndSaved: a process is killed, the next one says what it left.
func TestABlackBoxThatWasLeftIsFoundAndSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "left.mqrec")
	saved := t.TempDir()
	p := newProcess(t, "", "demo", "--plain", "--for", "20s", "--black-box", "2MiB", "--black-box-to", saved)
	for _, folder := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // of each system
		t.Setenv(folder, t.TempDir())
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	boxes, kept := filepath.Join(cache, "mqscope", boxesFolder), filepath.Join(t.TempDir(), "kept")
	synctest.Test(t, func(t *testing.T) {
		p.enter(t)
		go func() {
			time.Sleep(15 * time.Second)
			if err := os.CopyFS(kept, os.DirFS(boxes)); err != nil { // as it is when somebody kills the process now
				t.Error(err)
			}
		}()
		if code := Main(p.ctx, p.p); code != exitOK {
			t.Errorf("code %d, errors %q", code, p.err.String())
		}
	})
	if left, err := os.ReadDir(boxes); err != nil || len(left) != 0 {
		t.Errorf("a process that ended left %v, %v", left, err)
	}
	if err := os.CopyFS(boxes, os.DirFS(kept)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) result {
		t.Helper()
		return newProcess(t, "", args...).run()
	}
	r := run("demo", "--plain", "--for", "10ms", "--black-box", "2MiB", "--black-box-to", saved)
	containsAll(t, "what is said", r.err, "a process that was killed left the black box of group demo", "mqscope record --save-left FILE saves it")
	r = run("record", "--save-left", path)
	if r.code != exitOK {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "what is said", r.out, "black box of group demo", "written to "+path)
	playedToItsEnd(t, path)
	if r = run("record", "--save-left", path); r.code != exitFailure || !strings.Contains(r.err, "nothing to save") {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
}

func TestARecordingIsWholeAfterASignal(t *testing.T) {
	ns, path := cluster(t), filepath.Join(t.TempDir(), "a.mqrec")
	if r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "50"); r.code != exitOK {
		t.Fatal(r.err)
	}
	p := newProcess(t, "", "record", "-n", ns, "-g", "billing", "-t", "orders", "--from", "first", "--json", "-o", path)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.p.Out = in
	done := make(chan int, 1)
	go func() { done <- Main(p.ctx, p.p) }()
	waitFor(t, out, `"received":50`)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	p.signals <- syscall.SIGTERM
	if code := <-done; code != 143 {
		t.Errorf("code %d, errors %q", code, p.err.String())
	}
	in.Close()
	if s := playedToItsEnd(t, path); s.Counters.Received != 50 {
		t.Errorf("in the end it shows %d messages", s.Counters.Received)
	}
}
