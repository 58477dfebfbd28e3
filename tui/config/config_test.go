package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// settings are the flags of a command made for these tests.
type settings struct {
	FPS    int
	For    time.Duration
	Theme  string
	Name   string
	Plain  bool
	Topics []string
	Config string
}

func (s *settings) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Int(fs, &s.FPS, "fps", "", 30, 1, 60, "frames")
	Duration(fs, &s.For, "for", 0, 0, time.Hour, "end after")
	Choice(fs, &s.Theme, "theme", "auto", []string{"auto", "mono", "dark"}, "colours")
	Checked(fs, &s.Name, "name", "n", "", "NAME", "a name", func(v string) error {
		if strings.Contains(v, "@") {
			return os.ErrInvalid
		}
		return nil
	})
	Bool(fs, &s.Plain, "plain", "plain lines")
	List(fs, &s.Topics, "topic", "t", "TOPIC", "topics", func(string) error { return nil })
	fs.StringVar(&s.Config, "config", "", "file")
	fs.Bool("help", false, "help")
	return fs
}

func known() []string { return []string{"fps", "for", "theme", "name", "plain", "topic", "other"} }

// load parses args, then completes them from env and a file with text.
func load(t *testing.T, args []string, env map[string]string, text string) (settings, Loaded, error) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for k, v := range env {
		t.Setenv(k, v)
	}
	path := ""
	if text != "" {
		path = filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var s settings
	fs := s.flags()
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(fs, path, known())
	return s, loaded, err
}

