package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/views/viewtest"
)

// TestALockIsReleasedOnlyWhenArmedAndConfirmed is the guard of tui.md: nothing is sent by
// one key, by a stale question or from a read-only program.
func TestALockIsReleasedOnlyWhenArmedAndConfirmed(t *testing.T) {
	idle := changed(viewtest.Orderly(), func(s *snapshotT) { s.Mode.Driving = false })
	tests := []struct {
		name string
		snap *snapshotT
		keys []string
		sent int
		says string
	}{
		{"not armed", viewtest.Orderly(), []string{"X"}, 0, "not armed"},
		{"armed, only asks", viewtest.Orderly(), []string{"!", "X"}, 0, "Release our lock of"},
		{"the default is not to", viewtest.Orderly(), []string{"!", "X", "wait", "enter"}, 0, ""},
		{"confirmed", viewtest.Orderly(), []string{"!", "X", "wait", "right", "enter"}, 1, "Release asked for"},
		{"disarmed again", viewtest.Orderly(), []string{"!", "!", "X"}, 0, "not armed"},
		{"nothing is driven", idle, []string{"!"}, 0, "read-only: nothing is driven"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, tt.snap, 120, 36)
			pressOrWait(s, append([]string{"4", "G", "k"}, tt.keys...))
			s.wait(time.Second)
			if tt.says != "" {
				s.has(tt.says)
			}
			sent := s.source.done()
			if len(sent) != tt.sent {
				t.Fatalf("sent %v, want %d commands", sent, tt.sent)
			}
			if tt.sent == 1 {
				if _, ok := sent[0].(engine.ReleaseLock); !ok {
					t.Errorf("sent %#v", sent[0])
				}
			}
		})
	}
}

func TestArmsRunOut(t *testing.T) {
	s := newScreen(t, viewtest.Orderly(), 120, 36)
	pressOrWait(s, []string{"4", "G", "k", "!"})
	s.has("ARMED")
	pressOrWait(s, []string{"X", "wait", "right"})
	s.wait(armedFor)
	s.press("enter")
	s.has("Not armed any more")
	if diff := cmp.Diff([]engine.Command(nil), s.source.done()); diff != "" {
		t.Error(diff)
	}
	s.hasNot("ARMED")
}

func TestAnEndedSourceDisarms(t *testing.T) {
	s := newScreen(t, viewtest.Orderly(), 120, 36)
	s.press("!")
	s.send(snapshotMsg{changed(viewtest.Orderly(), func(n *snapshotT) { n.Seq++; n.Source.State = snapshot.Ended })})
	s.wait(time.Second)
	s.hasNot("ARMED")
}

func TestReadOnlyAlwaysCanNotBeArmed(t *testing.T) {
	s := newScreen(t, viewtest.Orderly(), 120, 36, func(c *Config) { c.ReadOnly = true })
	for _, key := range []string{"!", "C"} {
		s.press(key)
		s.has("--read-only always")
	}
}

// TestLeavingArmedAsksOnce: also where nothing real is driven.
func TestLeavingArmedAsksOnce(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Orderly()), 120, 36)
	s.press("!", "q")
	if s.has("Quit, and leave group"); s.quit {
		t.Error("left without a question")
	}
}

// TestReadOnlyOffersNoChange: neither in the line of hints nor as if it worked in help.
func TestReadOnlyOffersNoChange(t *testing.T) {
	for name, tt := range map[string]struct {
		snap *snapshotT
		cfg  func(*Config)
		why  string
	}{
		"--read-only always": {viewtest.Orderly(), func(c *Config) { c.ReadOnly = true }, "off: started with --read-only"},
		"a recording":        {viewtest.Replayed(viewtest.Orderly()), func(*Config) {}, "off: a recording can not be"},
	} {
		s := newScreen(t, tt.snap, 200, 60, tt.cfg)
		s.press("4")
		for _, hint := range []string{"! arm", "X release", "C pause consuming"} {
			if strings.Contains(s.lines()[59], hint) {
				t.Errorf("%s: %q is offered", name, hint)
			}
		}
		s.press("?")
		if n := strings.Count(s.text(), tt.why); n != 3 {
			t.Errorf("%s: %d actions are off, want arm, release and pause:\n%s", name, n, s.text())
		}
	}
	s := newScreen(t, viewtest.Orderly(), 200, 60)
	s.press("4")
	s.has("! arm")
	s.has("X release")
}
