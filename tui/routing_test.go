package tui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/views/queues"
	"mqscope/views/viewtest"
)

func TestKeysGoWhereTheyBelong(t *testing.T) {
	tests := []struct {
		name  string
		keys  []string
		where string
		quit  bool
	}{
		{"nothing pressed is the Overview", nil, "overview", false},
		{"digits show views", []string{"2"}, "overview>queues", false},
		{"zero shows events", []string{"0"}, "overview>events", false},
		{"another tab lies on the first view again", []string{"2", "0"}, "overview>events", false},
		{"one goes to the first view from anywhere", []string{"2", "enter", "1"}, "overview", false},
		{"enter opens", []string{"2", "enter"}, "overview>queues>detail", false},
		{"q goes back", []string{"2", "enter", "q"}, "overview>queues", false},
		{"backspace goes up", []string{"2", "enter", "backspace", "backspace", "backspace"}, "overview", false},
		{"esc goes back but never quits", []string{"2", "esc", "esc", "esc"}, "overview", false},
		{"q at the first view quits", []string{"2", "q", "q"}, "overview", true},
		{"ctrl+c quits from anywhere", []string{"2", "enter", "ctrl+c"}, "overview>queues>detail", true},
		{"a slash opens an input", []string{"2", "/"}, "overview>queues+input", false},
		{"every printable key is text there", []string{"2", "/", "q", "1", "?", "C", "p", " "}, "overview>queues+input", false},
		{"esc leaves the input first", []string{"2", "/", "a", "esc"}, "overview>queues", false},
		{"ctrl+c quits while text is typed", []string{"2", "/", "a", "ctrl+c"}, "overview>queues+input", true},
		{"a question mark opens help", []string{"?"}, "overview+help", false},
		{"help takes letters as search", []string{"?", "q", "2"}, "overview+help", false},
		{"a second question mark closes help", []string{"?", "?"}, "overview", false},
		{"esc in help takes the text back first", []string{"?", "q", "esc"}, "overview+help", false},
		{"a question mark after text is text", []string{"?", "q", "?"}, "overview+help", false},
		{"then esc closes it", []string{"?", "q", "esc", "esc"}, "overview", false},
		{"an overlay has digits before the view", []string{"t", "2"}, "overview+picker", false},
		{"esc closes an overlay", []string{"t", "esc"}, "overview", false},
		{"ctrl+c quits from an overlay", []string{"t", "ctrl+c"}, "overview+picker", true},
		{"a picker opens over the view that asked", []string{"2", "s"}, "overview>queues+picker", false},
		{"o offers what is related to a queue", []string{"2", "o"}, "overview>queues+picker", false},
		{"its events come first", []string{"2", "o", "enter"}, "overview>queues>events", false},
		{"then its pull task", []string{"2", "o", "down", "enter"}, "overview>queues>scheduler", false},
		{"seven shows the Scheduler", []string{"7"}, "overview>scheduler", false},
		{"the same queue is not opened twice", []string{"2", "enter", "o", "enter", "q", "enter"}, "overview>queues>detail", false},
		{"keys of a full-width input method count", []string{"２"}, "overview>queues", false},
		{"a full-width question mark asks for help", []string{"？"}, "overview+help", false},
		{"an ideographic comma is a slash", []string{"2", "、"}, "overview>queues+input", false},
		{"several runes in one message are pressed one by one", []string{"2?"}, "overview>queues+help", false},
		{"runes after a slash in one message are text", []string{"2", "/12q"}, "overview>queues+input", false},
		{"alt is no command", []string{"alt+2"}, "overview", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
			for _, k := range tt.keys {
				if rest, alt := strings.CutPrefix(k, "alt+"); alt {
					s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: true})
					continue
				}
				s.press(k)
			}
			if got := s.where(); got != tt.where || s.quit != tt.quit {
				t.Errorf("at %s quit=%v, want %s quit=%v", got, s.quit, tt.where, tt.quit)
			}
		})
	}
}

