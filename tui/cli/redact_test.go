package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
	"mqscope/engine/replay/inferred"
)

const plantedSecret = "hunter2hunter2"

// recordingWithSecrets writes a recording whose texts have some.
func recordingWithSecrets(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mqrec")
	start := time.Unix(1700000000, 0)
	h := inferred.Header(recording.Header{Program: "mqscope test", Created: start, Source: "capture"})
	w, err := recording.Create(path, h, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := lifecycle.NewGroup(t.Context())
	g.Go("recording", w.Run)
	r := inferred.NewRecorder(w, inferred.RecorderOptions{})
	for n, remark := range []string{"no route", "Signature=" + plantedSecret, `{"password":"` + plantedSecret + `"}`} {
		r.Add(infer.Event{At: start.Add(time.Duration(n) * time.Second), Fact: infer.Failed{Client: "c", Code: 1, Remark: remark}})
	}
	if err := errors.Join(w.Close(t.Context()), g.Wait()); err != nil {
		t.Fatal(err)
	}
	return path
}

// holds tells whether any record of a recording has text in it.
func holds(t *testing.T, path, text string) bool {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // it was only read
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(e.Payload, []byte(text)) {
			return true
		}
	}
}

func TestRedact(t *testing.T) {
	path := recordingWithSecrets(t)
	if !holds(t, path, plantedSecret) {
		t.Fatal("there is nothing to take out")
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := mqscope(t, "redact", path)
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "the report", r.out)
	out := strings.TrimSuffix(path, ".mqrec") + ".redacted.mqrec"
	containsAll(t, "the report", r.out, "4 records", "secrets in texts                                 2     0", "kept: hash", "written to "+out)
	if holds(t, out, plantedSecret) || !holds(t, out, "no route") || !holds(t, out, "Signature=[removed]") {
		t.Error("the wrong thing was taken out")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v, or the recording that was read was changed", err)
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	again := mqscope(t, "redact", path)
	containsAll(t, "the error", again.err, out, "is there already", "--force")
	if forced := mqscope(t, "redact", path, "--force"); forced.code != exitOK {
		t.Errorf("with --force: %q", forced.err)
	}
	if played := mqscope(t, "replay", out, "--headless", "--json"); played.code != exitOK {
		t.Errorf("it does not play: %q", played.err)
	}
}

// What our own consumer recorded is played as before when bodies and secrets are gone.
func TestARecordedConsumerIsRedacted(t *testing.T) {
	ns, path := cluster(t), filepath.Join(t.TempDir(), "a.mqrec")
	body := "a body, password=" + plantedSecret + "\n"
	if r := newProcess(t, strings.Repeat(body, 50), "produce", "-n", ns, "-t", "orders", "--tag", "paid").run(); r.code != exitOK {
		t.Fatal(r.err)
	}
	r := mqscope(t, "record", "-n", ns, "-g", "billing", "-t", "orders", "--from", "first", "--bodies", "full", "--no-screen", "--for", "2s", "-o", path)
	if r.code != exitOK || !holds(t, path, plantedSecret) {
		t.Fatalf("code %d, errors %q, or no body was recorded", r.code, r.err)
	}
	before := playedToItsEnd(t, path)
	r = mqscope(t, "redact", path, "--in-place", "--bodies", "6", "--deny", "TAG*")
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the report", r.out, "kept: first 6 bytes             50     0", "properties, and fields with a secret's name     50     0")
	if holds(t, path, plantedSecret) || holds(t, path, "TAGS\x01paid") || !holds(t, path, "a body") {
		t.Error("the wrong thing was taken out")
	}
	after := playedToItsEnd(t, path)
	if before.Counters != after.Counters || before.Seq != after.Seq || len(before.Queues) != len(after.Queues) {
		t.Errorf("it shows %+v, before it was %+v", after.Counters, before.Counters)
	}
}

func TestRedactInPlace(t *testing.T) {
	path := recordingWithSecrets(t)
	r := mqscope(t, "redact", path, "--in-place", "--bodies", "64", "--deny", "card*")
	if r.code != exitOK || holds(t, path, plantedSecret) {
		t.Fatalf("code %d, errors %q, says\n%s", r.code, r.err, r.out)
	}
	containsAll(t, "the report", r.out, "kept: first 64 bytes", "written to "+path)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, left are %q", err, left)
	}
}

func TestRedactThatCanNotBe(t *testing.T) {
	path := recordingWithSecrets(t)
	link := filepath.Join(t.TempDir(), "link.mqrec")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	cut := write(t, "cut.mqrec", "")
	if whole, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(cut, whole[:len(whole)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"not closed, in place", []string{cut, "--in-place"}, exitFailure, []string{"not closed", "-o"}},
		{"bodies that are none", []string{path, "--bodies", "none"}, exitUsage, []string{"full, hash"}},
		{"none", nil, exitUsage, []string{"no recording is named"}},
		{"two", []string{"a", "b"}, exitUsage, []string{`"b"`, "one recording"}},
		{"bodies", []string{path, "--bodies", "some"}, exitUsage, []string{`--bodies "some"`, "full, hash"}},
		{"pattern", []string{path, "--deny", "["}, exitUsage, []string{"--deny", `"["`}},
		{"both", []string{path, "-o", "y", "--in-place"}, exitUsage, []string{"--in-place and -o"}},
		{"itself", []string{path, "-o", path, "--force"}, exitUsage, []string{"--in-place"}},
		{"itself by a link", []string{path, "-o", link, "--force"}, exitUsage, []string{"--in-place"}},
		{"a link in place", []string{link, "--in-place"}, exitFailure, []string{link, "no regular file"}},
		{"not there", []string{"/none/x.mqrec"}, exitFailure, []string{"/none/x.mqrec", "no such file"}},
		{"another type", []string{write(t, "e.mqrec", "some text that is no recording")}, exitFailure, []string{"e.mqrec"}},
		{"nowhere", []string{path, "-o", "/none/y.mqrec"}, exitFailure, []string{"/none/y.mqrec"}},
	} {
		r := mqscope(t, append([]string{"redact"}, test.args...)...)
		if r.code != test.code {
			t.Errorf("%s: code %d, errors %q", test.name, r.code, r.err)
		}
		containsAll(t, test.name, r.err, test.says...)
		checkClean(t, test.name, r.err)
	}
	if !holds(t, path, plantedSecret) {
		t.Error("the recording was changed")
	}
}
