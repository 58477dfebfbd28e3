package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEventsOfARecordingAreThoseOfItsCapture compares line by line.
func TestEventsOfARecordingAreThoseOfItsCapture(t *testing.T) {
	path := recorded(t, "push-orderly")
	for _, args := range [][]string{
		nil, {"--kind", "locked"}, {"--group", "g_ord2", "--kind", "pull-done", "--from", "10s", "--to", "40s"},
		{"--topic", "orders", "--kind", "route-seen"}, {"--client", "c5402"}, {"--from", "12:40:41", "--to", "12:40:52.5"},
		{"--from", "2026-11-30T12:40:41Z", "--kind", "assigned"},
	} {
		of := func(file string) string {
			r := mqscope(t, append([]string{"events", file}, args...)...)
			if r.code != exitOK || r.err != "" {
				t.Fatalf("%q: code %d, errors %q", args, r.code, r.err)
			}
			checkClean(t, "events", r.out)
			return r.out
		}
		// What is about no queue and no topic names its server, which only recordings tell. Events of a
		// recording are numbered as records, one of which is before them.
		server := regexp.MustCompile(`(?m)(opened|closed) .*|#\d+ +`)
		got, want := server.ReplaceAllString(of(path), "$1"), server.ReplaceAllString(of(captureFile("push-orderly")), "$1")
		if got != want || len(want) < 40 {
			t.Errorf("%q: %d bytes of the recording, %d of the capture", args, len(got), len(want))
		}
	}
}

func TestEventsOfARecordingByNumber(t *testing.T) {
	path := recorded(t, "pull")
	r := mqscope(t, "events", path, "--from", "#10", "--to", "#13", "--json")
	var seqs []uint64
	for line := range strings.Lines(r.out) {
		var e struct {
			Seq        uint64
			Provenance string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Provenance != "inferred" {
			t.Fatalf("%v: %s", err, line)
		}
		seqs = append(seqs, e.Seq)
	}
	if len(seqs) != 4 || seqs[0] != 10 || seqs[3] != 13 {
		t.Errorf("numbers %v", seqs)
	}
	if r := mqscope(t, "events", captureFile("pull"), "--from", "#10", "--to", "#13"); strings.Count(r.out, "\n") != 4 {
		t.Errorf("of the capture:\n%s", r.out)
	}
}

func TestEventsOfAnEngine(t *testing.T) {
	path := filepath.Join("..", "..", "engine", "replay", "remade", "testdata", "seed.mqrec")
	r := mqscope(t, "events", path, "--kind", "pull", "--from", "2s")
	if r.code != exitOK || strings.Count(r.out, "\n") < 10 {
		t.Fatalf("code %d, errors %q:\n%s", r.code, r.err, r.out)
	}
	for line := range strings.Lines(r.out) {
		if !strings.Contains(line, "  pull.") {
			t.Errorf("not wanted: %s", line)
		}
	}
	if r := mqscope(t, "events", path, "--json", "--to", "1s"); !strings.Contains(r.out, `"provenance":"recorded"`) {
		t.Errorf("%q\n%s", r.err, r.out)
	}
	if r := mqscope(t, "diff", path, path); r.code != exitOK {
		t.Errorf("differs from itself: %q\n%s", r.err, r.out)
	}
}

// TestKindsOfOurConsumersAreKnown looks for them in the code that gives events their kinds.
func TestKindsOfOurConsumersAreKnown(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "engine", "consumer", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:[( ]about|[( ]at|[( ]on|Kind:|kinds := \[\.\.\.\]string)[({ ]"([a-z]+)[."]`).FindAllSubmatch(code, -1) {
			if !strings.HasSuffix(file, "_test.go") {
				found[string(m[1])] = true
			}
		}
	}
	if len(found) < 15 {
		t.Fatalf("kinds found: %v", found)
	}
	for kind := range found {
		if !slices.Contains(ourKinds(), kind) {
			t.Errorf("--kind %s is not known", kind)
		}
	}
	r := mqscope(t, "events", engineRecording, "--kind", "pull-done")
	if r.code != exitUsage || r.out != "" {
		t.Errorf("code %d, printed %q", r.code, r.out)
	}
	containsAll(t, "a kind of what was seen on the wire", r.err, `--kind "pull-done"`, "pull.found")
}

func TestQueuesOfARecording(t *testing.T) {
	path := recorded(t, "push-orderly")
	whole := mqscope(t, "events", path, "--queues", "--group", "g_ord")
	containsAll(t, "the end", whole.out, "inferred", "g_ord  orders/broker-a/3        -       205        205")
	early := mqscope(t, "events", path, "--queues", "--group", "g_ord", "--to", "5s")
	containsAll(t, "after 5 s", early.out, "192.0.2.2@")
	none := mqscope(t, "events", path, "--queues", "--group", "nobody")
	containsAll(t, "of no group", none.err, `"nobody"`, `"g_ord"`)
}

// TestEventsOfARecordingWithADamagedHeader has the copy at the end read, and told.
func TestEventsOfARecordingWithADamagedHeader(t *testing.T) {
	whole := mqscope(t, "events", recorded(t, "pull"))
	r := mqscope(t, "events", flipped(t, recorded(t, "pull"), 0.0005))
	if r.code != exitOK || r.out != whole.out || r.out == "" {
		t.Errorf("code %d, printed %q, want %q", r.code, r.out, whole.out)
	}
	containsAll(t, "the damage", r.err, "flipped.mqrec: the recording is ", "damaged at byte 0 for ", "the copy at the end was read")
}

func engineBytes(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(engineRecording)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEventsOfARecordingThatIsCut(t *testing.T) {
	path := recorded(t, "pull")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		data []byte
		says string
	}{
		"in the header": {data[:100], "ends in its header"},
		"another file":  {append([]byte("MQREC"), make([]byte, 100)...), "changed on its way"},
		"no copy of it": {append(append([]byte{}, data[:30]...), append([]byte{9}, data[31:len(data)-1]...)...), "header is damaged"},
	} {
		r := mqscope(t, "events", write(t, "cut.mqrec", string(test.data)))
		if r.code != exitFailure || r.out != "" {
			t.Errorf("%s: code %d, printed %q", name, r.code, r.out)
		}
		containsAll(t, name, r.err, "cut.mqrec", test.says)
	}
	cut := mqscope(t, "events", write(t, "cut.mqrec", string(engineBytes(t)[:40_000])))
	if cut.code != exitOK || !strings.Contains(cut.out, "#273 ") {
		t.Errorf("of one that is cut: code %d, %q", cut.code, cut.out)
	}
	containsAll(t, "of one that is cut", cut.err, "cut.mqrec: the recording is cut at byte ")
	r := mqscope(t, "events", path, "--kind", "pull")
	if r.code != exitUsage || !strings.Contains(r.err, "pull-done") {
		t.Errorf("an unknown kind: code %d, %q", r.code, r.err)
	}
	for _, bad := range []string{"yesterday", "#x", "-5s", "25:00:00"} {
		r := mqscope(t, "events", path, "--from="+bad)
		if r.code != exitUsage {
			t.Errorf("%q: code %d", bad, r.code)
		}
		containsAll(t, bad, r.err, "--from", bad, "#18244")
	}
}