func TestPastedTextNeverActs(t *testing.T) {
	t.Run("in a view it does nothing, and says so", func(t *testing.T) {
		s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
		s.paste("q2?\nC")
		if s.where() != "overview" || s.quit || len(s.source.done()) != 0 {
			t.Errorf("at %s, quit %v, commands %v: pasted text acted", s.where(), s.quit, s.source.done())
		}
		s.has("Pasted text does nothing here")
	})
	t.Run("in an overlay it does nothing", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.press("C")
		s.paste("\r\n")
		if s.where() != "overview+confirm" || len(s.source.done()) != 0 {
			t.Errorf("at %s, commands %v: pasted text answered", s.where(), s.source.done())
		}
	})
	t.Run("in an input its line breaks are blanks", func(t *testing.T) {
		s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
		s.press("2", "/")
		s.paste("lag>1k\r\nowner:me\t\x1b[31m")
		if got, want := s.m.input.line.text(), "lag>1k  owner:me [31m"; got != want {
			t.Errorf("text %q, want %q", got, want)
		}
	})
	t.Run("ten megabytes are cut", func(t *testing.T) {
		s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
		s.press("2", "/")
		s.paste(strings.Repeat("订单", 2<<20))
		if n := len([]rune(s.m.input.line.text())); n != maxInput {
			t.Errorf("%d runes kept, want %d", n, maxInput)
		}
	})
}

func TestTheInputIsToldAsItIsTyped(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("2", "/", "p", "a", "y")
	s.has("4 of 13")
	if got := s.m.stack.top().state.(queues.State).Filter; got != "pay" {
		t.Errorf("filter %q while typed, want pay", got)
	}
	s.press("backspace", "backspace", "backspace", "lag>1k", "enter")
	if got := s.m.stack.top().state.(queues.State).Filter; got != "lag>1k" || s.m.input != nil {
		t.Errorf("filter %q after enter, want lag>1k", got)
	}
	s.press("/", "x", "x", "esc")
	if got := s.m.stack.top().state.(queues.State).Filter; got != "lag>1k" {
		t.Errorf("filter %q after esc, want the one before: lag>1k", got)
	}
	s.press("u")
	if got := s.m.stack.top().state.(queues.State).Filter; got != "" {
		t.Errorf("filter %q after undo, want none", got)
	}
}

func TestAKeyThatDoesNothingSaysSo(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("Y")
	s.has("Y does nothing here; ? shows the keys")
}

func TestAnActionThatIsOffGivesItsReason(t *testing.T) {
	s := newScreen(t, changed(viewtest.Normal(), func(s *snapshotT) { s.Mode.ReadOnly = true }), 120, 36)
	s.press("C")
	s.has("read-only: nothing is driven")
	if s.where() != "overview" {
		t.Errorf("at %s: a disabled action opened something", s.where())
	}
}

func TestRemappedKeysRule(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36, withKeys(map[string][]string{"view-queues": {"f5"}, "sort": {"j"}}))
	s.has("1 key of the configuration is not used")
	s.press("2")
	if s.where() != "overview" {
		t.Error("the old key still works")
	}
	s.press("f5")
	if s.where() != "overview>queues" {
		t.Error("the new key does not work")
	}
	s.press("?")
	s.has("keys.sort: ")
}

func TestCtrlZStopsTheProcess(t *testing.T) {
	s := newScreen(t, inDemo(viewtest.Normal()), 120, 36)
	s.press("ctrl+z")
	found := false
	for _, c := range s.cmds {
		_, is := c.(tea.SuspendMsg)
		found = found || is
	}
	if !found {
		t.Error("ctrl+z did not suspend")
	}
	s.cmds = nil
	s.send(resumedMsg{})
	if n := len(s.cmds); n != 2 {
		t.Errorf("%d commands after coming back, want two: the mouse and a cleared screen", n)
	}
	s.cmds = nil
	s.send(continuedMsg{})
	if len(s.cmds) == 0 {
		t.Error("a process that was stopped from outside does not put its terminal in order")
	}
}
