package step_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mqscope/engine/step"
)

func TestSetsOfBreakpointsAreSavedAndLoaded(t *testing.T) {
	sets := step.Sets{Path: filepath.Join(t.TempDir(), "below", "breakpoints.yaml")}
	if names, err := sets.Names(); err != nil || len(names) != 0 {
		t.Fatalf("without a file: %v, %v", names, err)
	}
	named := breakpoint(t, "flow.span if cause == 'flow:span' && span > 1500 after 2")
	named.Name, named.Off = "wide \"windows\"\n", true
	want := []*step.Breakpoint{named, breakpoint(t, "queue a/3"), breakpoint(t, "offset > 1200")}
	for _, name := range []string{"mine", "other: set"} {
		if err := sets.Save(name, want); err != nil {
			t.Fatal(err)
		}
	}
	if err := sets.Save("other: set", want[:1]); err != nil {
		t.Fatal(err)
	}
	names, err := sets.Names()
	if err != nil || strings.Join(names, ",") != "mine,other: set" {
		t.Fatalf("names %q, %v", names, err)
	}
	got, err := sets.Load("mine")
	if err != nil || len(got) != len(want) {
		t.Fatalf("loaded %v, %v", got, err)
	}
	for i := range got {
		if got[i].String() != want[i].String() || got[i].Name != want[i].Name || got[i].Off != want[i].Off {
			t.Errorf("breakpoint %d is %s (%q, off %v), want %s", i, got[i], got[i].Name, got[i].Off, want[i])
		}
	}
	if got, err := sets.Load("other: set"); err != nil || len(got) != 1 {
		t.Errorf("the set that was saved again is %v, %v", got, err)
	}
	info, err := os.Stat(sets.Path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(sets.Path), ".*")); err != nil || len(left) != 0 {
		t.Errorf("left over are %v, %v", left, err)
	}
}

func TestBrokenFilesOfBreakpointsNameLineAndRemedy(t *testing.T) {
	for text, want := range map[string][]string{
		"mine:\n- at: flow.spam\n":           {":2: ", "column 1", "did you mean flow.span?"},
		"mine:\n- at: pull.taken\n- at: any": {":3: ", "any needs a condition"},
		"mine:\n  at: 3\n":                   {":2: ", "is no list", "- at: flow.span"},
		"mine:\n- [1]\n":                     {":2: ", "- at: flow.span"},
		"mine:\n- name: x\n":                 {":2: ", "there is no place"},
		"mine: [\n":                          {":1: ", "remove the file"},
		"- mine\n":                           {":1: ", "remove the file"},
		"other: []\n":                        {"no set \"mine\""},
	} {
		path := filepath.Join(t.TempDir(), "b.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := step.Sets{Path: path}.Load("mine")
		if err == nil {
			t.Errorf("%q was loaded", text)
			continue
		}
		for _, part := range append(want, path) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q in it", text, err, part)
			}
		}
		if err := (step.Sets{Path: path}).Save("x", nil); err == nil && strings.Contains(text, "[\n") {
			t.Error("a broken file was written over")
		}
	}
}
