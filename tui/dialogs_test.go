package tui

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/views"
	"mqscope/views/viewtest"
)

func TestLeavingADrivenConsumerAsksOnce(t *testing.T) {
	tests := []struct {
		name string
		snap *snapshotT
		keys []string
		quit bool
	}{
		{"q asks", viewtest.Normal(), []string{"q"}, false},
		{"a second q does not confirm", viewtest.Normal(), []string{"q", "q", "q"}, false},
		{"enter keeps: the default is to stay", viewtest.Normal(), []string{"q", "enter"}, false},
		{"esc keeps", viewtest.Normal(), []string{"q", "esc"}, false},
		{"ctrl+c asks", viewtest.Normal(), []string{"ctrl+c"}, false},
		{"a second ctrl+c leaves", viewtest.Normal(), []string{"ctrl+c", "ctrl+c"}, true},
		{"ctrl+c leaves after q asked", viewtest.Normal(), []string{"q", "ctrl+c"}, true},
		{"the other button leaves", viewtest.Normal(), []string{"q", "wait", "right", "enter"}, true},
		{"but not before it could be read", viewtest.Normal(), []string{"q", "right", "enter"}, false},
		{"tab goes to the button and back", viewtest.Normal(), []string{"q", "wait", "tab", "tab", "enter"}, false},
		{"the demo does not ask", inDemo(viewtest.Normal()), []string{"q"}, true},
		{"nothing asks before there is data", nil, []string{"q"}, true},
		{"a source that only looks does not ask", changed(viewtest.Normal(), func(s *snapshotT) { s.Mode.Driving = false }), []string{"ctrl+c"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, tt.snap, 120, 36)
			pressOrWait(s, tt.keys)
			if s.quit != tt.quit {
				t.Errorf("quit is %v, want %v", s.quit, tt.quit)
			}
		})
	}
}

// pressOrWait presses keys quickly; "wait" lets a second pass.
func pressOrWait(s *screen, keys []string) {
	for _, k := range keys {
		if k == "wait" {
			s.wait(time.Second)
			continue
		}
		s.send(keyMsg(k))
		s.wait(40 * time.Millisecond)
	}
}

