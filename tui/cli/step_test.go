package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/scenario"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

const toFirstPull = "trace off\nuntil pull.send # comment\nexpect last pull.send if offset == 12\n"

func TestAScriptIsCarriedOutWithoutAScreen(t *testing.T) {
	file := write(t, "walk.script", toFirstPull+"print\n")
	r := mqscope(t, "step", "first-pull", "--script", file)
	if r.code != exitOK || r.err != "" {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the output", r.out, "> until pull.send\n", "hash 0x")
	checkClean(t, "the output", r.out)
	if again := mqscope(t, "step", "first-pull", "--script", file); again.out != r.out {
		t.Errorf("the same seed gave another output:\n%s\n%s", r.out, again.out)
	}
	if other := mqscope(t, "step", "first-pull", "--seed", "2", "--script", file); other.out == r.out {
		t.Error("another seed gave the same output")
	}
}

func TestAnExpectationThatFailsEndsWithOne(t *testing.T) {
	file := write(t, "walk.script", toFirstPull+"expect queue orders/broker-a/0 next 99\n  expect step 1\n")
	r := mqscope(t, "step", "first-pull", "--script", file)
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the output", r.out, file+":4:1: ", "it is 12", file+":5:3: ")
	containsAll(t, "the errors", r.err, "mqscope: 2 expectations failed", file+":4:1: expect queue orders/broker-a/0 next 99: it is 12")
	if strings.Count(r.err, "\n") != 1 {
		t.Errorf("errors of more than a line:\n%s", r.err)
	}
}

func TestAScriptThatCanNotBeReadEndsWithTwo(t *testing.T) {
	file := write(t, "walk.script", "step 5\nstepp\nuntil flow.spam\n\nexpect queue 0 if cuont > 3\n")
	r := mqscope(t, "step", "first-pull", "--script", file)
	if r.code != exitUsage || r.out != "" {
		t.Errorf("code %d, output %q", r.code, r.out)
	}
	containsAll(t, "the errors", r.err, "mqscope: "+file+":2:1: ", file+":3:7: ", "did you mean flow.span?", file+":5:19: ")
	if n := strings.Count(r.err, "\n"); n != 3 {
		t.Errorf("%d lines of errors:\n%s", n, r.err)
	}
}

func TestAScriptOfStandardInputAsJSON(t *testing.T) {
	r := newProcess(t, "step 3\nexpect step 4\nprint tasks\n", "step", "long-poll", "--script", "-", "--json").run()
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the errors", r.err, "1 expectation failed", "standard input:2:1: expect step 4")
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if len(lines) < 6 {
		t.Fatalf("%d lines:\n%s", len(lines), r.out)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

func TestMistakesInSteppingEndWithOneLineAndCodeTwo(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"no scenario", []string{"step"}, []string{"no scenario is named", "first-pull, long-poll", "mqscope step --help"}},
		{"two scenarios", []string{"step", "demo", "long-poll"}, []string{`"long-poll"`, "name one scenario"}},
		{"a scenario that is nearly one", []string{"step", "frist-pull"}, []string{`"frist-pull"`, "did you mean first-pull?"}},
		{"a scenario that does not exist", []string{"step", "xyz"}, []string{`"xyz"`, "the scenarios are first-pull, long-poll"}},
		{"a lesson that does not exist", []string{"lessons", "11"}, []string{`"11"`, "the scenarios are"}},
		{"a scenario without a terminal", []string{"step", "first-pull"}, []string{"needs a terminal", "--script FILE"}},
		{"a recording without a terminal", []string{"step", engineRecording}, []string{"step " + engineRecording + " needs a terminal that", "--script FILE", "mqscope replay " + engineRecording + " --headless"}},
		{"a file that is not there", []string{"step", "./none"}, []string{`"./none"`, "neither a scenario nor a file"}},
		{"a lesson without a terminal", []string{"lessons", "3"}, []string{"step flow-control needs a terminal"}},
		{"the demo without a terminal", []string{"demo", "--step"}, []string{"step demo needs a terminal"}},
		{"the demo in order without a terminal", []string{"demo", "--step", "--orderly"}, []string{"step demo-orderly needs a terminal"}},
		{"the demo in steps and plain lines", []string{"demo", "--step", "--plain"}, []string{"--step needs the screen", "mqscope step demo --script FILE"}},
		{"JSON without a script", []string{"step", "demo", "--json"}, []string{"--json prints what a script does"}},
		{"a script that is not there", []string{"step", "demo", "--script", "/nowhere/x"}, []string{"/nowhere/x", "name a file that can be read"}},
		{"a set that is not there", []string{"step", "demo", "--script", "-", "--breakpoints", "mine"}, []string{`"mine"`, "breakpoints.yaml"}},
		{"a set with a blank", []string{"step", "demo", "--breakpoints", "a b"}, []string{`--breakpoints "a b"`, "without blanks"}},
		{"a seed that is none", []string{"lessons", "1", "--seed", "-1"}, []string{`--seed "-1"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mqscope(t, tt.args...)
			if r.code != exitUsage || r.out != "" {
				t.Errorf("code %d, output %q", r.code, r.out)
			}
			if strings.Count(r.err, "\n") != 1 || !strings.HasPrefix(r.err, "mqscope: ") {
				t.Errorf("want one line that begins with the program's name:\n%s", r.err)
			}
			containsAll(t, "the line", r.err, tt.want...)
		})
	}
}

func TestLessonsAreListed(t *testing.T) {
	r := mqscope(t, "lessons")
	if r.code != exitOK || r.err != "" {
		t.Errorf("code %d, errors %q", r.code, r.err)
	}
	for _, s := range scenario.Lessons() {
		containsAll(t, "the list", r.out, s.Name, s.Title, firstSentence(s.Text[0]))
	}
	checkClean(t, "the list", r.out)
}

func TestShellsCompleteScenarios(t *testing.T) {
	r := mqscope(t, "__complete", "step", "")
	containsAll(t, "the completion", r.out, "first-pull\tFirst pull after rebalance\n", "demo-orderly\t")
	r = mqscope(t, "__complete", "lessons", "")
	if strings.Contains(r.out, "demo") || !strings.Contains(r.out, "long-poll\t") {
		t.Errorf("completion of lessons:\n%s", r.out)
	}
	if r = mqscope(t, "__complete", "step", "demo", ""); strings.Contains(r.out, "long-poll") {
		t.Errorf("completion of a second scenario:\n%s", r.out)
	}
}

// A set of breakpoints is kept when the screen ends, and stops the next run.
func TestBreakpointsAreKeptUnderAName(t *testing.T) {
	p := newProcess(t, "run\nexpect last flow.count if yes\n", "step", "flow-control", "--script", "-", "--breakpoints", "flow")
	f := &stepFlags{breakpoints: "flow"}
	if list, err := f.set(false); err != nil || list != nil {
		t.Fatalf("before there is a file: %v, %v", list, err)
	}
	want := []snapshot.Breakpoint{
		{Words: "flow.count", Condition: "yes && count > 20", Name: "full"},
		{Words: "queue orders/broker-a/3", Queue: mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: 3}, Off: true},
		{Words: "any", Condition: "delay == s(3)", After: 2},
	}
	if err := f.keep(want); err != nil {
		t.Fatal(err)
	}
	list, err := f.set(true)
	if err != nil || len(list) != len(want) {
		t.Fatalf("%v, %v", list, err)
	}
	for i, b := range list {
		if b.String() != wordsOf(&want[i]) || b.Name != want[i].Name || b.Off != want[i].Off || b.After != want[i].After {
			t.Errorf("kept as %q (%s, off %t), it was %+v", b, b.Name, b.Off, want[i])
		}
	}
	if r := p.run(); r.code != exitOK {
		t.Errorf("code %d, errors %q, output:\n%s", r.code, r.err, r.out)
	}
	other := &stepFlags{breakpoints: "other"}
	for _, list := range [][]snapshot.Breakpoint{nil, want, nil} {
		if err := other.keep(list); err != nil {
			t.Fatal(err)
		}
		offered, _ := completeSets(nil, nil, "")
		if there := slices.Contains(offered, "other"); list != nil && !there {
			t.Errorf("%d breakpoints are not kept: a shell is offered %v", len(list), offered)
		}
	}
	if list, err := other.set(true); err != nil || len(list) > 0 {
		t.Errorf("a set of which all were deleted: %v, %v", list, err)
	}
	if err := (&stepFlags{breakpoints: "none"}).keep(nil); err != nil {
		t.Fatal(err)
	}
	sets, err := breakpointSets()
	if err != nil {
		t.Fatal(err)
	}
	if offered, _ := completeSets(nil, nil, ""); !slices.Equal(offered, []string{"flow", "other"}) {
		t.Errorf("a shell is offered %v", offered)
	}
	if names, err := sets.Names(); err != nil || !slices.Equal(names, []string{"flow", "other"}) || filepath.Base(sets.Path) != "breakpoints.yaml" {
		t.Errorf("sets %v of %s, %v", names, sets.Path, err)
	}
}

// What other screens change of the consumer is a change that the history keeps.
func TestWhatScreensChangeIsAChange(t *testing.T) {
	s, err := scenario.Find("orderly-lock")
	if err != nil {
		t.Fatal(err)
	}
	source, err := step.NewSource(step.SourceConfig{Make: scenario.Maker(s, 1)})
	if err != nil {
		t.Fatal(err)
	}
	var shown engine.Source = stepped{source}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	group, _ := lifecycle.NewGroup(ctx)
	group.Go("source", shown.Run)
	shown.Do(engine.Pause{})
	shown.Do(engine.Resume{})
	shown.Do(engine.ReleaseLock{Queue: mq.MessageQueue{Topic: "orders", BrokerName: "broker-a"}})
	for len(shown.Snapshot().Sched.Marks) < 3 {
		select {
		case <-shown.Updates():
		case <-ctx.Done():
			t.Fatalf("marks %v, %+v", shown.Snapshot().Sched.Marks, shown.Snapshot().Sched.Hit)
		}
	}
	if m := shown.Snapshot().Sched.Marks; m[0].What != "pause-pulls" || m[1].What != "resume-pulls" || m[2].What != "release-lock orders/broker-a/0" {
		t.Errorf("marks %v", m)
	}
	cancel()
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}
