package tui

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/views/overview"
	"mqscope/views/queues"
	"mqscope/views/viewtest"
)

func (s *screen) clickAt(text string) {
	s.t.Helper()
	x, y := s.find(text)
	s.mouse(x+1, y, tea.MouseButtonLeft)
	s.send(tea.MouseMsg{X: x + 1, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionRelease})
	s.wait(50 * time.Millisecond)
}

func TestClicks(t *testing.T) {
	t.Run("a click on a tab shows its view", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.clickAt("2 Queues")
		if s.where() != "overview>queues" {
			t.Errorf("at %s", s.where())
		}
	})
	t.Run("a click on a row selects it, a double click opens it", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.press("2")
		x, y := s.find("%RETRY%order-svc")
		click := func() {
			s.mouse(x, y, tea.MouseButtonLeft)
			s.wait(50 * time.Millisecond)
		}
		click()
		if got := s.m.stack.top().state.(queues.State).Sel.Queue.Topic; got != "%RETRY%order-svc" {
			t.Fatalf("selected %q", got)
		}
		s.wait(time.Second)
		click()
		if s.where() != "overview>queues" {
			t.Fatal("two slow clicks opened something")
		}
		click()
		if s.where() != "overview>queues>detail" {
			t.Errorf("at %s after a double click", s.where())
		}
	})
	t.Run("a click in another pane gives it the keys", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.clickAt("10.1.0.11@9")
		st := s.m.stack.top().state.(overview.State)
		if s.m.stack.top().focus != 1 || st.Sel[1] != "10.1.0.11@9" {
			t.Errorf("focus %d, selected %q", s.m.stack.top().focus, st.Sel[1])
		}
	})
	t.Run("a click on a hint does it", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.clickAt("? help")
		if s.where() != "overview+help" {
			t.Errorf("at %s", s.where())
		}
	})
	t.Run("below an overlay nothing is clicked", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.press("t")
		s.mouse(2, 1, tea.MouseButtonLeft)
		s.clickAt("order-svc › Overview")
		if s.where() != "overview+picker" {
			t.Errorf("at %s", s.where())
		}
		s.clickAt("high-contrast-dark")
		if s.m.choice.Palette != "high-contrast" {
			t.Error("a click in the picker does not move its cursor")
		}
	})
	t.Run("a button takes a double click once it could be read", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.press("C")
		s.clickAt(" Pause  ")
		s.clickAt("[ Pause ]")
		if len(s.source.done()) != 0 {
			t.Fatal("clicks answered at once")
		}
		s.wait(time.Second)
		s.clickAt("[ Pause ]")
		if len(s.source.done()) != 0 {
			t.Fatal("one click answered")
		}
		s.clickAt("[ Pause ]")
		if len(s.source.done()) != 1 {
			t.Error("the button does nothing")
		}
	})
	t.Run("without the mouse nothing happens, and the keys say how to get it", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 120, 36)
		s.press("m")
		s.wait(10 * time.Second)
		s.has("mouse off: select text normally")
		s.clickAt("2 Queues")
		if s.where() != "overview" {
			t.Error("a click acted although the mouse is off")
		}
		s.press("m")
		s.clickAt("2 Queues")
		if s.where() != "overview>queues" {
			t.Error("the mouse is not back")
		}
	})
}

func TestTheWheelScrollsThePaneUnderThePointer(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	x, y := s.find("10.1.0.11@9")
	s.mouse(x, y, tea.MouseButtonWheelDown)
	st := s.m.stack.top().state.(overview.State)
	if st.Pos[0] != 0 || st.Pos[1] == 0 || s.m.stack.top().focus != 0 {
		t.Errorf("positions %v, focus %d: want the second pane scrolled and the focus kept", st.Pos, s.m.stack.top().focus)
	}
}

func TestFloodsOfTheMouseAreMerged(t *testing.T) {
	s := newScreen(t, many(4096), 120, 36)
	s.press("2")
	passed := 0
	for range 1000 {
		s.clock = s.clock.Add(100 * time.Microsecond)
		if s.m.filter(s.m, tea.MouseMsg{X: 5, Y: 10, Action: tea.MouseActionMotion}) != nil {
			t.Fatal("motion gets through")
		}
		if msg := s.m.filter(s.m, tea.MouseMsg{X: 5, Y: 10, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress}); msg != nil {
			passed++
			s.m.Update(msg)
		}
	}
	if passed > 8 {
		t.Errorf("%d wheel events of a tenth of a second got through, want one per 16 ms", passed)
	}
	s.wait(time.Second)
	if got := s.m.stack.top().state.(queues.State).Pos; got != 3000 {
		t.Errorf("scrolled to row %d, want 3000: no step may be lost", got)
	}
}
