package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func captureFile(name string) string {
	return filepath.Join("..", "..", "testdata", "captures", name+".pcap")
}

func TestEventsOfACapture(t *testing.T) {
	r := mqscope(t, "events", captureFile("push-concurrent"))
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "events", r.out)
	containsAll(t, "events", r.out,
		"12:39:32.380  #14          0.242019s  member-seen       192.0.2.2@c4864 g_push  is there: CONSUME_PASSIVELY, CLUSTERING, from CONSUME_FROM_FIRST_OFFSET, subscribes to %RETRY%g_push:* orders:*",
		"assigned          192.0.2.2@c4864 g_push orders/broker-a/2  begins to pull",
		"pull-done         192.0.2.2@c4864 g_push orders/broker-a/2  FOUND to the pull from 0 after ",
		"committed         192.0.2.2@c4864 g_push orders/broker-a/",
		"member-left ")
}

func TestEventsThatAreWanted(t *testing.T) {
	r := mqscope(t, "events", captureFile("push-orderly"), "--kind", "locked", "--kind", "unlocked", "--group", "g_ord2", "--from", "10s", "--to", "40s")
	if r.code != exitOK || r.out == "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	for line := range strings.Lines(r.out) {
		fields := strings.Fields(line)
		if at := fields[2]; len(at) < len("10.000000s") || at > "40.000000s" || !strings.HasSuffix(fields[3], "locked") || fields[5] != "g_ord2" {
			t.Errorf("not wanted: %s", line)
		}
	}
	if r := mqscope(t, "events", captureFile("push-orderly"), "--topic", "nothing"); r.code != exitOK || r.out != "" || !strings.Contains(r.err, "none of 873 events is what the flags ask for") {
		t.Errorf("code %d, events of no topic: %q, %q", r.code, r.out, r.err)
	}
}

func TestEventsOfSomeQueues(t *testing.T) {
	for _, file := range []string{captureFile("push-orderly"), recordingOf(t, "push-orderly")} {
		r := mqscope(t, "events", file, "--queue", "orders/broker-a/3", "--queue", "orders/broker-a/1")
		if r.code != exitOK || r.err != "" || strings.Count(r.out, "\n") < 50 {
			t.Fatalf("code %d, errors %q, %q", r.code, r.err, r.out)
		}
		for line := range strings.Lines(r.out) {
			if !strings.Contains(line, " orders/broker-a/3 ") && !strings.Contains(line, " orders/broker-a/1 ") {
				t.Errorf("not wanted: %s", line)
			}
		}
		if r = mqscope(t, "events", file, "--queues", "--group", "g_ord", "--queue", "orders/broker-a/3"); strings.Count(r.out, "orders/") != 1 {
			t.Errorf("the queues: %q, %q", r.out, r.err)
		}
	}
	if r := mqscope(t, "events", captureFile("pull"), "--queue", "orders"); r.code != exitUsage || !strings.Contains(r.err, "TOPIC/BROKER/ID is allowed") {
		t.Errorf("code %d, %q", r.code, r.err)
	}
	if one, two := mqscope(t, "events", ourRecording(), "--kind", "pull.*"), mqscope(t, "events", ourRecording(), "--kind", "pull"); one.out == "" || one.out != two.out {
		t.Errorf("pull.* is %d bytes, pull %d", len(one.out), len(two.out))
	}
}

func TestEventsAsJSON(t *testing.T) {
	r := mqscope(t, "events", captureFile("pull"), "--json")
	kinds := map[string]int{}
	for line := range strings.Lines(r.out) {
		var e struct {
			Seq                     uint64
			At, Kind, Words, Client string
			Provenance              string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Provenance != "inferred" || e.Words == "" || e.Seq == 0 {
			t.Errorf("event %s", line)
		}
		kinds[e.Kind]++
	}
	if kinds["pull-sent"] == 0 || kinds["pull-done"] != kinds["pull-sent"] {
		t.Errorf("kinds %v", kinds)
	}
}

func TestQueuesOfACapture(t *testing.T) {
	whole := mqscope(t, "events", captureFile("push-orderly"), "--queues", "--group", "g_ord")
	if whole.code != exitOK || strings.Count(whole.out, "\n") != 2+5 {
		t.Fatalf("code %d, errors %q:\n%s", whole.code, whole.err, whole.out)
	}
	containsAll(t, "the end", whole.out, "g_ord  orders/broker-a/3        -       205        205            0    0        205")
	early := mqscope(t, "events", captureFile("push-orderly"), "--queues", "--group", "g_ord", "--to", "5s")
	if early.out == whole.out || !strings.Contains(early.out, "192.0.2.2@") {
		t.Errorf("after 5 s:\n%s", early.out)
	}
}

func TestCapturesThatCanNotBeRead(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pcap")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"none", []string{"events"}, exitUsage, []string{"no file is named", "events FILE"}},
		{"two", []string{"events", "a", "b"}, exitUsage, []string{`"b"`, "one file"}},
		{"not there", []string{"events", "/none/x.pcap"}, exitFailure, []string{"/none/x.pcap"}},
		{"empty", []string{"events", empty}, exitFailure, []string{"empty.pcap"}},
		{"something else", []string{"events", filepath.Join("..", "..", "README.md")}, exitFailure, []string{"README.md", "neither pcap nor pcapng", "give a pcap or pcapng file", "or a recording"}},
		{"an unknown kind", []string{"events", captureFile("pull"), "--kind", "pull"}, exitUsage, []string{`--kind "pull"`, "pull-done"}},
		{"an end before the beginning", []string{"events", captureFile("pull"), "--from", "5s", "--to", "1s"}, exitUsage, []string{"--to 1s", "--from 5s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := mqscope(t, test.args...)
			if r.code != test.code || r.out != "" {
				t.Errorf("code %d, printed %q", r.code, r.out)
			}
			containsAll(t, "the error", r.err, test.says...)
		})
	}
}
