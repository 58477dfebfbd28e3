package scenario_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/scenario"
	"mqscope/engine/step"
	"mqscope/engine/step/script"
)

var update = flag.Bool("update", false, "write golden files")

// runScript carries the script of a lesson out on its world.
func runScript(t *testing.T, s *scenario.Scenario, o script.Options) (out string) {
	t.Helper()
	name := fmt.Sprintf("%02d-%s.script", s.Lesson, s.Name)
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := script.Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	st, err := step.New(scenario.Maker(s, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var b bytes.Buffer
	o.Out = &b
	failed, err := script.Run(t.Context(), st, parsed, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failed {
		t.Error(f)
	}
	return b.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// The script of each lesson walks to its states, and what it prints stays as it is.
func TestScriptsOfLessons(t *testing.T) {
	for _, s := range scenario.Lessons() {
		t.Run(s.Name, func(t *testing.T) {
			got := runScript(t, s, script.Options{})
			golden(t, filepath.Join("testdata", fmt.Sprintf("%02d-%s.txt", s.Lesson, s.Name)), got)
		})
	}
}

func TestAScriptAsJSON(t *testing.T) {
	s, err := scenario.Find("long-poll")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "02-long-poll.json"), runScript(t, s, script.Options{JSON: true}))
}