func TestPrecedence(t *testing.T) {
	file := "fps: 10\ntheme: dark\ntopic: [a, b]\nfor: 5s\n"
	env := map[string]string{"MQSCOPE_FPS": "20", "MQSCOPE_TOPIC": "c,d"}
	tests := []struct {
		name string
		args []string
		env  map[string]string
		file string
		want settings
	}{
		{"without anything defaults rule", nil, nil, "", settings{FPS: 30, Theme: "auto"}},
		{"the file rules over defaults", nil, nil, file, settings{FPS: 10, Theme: "dark", Topics: []string{"a", "b"}, For: 5 * time.Second}},
		{"the environment rules over the file", nil, env, file, settings{FPS: 20, Theme: "dark", Topics: []string{"c", "d"}, For: 5 * time.Second}},
		{"the command line rules over all", []string{"--fps", "50", "-t", "e"}, env, file, settings{FPS: 50, Theme: "dark", Topics: []string{"e"}, For: 5 * time.Second}},
		{"a flag that says the default still rules", []string{"--fps", "30"}, env, file, settings{FPS: 30, Theme: "dark", Topics: []string{"c", "d"}, For: 5 * time.Second}},
		{"an empty variable is none", nil, map[string]string{"MQSCOPE_FPS": ""}, file, settings{FPS: 10, Theme: "dark", Topics: []string{"a", "b"}, For: 5 * time.Second}},
		{"one text is a list of one", nil, nil, "topic: a", settings{FPS: 30, Theme: "auto", Topics: []string{"a"}}},
		{"a list may be written a line each", nil, nil, "topic:\n  - a\n  - b || c\n", settings{FPS: 30, Theme: "auto", Topics: []string{"a", "b || c"}}},
		{"keys may be in upper case", nil, nil, "FPS: 7", settings{FPS: 7, Theme: "auto"}},
		{"keys of other commands are no fault", nil, nil, "other: 1", settings{FPS: 30, Theme: "auto"}},
		{"an empty value leaves the default", nil, nil, "fps:\n", settings{FPS: 30, Theme: "auto"}},
		{"a number that looks like octal stays what it says", nil, nil, "name: 0123", settings{FPS: 30, Theme: "auto", Name: "0123"}},
		{"a switch can be on", nil, nil, "plain: on", settings{FPS: 30, Theme: "auto", Plain: true}},
		{"a switch of the file can be switched off", []string{"--plain=false"}, nil, "plain: true", settings{FPS: 30, Theme: "auto"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := load(t, tt.args, tt.env, tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsNameFileLineKeyAndRemedy(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		file string
		want []string
	}{
		{"a value out of range", nil, "theme: mono\nfps: 99\n", []string{"c.yaml:2", `key "fps"`, `"99"`, "a whole number from 1 to 60 is allowed"}},
		{"a value of another kind", nil, "fps: many", []string{"c.yaml:1", `"many"`, "a whole number"}},
		{"a word that is no choice", nil, "\n\ntheme: pink", []string{"c.yaml:3", `"pink"`, "one of auto, mono, dark is allowed"}},
		{"a switch that is neither", nil, "plain: maybe", []string{"c.yaml:1", `"maybe"`, "true or false is allowed"}},
		{"a duration without unit", nil, "for: 5", []string{`"5"`, "a duration such as 500ms"}},
		{"a duration out of range", nil, "for: 2h", []string{`"2h"`, "a duration from 0s to 1h0m0s is allowed"}},
		{"a value that a check refuses", nil, "name: a@b", []string{"c.yaml:1", `key "name"`, `"a@b"`}},
		{"a list where one value belongs", nil, "fps: [1, 2]", []string{"c.yaml:1", `key "fps"`, "write one value"}},
		{"a map where a list belongs", nil, "topic: {a: b}", []string{"c.yaml:1", `key "topic"`, "one value or a list"}},
		{"a list of lists", nil, "topic: [[a]]", []string{`key "topic"`, "one value or a list"}},
		{"a key that is nearly one", nil, "thene: mono", []string{"c.yaml:1", `unknown key "thene"`, `did you mean "theme"?`}},
		{"a key that is none", nil, "colour: mono", []string{"c.yaml:1", `unknown key "colour"`, "long names of flags"}},
		{"a key that stands twice", nil, "fps: 1\nFPS: 2", []string{"c.yaml:2", `key "FPS" stands there twice`}},
		{"a file that is no map", nil, "- a\n- b", []string{"c.yaml:1", "write one \"key: value\" a line"}},
		{"a file that is no YAML", nil, "fps: [1", []string{"c.yaml", "write it as YAML"}},
		{"keys that are no lists", nil, "keys: {sort: {a: b}}", []string{"c.yaml:1", `key "keys"`, "map of action to a list of keys"}},
		{"a variable", map[string]string{"MQSCOPE_FPS": "0"}, "fps: 3", []string{`MQSCOPE_FPS="0"`, "a whole number from 1 to 60 is allowed"}},
		{"a file that is too large", nil, "name: " + strings.Repeat("x", maxFileBytes), []string{"c.yaml", "at most 1048576"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := load(t, nil, tt.env, tt.file)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q does not say %q", err, w)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q has several lines for one fault", err)
			}
		})
	}
}

func TestEachFaultHasItsLine(t *testing.T) {
	_, _, err := load(t, nil, nil, "fps: 0\ntheme: pink\n")
	if err == nil || strings.Count(err.Error(), "c.yaml:") != 2 {
		t.Errorf("error %v, want both faults", err)
	}
}

func TestWhichFileIsRead(t *testing.T) {
	t.Run("the one of the user, if it is there", func(t *testing.T) {
		dir := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", dir)
		t.Setenv("HOME", dir)
		user, err := os.UserConfigDir()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(user, "mqscope", "config.yaml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("fps: 12\nkeys: {sort: [s, f3], zoom: []}"), 0o600); err != nil {
			t.Fatal(err)
		}
		var s settings
		loaded, err := Load(s.flags(), "", known())
		if err != nil {
			t.Fatal(err)
		}
		want := Loaded{File: path, Keys: map[string][]string{"sort": {"s", "f3"}, "zoom": {}}}
		if diff := cmp.Diff(want, loaded); diff != "" || s.FPS != 12 {
			t.Errorf("fps %d, loaded (-want +got):\n%s", s.FPS, diff)
		}
	})
	t.Run("none is no fault", func(t *testing.T) {
		if _, loaded, err := load(t, nil, nil, ""); err != nil || loaded.File != "" {
			t.Errorf("file %q, error %v", loaded.File, err)
		}
	})
	t.Run("a named one must be there", func(t *testing.T) {
		var s settings
		_, err := Load(s.flags(), filepath.Join(t.TempDir(), "missing.yaml"), known())
		if err == nil || !strings.Contains(err.Error(), "--config") || !strings.Contains(err.Error(), "name a file that can be read") {
			t.Errorf("error %v", err)
		}
	})
}

func TestFlagValues(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string // part of the error, empty for none
	}{
		{"a whole number in range", []string{"--fps", " 60 "}, ""},
		{"a number above", []string{"--fps", "61"}, "from 1 to 60"},
		{"a number below", []string{"--fps=-1"}, "from 1 to 60"},
		{"no number", []string{"--fps", "1e1"}, "whole number"},
		{"a negative duration", []string{"--for=-1s"}, "from 0s to 1h"},
		{"a switch alone", []string{"--plain"}, ""},
		{"a switch with a word", []string{"--plain=off"}, ""},
		{"a switch with nonsense", []string{"--plain=2"}, "true or false"},
		{"no choice", []string{"--theme", "MONO"}, "one of auto, mono, dark"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s settings
			err := s.flags().Parse(tt.args)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFlagsShowTheirDefaults(t *testing.T) {
	var s settings
	usage := s.flags().FlagUsages()
	for _, w := range []string{"--fps N", "1 to 60 (default 30)", "--theme WORD", "auto, mono, dark (default auto)", "--for DURATION"} {
		if !strings.Contains(usage, w) {
			t.Errorf("usage does not say %q:\n%s", w, usage)
		}
	}
	if strings.Contains(usage, "--plain string") || strings.Contains(usage, "(default false)") {
		t.Errorf("a switch looks like a text:\n%s", usage)
	}
}

func TestNearest(t *testing.T) {
	for wrong, want := range map[string]string{"them": "theme", "fsp": "fps", "theme": "theme", "ofr": "for", "zzz": "", "": ""} {
		if got, ok := Nearest(wrong, known()); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q %v, want %q", wrong, got, ok, want)
		}
	}
}

// FuzzConfigFile reads any file: no panic, and every error names the file.
func FuzzConfigFile(f *testing.F) {
	for _, s := range []string{
		"", "fps: 10\n", "keys:\n  sort: [s, f3]\n", "topic: [a, b]", "a: &x [1]\nb: *x", "fps: *x", "? {a: b}\n: c", "fps: !!binary aGk=",
		"\xff\xfe", "name: \x00", "- 1", "{fps: 1, fps: 2}", "fps: 1\n---\nfps: 2", "<<: {fps: 1}", "topic: &a [*a]", "keys: [a]", "keys: null", "1: 2",
	} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "c.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var s settings
		loaded, err := Load(s.flags(), path, known())
		if err != nil {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		if loaded.File != path || s.FPS < 1 || s.FPS > 60 {
			t.Errorf("loaded %+v, fps %d", loaded, s.FPS)
		}
	})
}
