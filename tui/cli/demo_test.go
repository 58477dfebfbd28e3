package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs the program with args on virtual time.
func inBubble(t *testing.T, args ...string) (result, time.Duration) {
	t.Helper()
	p := newProcess(t, "", args...)
	var r result
	var took time.Duration
	synctest.Test(t, func(t *testing.T) {
		p.enter(t)
		start := time.Now()
		r.code = Main(p.ctx, p.p)
		took = time.Since(start)
	})
	b, err := os.ReadFile(p.out.Name())
	if err != nil {
		t.Fatal(err)
	}
	r.out, r.err = string(b), p.err.String()
	return r, took
}

func TestPlainLinesOfTheDemo(t *testing.T) {
	r, took := inBubble(t, "demo", "--plain", "--for", "30s")
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	if took < 30*time.Second || took > 40*time.Second {
		t.Errorf("took %v, want 30s and what a clean end takes", took)
	}
	checkClean(t, "plain lines", r.out)
	line := regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3} [a-z]+ +\S`)
	before, table, ok := strings.Cut(r.out, "\n\nall queues at ")
	if !ok {
		t.Fatalf("no table at the end:\n%s", r.out)
	}
	for l := range strings.SplitSeq(before, "\n") {
		if !line.MatchString(l) {
			t.Errorf("line %q has no time and no source", l)
		}
	}
	containsAll(t, "the lines", before, "source    DEMO demo running", "members   3: 192.0.2.10@me", "flow:count", "leave for 10s", "listener failed")
	containsAll(t, "the table", table, "QUEUE", "orders/broker-a/1", "refunds/broker-b/1")
	if !regexp.MustCompile(`14 queues, \d+ pulls \(0 failed\), \d+ messages received, \d+ consumed, \d+ sent back, \d+ commits\n$`).MatchString(table) {
		t.Errorf("no sum at the end:\n%s", table)
	}
	if !regexp.MustCompile(`orders/broker-a/1 +192\.0\.2\.10@me +pulling +0 +\d+ `).MatchString(table) {
		t.Errorf("the table does not show a queue of ours as it was before leaving:\n%s", table)
	}
}

func TestJSONOfTheDemo(t *testing.T) {
	r, _ := inBubble(t, "demo", "--json", "--for", "10s")
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "JSON", r.out)
	var last float64
	n := 0
	for line := range strings.Lines(r.out) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("line %d is no JSON: %v", n, err)
		}
		seq, _ := v["seq"].(float64)
		if v["schema"] != 1.0 || seq <= last {
			t.Errorf("line %d: schema %v, seq %v after %v", n, v["schema"], seq, last)
		}
		last = seq
		n++
	}
	if n < 9 || n > 13 {
		t.Errorf("%d lines in ten seconds, want one a second and one at the end", n)
	}
	if !strings.Contains(r.out[strings.LastIndex(strings.TrimSpace(r.out), "\n")+1:], `"state":"ended"`) {
		t.Error("the last line does not show the end")
	}
}

func TestWithoutATerminalTheDemoEndsByItself(t *testing.T) {
	r, took := inBubble(t)
	if r.code != exitOK || took < demoWithoutScreen || took > 2*demoWithoutScreen {
		t.Errorf("code %d after %v, want a clean end after ten seconds", r.code, took)
	}
	containsAll(t, "the output", r.out, "all queues at")
}

func TestASignalEndsTheDemoInOrder(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}, {syscall.SIGHUP, 129}} {
		p := newProcess(t, "", "demo", "--plain")
		synctest.Test(t, func(t *testing.T) {
			p.enter(t)
			go func() {
				time.Sleep(3 * time.Second)
				p.signals <- tt.signal
				time.Sleep(10 * time.Millisecond)
				if tt.signal == syscall.SIGHUP {
					p.signals <- tt.signal // a shell sends it once more: that changes nothing
				}
			}()
			if code := Main(p.ctx, p.p); code != tt.code {
				t.Errorf("%v: code %d, want %d", tt.signal, code, tt.code)
			}
		})
		out, err := os.ReadFile(p.out.Name())
		if err != nil {
			t.Fatal(err)
		}
		containsAll(t, tt.signal.String(), string(out), "given up: shutdown", "all queues at")
	}
}

func TestOutputThatNobodyReadsIsNoFailure(t *testing.T) {
	for _, how := range []string{"--json", "--plain"} {
		p := newProcess(t, "", "demo", how)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p.p.Out = w
		r.Close()
		if code := Main(p.ctx, p.p); code != exitOK || p.err.String() != "" {
			t.Errorf("%s: code %d, errors %q, want a quiet end as head expects it", how, code, p.err.String())
		}
		w.Close()
	}
}

func TestOutputThatFailsIsAFailure(t *testing.T) {
	p := newProcess(t, "", "demo", "--plain")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	p.p.Out = full
	if code := Main(p.ctx, p.p); code != exitFailure {
		t.Errorf("code %d, want 1", code)
	}
	containsAll(t, "the line", p.err.String(), "mqscope: standard output: ", "no space left")
}

func TestTheFilesWordIsOverruledByTheCommandLine(t *testing.T) {
	file := write(t, "c.yaml", "json: true\nfor: 2s\n")
	r, _ := inBubble(t, "demo", "--plain", "--config", file)
	if r.code != exitOK || !strings.Contains(r.out, "all queues at") {
		t.Errorf("code %d, output %.100q: want plain lines", r.code, r.out)
	}
	r, took := inBubble(t, "demo", "--config", file)
	if !strings.HasPrefix(r.out, "{") || took > 10*time.Second {
		t.Errorf("output %.100q after %v: want JSON for two seconds", r.out, took)
	}
}

func TestTheLogIsForItsOwner(t *testing.T) {
	log := t.TempDir() + "/log"
	r, _ := inBubble(t, "demo", "--plain", "--for", "2s", "--log-file", log)
	info, err := os.Stat(log)
	if r.code != exitOK || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("code %d, error %v, mode %v", r.code, err, info)
	}
}
