package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func seedRecording() string {
	return filepath.Join("..", "..", "engine", "replay", "remade", "testdata", "seed.mqrec")
}

const onRecording = `seek #40   # an event
expect event 41
expect now t+1s
until pull.send
expect last pull.send if offset == 1
back 3
until flow.count if yes max 2000
expect queue 1 count > 20
expect broken none
trace off
break flow.count if yes
run
expect last flow.count
seek 100%
expect event > 200
`

func TestAScriptIsCarriedOutOnARecording(t *testing.T) {
	file := write(t, "walk.script", onRecording)
	r := mqscope(t, "step", seedRecording(), "--script", file)
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q:\n%s", r.code, r.err, r.out)
	}
	checkClean(t, "the output", r.out)
	containsAll(t, "the output", r.out, "> seek #40\n", "> until pull.send\n", "t+2.150000s", "pull.send", "stopped at event ", "\n  event 2")
	if before, _, _ := strings.Cut(r.out, "\n> expect last pull.send"); !strings.Contains(before[strings.LastIndex(before, "\n"):], " pull.send ") {
		t.Errorf("it did not stop at the pull:\n%s", r.out)
	}
}

func TestAScriptOnARecordingAsJSON(t *testing.T) {
	r := newProcess(t, "step 2\nprint queues\nexpect event 3\n", "step", seedRecording(), "--script", "-", "--json").run()
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the errors", r.err, "1 expectation failed, the first: standard input:3:1: expect event 3: it is event ")
	containsAll(t, "the output", r.out, `{"event":`, `"t_ns":`, `"failed_expectations":1`)
	for line := range strings.Lines(r.out) {
		if !json.Valid([]byte(line)) || strings.Contains(line, `"step":`) || strings.Contains(line, `"hash"`) {
			t.Errorf("not wanted: %s", line)
		}
	}
}

func TestOnWhatWasSeenAScriptGoesByEvents(t *testing.T) {
	seen := recordingOf(t, "push-concurrent")
	r := newProcess(t, "step 3\nseek #300\nexpect event 300\nback 2\nexpect event < 300\nexpect queue 3 due 7\n", "step", seen, "--script", "-").run()
	if r.code != exitFailure || strings.Count(r.out, "\n   #")+strings.Count(r.out, "\n    #") != 3 {
		t.Errorf("code %d:\n%s", r.code, r.out)
	}
	containsAll(t, "the errors", r.err, "expect queue 3 due 7: due is not known")
	if strings.Count(r.err, "\n") != 1 {
		t.Errorf("more than one expectation failed: %s", r.err)
	}
}

func TestWhatAScriptCanNotDoOnARecordingNamesTheLine(t *testing.T) {
	seen := recordingOf(t, "pull")
	for name, tt := range map[string]struct {
		file, text string
		lines      []string
	}{
		"of our own": {seedRecording(), "step\ngoto 5\nchange delay a/3 50ms\nexpect step >= 3\n expect hash 0x1\n", []string{
			":2:1: goto 5: ", "write seek #221", ":3:1: change delay a/3 50ms: what was recorded can not be changed", ":4:1: ", "write expect event 221", ":5:2: ",
		}},
		"seen on the wire": {seen, "until flow.span\ntask\nprint tasks\nexpect broken none\nexpect count > 3\nprint queues\n", []string{
			":1:1: until flow.span: no decision is known of what was seen on the wire: write step, seek", ":2:1: ", ":3:1: ", ":4:1: ", ":5:1: ",
		}},
		"a scenario": {"first-pull", "seek #5\nexpect event 3\n", []string{":1:1: seek #5: this is no recording: write goto 120", ":2:1: "}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mqscope(t, "step", tt.file, "--script", write(t, "walk.script", tt.text))
			if r.code != exitUsage || r.out != "" {
				t.Errorf("code %d, output %q", r.code, r.out)
			}
			containsAll(t, "the errors", r.err, tt.lines...)
			if strings.Contains(r.err, ":6:") || strings.Contains(r.err, ":1:1: step") {
				t.Errorf("too much is refused:\n%s", r.err)
			}
		})
	}
}

func TestAScriptOnARecordingThatCanNotGoOn(t *testing.T) {
	r := newProcess(t, "seek #99999\nstep\n", "step", seedRecording(), "--script", "-").run()
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the errors", r.err, "standard input:1: seek #99999: there is no event 99999: the last is #")
	if r := mqscope(t, "step", seedRecording(), "--json"); r.code != exitUsage || !strings.Contains(r.err, "give --script FILE too") {
		t.Errorf("code %d, %q", r.code, r.err)
	}
	// What is advised where there is no terminal helps only if it is a recording.
	if r := mqscope(t, "step", "step_test.go"); r.code != exitFailure || !strings.Contains(r.err, "not a recording") || strings.Contains(r.err, "terminal") {
		t.Errorf("code %d, %q", r.code, r.err)
	}
}
