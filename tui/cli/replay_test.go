package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recordingOf imports a capture of the vectors.
func recordingOf(t *testing.T, capture string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), capture+".mqrec")
	if r := mqscope(t, "import", captureFile(capture), "-o", path); r.code != exitOK {
		t.Fatalf("import: %s", r.err)
	}
	return path
}

func TestReplayWithoutAScreenPrintsOneMoment(t *testing.T) {
	file := recordingOf(t, "push-concurrent")
	r := mqscope(t, "replay", file, "--headless", "--at", "50%")
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "the text", r.out)
	containsAll(t, "the text", r.out, file+": event 403 of 469, 2026-11-30 12:39:49.937", "inferred from what was seen on the wire",
		"source    REPLAY", "orders/broker-a/3", "members   2:", "all queues at 12:39:49.937\n")
	if strings.Contains(r.out, "12:40:0") && !strings.Contains(r.out, "to 2026-11-30 12:40:0") {
		t.Errorf("it tells what came later:\n%s", r.out)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("files %q, %v: nothing is to be written", left, err)
	}
}

func TestReplayWithoutAScreenPrintsOneSnapshotAsJSON(t *testing.T) {
	file := recordingOf(t, "push-concurrent")
	for at, event := range map[string]uint64{"#300": 300, "0%": 2, "100%": 469, "2026-11-30T12:39:49.937Z": 403, "+17.8s": 403, "12:39:49.937": 403} {
		r := mqscope(t, "replay", file, "--headless", "--json", "--at", at)
		var s struct {
			Source struct {
				Kind string `json:"kind"`
			} `json:"source"`
			Replay struct {
				File     string `json:"file"`
				Event    uint64 `json:"event"`
				Total    uint64 `json:"total"`
				Inferred bool   `json:"inferred"`
			} `json:"replay"`
		}
		if err := json.Unmarshal([]byte(r.out), &s); err != nil || strings.Count(r.out, "\n") != 1 {
			t.Fatalf("--at %s: %v in %q, errors %q", at, err, r.out, r.err)
		}
		if s.Replay.Event != event || s.Replay.Total != 469 || !s.Replay.Inferred || s.Replay.File != file || s.Source.Kind != "REPLAY" {
			t.Errorf("--at %s: got %+v, want event %d", at, s, event)
		}
	}
}

func TestReplayWithoutAPlaceStandsAtTheBeginning(t *testing.T) {
	r := mqscope(t, "replay", recordingOf(t, "pull"), "--headless")
	containsAll(t, "the text", r.out, ": event 0 of ")
}

func TestReplayKnowsBookmarks(t *testing.T) {
	file := recordingOf(t, "pull")
	marks := strings.Replace(`{"version":1,"recording":{"id":"x","records":9},"bookmarks":[]}`, "\n", "", 1)
	if err := os.WriteFile(file+".marks", []byte(marks), 0o600); err != nil {
		t.Fatal(err)
	}
	r := mqscope(t, "replay", file, "--headless")
	containsAll(t, "the text", r.out, "bookmarks are kept in memory only", "belongs to another recording")
	if text, err := os.ReadFile(file + ".marks"); err != nil || string(text) != marks {
		t.Errorf("%v, the file of bookmarks is %q", err, text)
	}
}

func TestReplayOfWhatIsNoRecordingSaysWhy(t *testing.T) {
	file := recordingOf(t, "pull")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := write(t, "cut.mqrec", string(whole[:len(whole)-20]))
	if r := mqscope(t, "replay", cut, "--headless", "--at", "100%"); r.code != exitOK {
		t.Errorf("a cut file: code %d, %s", r.code, r.err)
	}
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"no file":      {"/nowhere/x.mqrec", []string{"/nowhere/x.mqrec", "no such file"}},
		"a folder":     {t.TempDir(), []string{"a directory", "give the path of a recording"}},
		"another type": {captureFile("pull"), []string{"not a recording"}},
		"empty":        {write(t, "empty.mqrec", ""), []string{"the file is empty"}},
		"a head only":  {write(t, "head.mqrec", string(whole[:10])), []string{"ends in its header"}},
	} {
		r := mqscope(t, "replay", tt.file, "--headless")
		if r.code != exitFailure || strings.Count(r.err, "\n") != 1 || r.out != "" {
			t.Errorf("%s: code %d, output %q, errors %q", name, r.code, r.out, r.err)
		}
		containsAll(t, name, r.err, tt.want...)
	}
}

func TestMistakesInACallOfReplay(t *testing.T) {
	file := recordingOf(t, "pull")
	for name, tt := range map[string]struct {
		args []string
		want []string
	}{
		"no file":                 {nil, []string{"no recording is named"}},
		"two files":               {[]string{file, file}, []string{"one recording at a time"}},
		"no screen":               {[]string{file}, []string{"needs a terminal", "--headless"}},
		"JSON on a screen":        {[]string{file, "--json"}, []string{"--headless"}},
		"no place":                {[]string{file, "--headless", "--at", "x"}, []string{`--at "x"`, "#18244, 12:03:41.220"}},
		"a place elsewhere":       {[]string{file, "--headless", "--at", "#99999"}, []string{`--at "#99999"`, "the last is #"}},
		"a bookmark that is none": {[]string{file, "--headless", "--at", ";4"}, []string{"there is no bookmark 4"}},
		"all of it at a place":    {[]string{file, "--verify", "--at", "5%"}, []string{"--verify plays all of the recording: leave out --at"}},
		"no speed":                {[]string{file, "--speed", "3"}, []string{`--speed "3"`, "0.1, 0.25", "max"}},
	} {
		r := mqscope(t, append([]string{"replay"}, tt.args...)...)
		if r.code != exitUsage || strings.Count(r.err, "\n") != 1 || r.out != "" {
			t.Errorf("%s: code %d, output %q, errors %q", name, r.code, r.out, r.err)
		}
		containsAll(t, name, r.err, tt.want...)
	}
}

func TestReplayLogsWhatItPlaysAndSays(t *testing.T) {
	file, log := recordingOf(t, "pull"), filepath.Join(t.TempDir(), "log")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := write(t, "cut.mqrec", string(whole[:len(whole)-20]))
	if err := os.WriteFile(cut+".marks", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := mqscope(t, "replay", cut, "--headless", "--at", "50%", "--log-file", log)
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	info, err := os.Stat(log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, mode %v", err, info.Mode())
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	containsAll(t, "the log", string(text), `"a recording is played"`, cut, `"source":"capture"`, `"the recording is damaged"`, "bookmarks are kept in memory only")
	for line := range strings.Lines(string(text)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	r = mqscope(t, "replay", file, "--headless", "--log-file", "/nowhere/x")
	if r.code != exitUsage {
		t.Errorf("a log that can not be written: code %d", r.code)
	}
	containsAll(t, "the errors", r.err, `--log-file "/nowhere/x"`, "name a file that can be written")
}
