package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mqscope/engine/step"
	"mqscope/engine/step/script"
	"mqscope/engine/step/steptest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func parse(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Parse("a.step", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, o steptest.Options) *step.Stepper {
	t.Helper()
	s, err := step.New(steptest.Maker(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// run runs a script on a world and returns what failed and what was printed.
func run(t *testing.T, o steptest.Options, text string, opt script.Options) ([]script.Failure, string) {
	t.Helper()
	var out bytes.Buffer
	opt.Out = &out
	failed, err := script.Run(t.Context(), open(t, o), parse(t, text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return failed, out.String()
}

const tour = `# moves
step 3
task
trace off
until flow.span if span > 1900 max 5000
break pull.send if queue == 1 after 1   # two of them
run
back 2
goto 40
run 500ms
trace on
change delay a/3 50ms
change answer 2 OFFSET_ILLEGAL
until status OFFSET_ILLEGAL
expect last line consume.returned
expect last consume.returned if count == 0
expect last line flow.span
print
print tasks
print queues
print trace
print broken
expect queue 2 state pulling
expect queue 2 next 7
expect queue a/7 next 0
expect broken none
expect count > 1000
`

func TestAScriptIsToldAsTextAndAsJSON(t *testing.T) {
	for name, json := range map[string]bool{"tour.txt": false, "tour.jsonl": true} {
		failed, got := run(t, steptest.Options{Seed: 11}, tour, script.Options{JSON: json})
		if len(failed) != 4 {
			t.Errorf("failed are %v, want four", failed)
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what was printed (-update writes it anew):\n%s", path, got)
		}
	}
}

func TestEachLineOfJSONIsAnObject(t *testing.T) {
	_, got := run(t, steptest.Options{Seed: 11}, tour, script.Options{JSON: true})
	for line := range strings.Lines(got) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestExpectations(t *testing.T) {
	const start = "until flow.span if yes\n" // its task waits for 50ms now
	for _, tt := range []struct{ text, want string }{
		{"expect last flow.span", ""},
		{"expect last line flow.span", ""},
		{"expect last any if span > 2000", ""},
		{"expect last any if span > 2200", "the last one is flow.span: span 2,"},
		{"expect last pull.send", "the last one is flow.span"},
		{"expect broken none", ""},
		{"expect broken I13", "broken are none"},
		{"expect step 62", ""},
		{"expect step >= 62", ""},
		{"expect step 61", "it is step 62"},
		{"expect now t+85ms", ""},
		{"expect now > t+1s", "it is t+85ms"},
		{"expect hash 0x1", "the hash is 0x"},
		{"expect task 4 delayed", ""},
		{"expect task 4 delayed 50ms", ""},
		{"expect task 4 delayed 51ms", "it is delayed 50ms, why flow:span"},
		{"expect task 4 parked", "it is delayed 50ms, why flow:span"},
		{"expect task 9 gone", ""},
		{"expect task 9 ready", "there is no task 9"},
		{"expect task 4 gone", "it is delayed"},
		{"expect task 4 if due == ms(50) && cause == 'flow:span' && task_state == 'delayed'", ""},
		{"expect task 4 if due > ms(50)", "due is 50000000"},
		{"expect queue 3 next 8", ""},
		{"expect queue 3 next <= 8", ""},
		{"expect queue 3 next < 8", "it is 8"},
		{"expect queue orders/a/3 committed 4", ""},
		{"expect offset a/3 committed 5", "it is 4"},
		{"expect queue 3 state pulling", ""},
		{"expect queue 3 state != pulling", `it is "pulling"`},
		{"expect queue 3 max 5", "max is not known"},
		{"expect queue 3 if max > 5 || true", "max is not known"},
		{"expect queue 3 if count == next && mine", ""},
		{"expect queue 8 next 1", "there is no queue 8, write one as orders/a/0"},
		{"expect queue other/a/8 next 1", "there is no queue other/a/8"},
		{"expect queue == 3 && next == 8", ""},
		{"expect next > 8", "next is 8"},
		{"back 100\nexpect next > 1", "no task has its turn"},
		{"back 100\nexpect last flow.span", "nothing was decided yet"},
		{"until any if span > 5000 max 10", "until any if span > 5000 was not reached after step 72"},
		{"step 3\ngoto 9999999", "more than 1000000 decisions away"},
		{"change fail-pull 9", "there is no queue 9"},
	} {
		failed, out := run(t, steptest.Options{Seed: 2}, start+tt.text, script.Options{})
		switch {
		case tt.want == "" && len(failed) > 0:
			t.Errorf("%s: failed %v", tt.text, failed)
		case tt.want != "" && (len(failed) != 1 || !strings.Contains(failed[0].What, tt.want)):
			t.Errorf("%s: failed %v, want %q\n%s", tt.text, failed, tt.want, out)
		case tt.want != "" && !strings.Contains(out, "FAILED a.step:"):
			t.Errorf("%s: the failure is not printed", tt.text)
		}
	}
}

func TestTheEndOfTheWorldEndsMoves(t *testing.T) {
	failed, _ := run(t, steptest.Options{Turns: 3}, "run\nrun 5s\nback 1\nstep\n", script.Options{})
	if len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	failed, _ = run(t, steptest.Options{Turns: 3}, "step 1000\ntask\nuntil flow.span\n", script.Options{})
	if len(failed) != 3 || !strings.Contains(failed[0].What, "nothing is left to do after") {
		t.Errorf("failed %v", failed)
	}
}

func TestABrokenInvariantFailsUnlessItIsExpected(t *testing.T) {
	failed, _ := run(t, steptest.Options{Breach: 50}, "run 5s\n", script.Options{})
	if len(failed) != 1 || !strings.Contains(failed[0].What, "I13 is broken: two requests of one queue after step 50") {
		t.Errorf("failed %v", failed)
	}
	failed, _ = run(t, steptest.Options{Breach: 50}, "step 100\nexpect broken I13\nexpect step 50\n", script.Options{})
	if len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	failed, _ = run(t, steptest.Options{Breach: 50}, "step 100\nexpect broken none\n", script.Options{})
	if len(failed) != 2 {
		t.Errorf("failed %v", failed)
	}
}

func TestRunStopsWhereItCanNotGoOn(t *testing.T) {
	var diverged *step.DivergedError
	_, err := script.Run(t.Context(), open(t, steptest.Options{Stray: 10}), parse(t, "step 100\nback 1\nstep\n"), script.Options{})
	if !errors.As(err, &diverged) || !strings.HasPrefix(err.Error(), "a.step:2: back 1: ") {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := script.Run(ctx, open(t, steptest.Options{}), parse(t, "step\n"), script.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	full := errors.New("no room left")
	if _, err := script.Run(t.Context(), open(t, steptest.Options{}), parse(t, "step\n"), script.Options{Out: refuses{full}}); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
}

type refuses struct{ err error }

func (r refuses) Write([]byte) (int, error) { return 0, r.err }

func TestTextForATerminalIsSafe(t *testing.T) {
	_, got := run(t, steptest.Options{Seed: 1}, "change join \x1b]0;m2\u202e\n", script.Options{})
	for _, r := range got {
		if r < ' ' && r != '\n' || r == 0x7f || r == 0x202e {
			t.Fatalf("%q", got)
		}
	}
}