func TestPausingConsumptionIsConfirmed(t *testing.T) {
	paused := changed(viewtest.Normal(), func(s *snapshotT) { s.Mode.Paused = true })
	tests := []struct {
		name string
		snap *snapshotT
		keys []string
		want []engine.Command
	}{
		{"the key only asks", viewtest.Normal(), []string{"C"}, nil},
		{"the key again does not confirm", viewtest.Normal(), []string{"C", "wait", "C", "C"}, nil},
		{"enter cancels: that is the default", viewtest.Normal(), []string{"C", "wait", "enter"}, nil},
		{"esc cancels", viewtest.Normal(), []string{"C", "wait", "esc"}, nil},
		{"the other button pauses", viewtest.Normal(), []string{"C", "wait", "l", "enter"}, []engine.Command{engine.Pause{}}},
		{"a burst of keys does not answer a question nobody has read", viewtest.Normal(), []string{"C", "l", "enter"}, nil},
		{"lower case asks nothing", viewtest.Normal(), []string{"c", "enter"}, nil},
		{"a paused consumer is resumed", paused, []string{"C", "wait", "l", "enter"}, []engine.Command{engine.Resume{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, tt.snap, 120, 36)
			pressOrWait(s, tt.keys)
			if diff := cmp.Diff(tt.want, s.source.done()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheConfirmationSaysEffectScopeAndCluster(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 80, 24)
	s.press("C")
	for _, text := range []string{"Confirm (!)", "order-svc @ prod-sh", "in this process", "13 queues are no longer pulled", "[ Cancel ]", "Pause"} {
		s.has(text)
	}
	s.press("esc", "q")
	for _, text := range []string{"Confirm (!)", "Quit, and leave group order-svc @ prod-sh", "[ Cancel ]"} {
		s.has(text)
	}
}

func TestCopyUsesTheTerminalsClipboard(t *testing.T) {
	sequence := func(text string) string {
		return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	}
	hostile := "a\x1b]52;c;QUFB\x07b"
	ask := func(s *screen, raw string) {
		s.m.carryOut(views.NewCleaner().Copying(raw))
		s.wait(time.Second)
	}
	tests := []struct {
		name  string
		raw   string
		keys  []string
		wrote string
		says  string
	}{
		{"clean text is copied as it is", "order-created/broker-a/3", nil, sequence("order-created/broker-a/3"), "Copied order-created/broker-a/3 (OSC 52)"},
		{"Chinese text is clean", "订单/a/3", nil, sequence("订单/a/3"), "Copied 订单/a/3"},
		{"hidden characters are asked about first", hostile, nil, "", "2 characters do not show as they are: a␛]52;c;QUFB␇b"},
		{"esc copies nothing then", hostile, []string{"esc"}, "", ""},
		{"what is shown can be copied", hostile, []string{"enter"}, sequence("a␛]52;c;QUFB␇b"), "Copied"},
		{"or hexadecimal", "\x1b", []string{"j", "enter"}, sequence("1b"), "Copied 1b"},
		{"or Base64", "\x1b", []string{"G", "enter"}, sequence("Gw=="), "Copied Gw=="},
		{"long text is no hidden text", strings.Repeat("long ", 200), nil, sequence(strings.Repeat("long ", 200)), "Copied long"},
		{"a line feed is hidden", "one\ntwo", nil, "", "1 character does not show"},
		{"too much for a terminal is said to be", strings.Repeat("x", maxClipboard+1), nil, "", "65,537 bytes are too many for the clipboard"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, viewtest.Normal(), 120, 36)
			ask(s, tt.raw)
			s.press(tt.keys...)
			if got := s.wrote.String(); got != tt.wrote {
				t.Errorf("wrote %q, want %q", got, tt.wrote)
			}
			s.has(tt.says)
		})
	}
}

func TestCopyOfTheRowUnderTheCursor(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2", "y")
	want := base64.StdEncoding.EncodeToString([]byte("order-created/broker-a/3"))
	if !strings.Contains(s.wrote.String(), want) {
		t.Errorf("wrote %q, want the name of the first row", s.wrote.String())
	}
}

func TestPickersAnswerTheView(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.press("2", "s")
	s.has(" Sort by ")
	s.press("j", "enter")
	if s.where() != "overview>queues" {
		t.Fatalf("at %s after enter", s.where())
	}
	s.has("sort TOPIC")
	s.press("s", "G", "esc")
	s.has("sort TOPIC")
}

func TestThemesChangeAtRunTime(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	before := s.m.View()
	s.press("t")
	s.has(" Theme ")
	s.press("G")
	if s.m.choice.Palette != "mono" {
		t.Fatalf("palette %s under the cursor, want mono", s.m.choice.Palette)
	}
	if strings.Contains(s.m.View(), "[38;2") {
		t.Error("the theme under the cursor is not shown")
	}
	s.press("esc")
	s.m.toasts = toasts{}
	s.wait(time.Second)
	if s.m.choice.Palette != "mqscope" {
		t.Error("esc does not take the old theme back")
	}
	s.press("t", "j", "j", "j", "enter")
	s.has("Theme mqscope-light")
	if s.m.theme.Dark || s.m.View() == before {
		t.Error("the theme taken is not in force")
	}
	s.press("t")
	s.has("✓ mqscope-light")
}

func TestHelpListsWhatWorksHereAndDoesIt(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("2", "?")
	s.has("Help · Queues, keys that work here")
	s.hasNot("follow the newest event")
	s.press("group by")
	s.has("group by topic, broker, owner")
	s.hasNot("exact numbers on or off")
	s.press("enter")
	if s.where() != "overview>queues" {
		t.Fatalf("at %s after enter", s.where())
	}
	s.has("group topic")
	s.press("?", "zzz")
	s.has("0 actions")
	s.press("enter", "backspace", "backspace", "backspace")
	s.has("LEAVE")
	s.press("pgdown", "pgdown", "pgdown", "pgdown", "pgup", "up", "down")
	s.paste("exact")
	s.has("1 action")
}

func TestHelpSaysWhatIsOffAndWhereTheLogIs(t *testing.T) {
	s := newScreen(t, changed(viewtest.Normal(), func(s *snapshotT) { s.Mode.ReadOnly = true }), 120, 36,
		func(c *Config) { c.LogPath = "/var/log/mqscope.json" })
	s.press("?")
	s.has("off: read-only: nothing is driven")
	s.has("/var/log/mqscope.json")
}
