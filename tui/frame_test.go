package tui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"mqscope/views/viewtest"
)

func TestTheFrameIsComposedAtMostOncePerInterval(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	before, snap := s.m.frame.count, viewtest.Normal()
	for range 1000 { // one second of snapshots, a thousand of them
		s.wait(time.Millisecond)
		snap = next(snap, time.Millisecond)
		s.send(snapshotMsg{snap})
		_ = s.m.View()
	}
	if n := s.m.frame.count - before; n < 28 || n > 31 {
		t.Errorf("%d frames in a second of changes at 30 a second", n)
	}
}

func TestTheFirstChangeIsSeenAtOnce(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.wait(500 * time.Millisecond)
	before := s.m.frame.count
	s.send(keyMsg("2"))
	if s.m.frame.count != before+1 {
		t.Error("the first change after a rest was not composed at once")
	}
	s.send(keyMsg("0"))
	if s.m.frame.count != before+1 {
		t.Error("the second change in one interval was composed at once")
	}
	s.wait(time.Second / 30)
	if s.m.frame.count != before+2 {
		t.Error("the second change was not composed at the end of the interval")
	}
	s.has("▸0 Events")
}

func TestViewOnlyHandsOutTheFrame(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	before := s.m.frame.count
	if n := testing.AllocsPerRun(100, func() { _ = s.m.View() }); n != 0 {
		t.Errorf("View allocates %v times", n)
	}
	if s.m.frame.count != before {
		t.Error("View composed")
	}
}

func TestACleanScreenIsDrawnOnlyForItsAges(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	before := s.m.frame.count
	s.wait(10 * time.Second)
	if n := s.m.frame.count - before; n != 10 {
		t.Errorf("%d frames in ten seconds without news, want one a second for the age", n)
	}
	s.has("~10s ago")
}

func TestASnapshotThatIsOldIsNotDrawnAgain(t *testing.T) {
	snap := viewtest.Normal()
	s := newScreen(t, snap, 120, 36)
	s.send(snapshotMsg{snap})
	if s.m.frame.dirty {
		t.Error("the same snapshot again made the frame dirty")
	}
}

func TestABlurredTerminalGetsTwoFramesASecond(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	s.send(tea.BlurMsg{})
	before, snap := s.m.frame.count, viewtest.Normal()
	for range 500 {
		s.wait(10 * time.Millisecond)
		snap = next(snap, 10*time.Millisecond)
		s.send(snapshotMsg{snap})
	}
	if n := s.m.frame.count - before; n > 11 {
		t.Errorf("%d frames in five seconds while nobody looks, want at most two a second", n)
	}
	s.send(tea.FocusMsg{})
	s.wait(40 * time.Millisecond)
	if s.m.frame.dirty {
		t.Error("the frame is not brought up to date when the terminal is looked at again")
	}
}

func TestAFrozenScreenKeepsItsPictureAndItsAgeGoesOn(t *testing.T) {
	snap := viewtest.Normal()
	s := newScreen(t, snap, 120, 36)
	s.press("p")
	s.has("FROZEN")
	later := changed(next(snap, 5*time.Second), func(s *snapshotT) { s.Group.Name = "another-group" })
	s.send(snapshotMsg{later})
	s.wait(5 * time.Second)
	s.has("order-svc")
	s.hasNot("another-group")
	s.has("~6.4s ago")
	s.press("p")
	s.has("another-group")
	s.hasNot("FROZEN")
}

func TestTheFrameHasTheSizeOfTheTerminal(t *testing.T) {
	for _, c := range viewtest.Cases() {
		s := newScreen(t, c.Snap, 120, 36)
		for _, keys := range [][]string{{"1"}, {"2"}, {"enter"}, {"3"}, {"4"}, {"5", "+"}, {"6", "+"}, {"0"}, {"?"}, {"esc", "t"}, {"esc", "2", "/", "a"}, {"esc", "s"}} {
			s.press(keys...)
			for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}, {59, 15}, {7, 3}, {1, 1}, {300, 100}} {
				s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				s.wait(50 * time.Millisecond)
				checkSize(t, c.Name+" "+s.where(), s.m.View(), size[0], size[1])
			}
		}
	}
}

func TestATerminalWithoutSizeIsNoFault(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 120, 36)
	for _, size := range [][2]int{{0, 0}, {80, 0}, {0, 24}, {-1, -1}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.press("2", "enter", "?", "esc")
		s.mouse(0, 0, tea.MouseButtonLeft)
	}
	s.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	s.wait(time.Second)
	checkSize(t, "after it has one again", s.m.View(), 120, 36)
}

// TestAFloodOfKeysIsTakenQuickly sends more keys than a person can, without time to draw.
func TestAFloodOfKeysIsTakenQuickly(t *testing.T) {
	s := newScreen(t, many(4096), 120, 36)
	s.press("2")
	before := s.m.frame.count
	for range 4000 {
		s.send(keyMsg("j"))
	}
	if n := s.m.frame.count - before; n > 1 {
		t.Errorf("%d frames without time between them", n)
	}
	s.wait(time.Second)
	s.has(" 4,001/4,096 ")
}

func TestAHugeTerminalIsFilled(t *testing.T) {
	s := newScreen(t, viewtest.Normal(), 1000, 500)
	for _, k := range []string{"1", "2", "enter", "0"} {
		s.press(k)
		checkSize(t, s.where(), s.m.View(), 1000, 500)
	}
}

func checkSize(t *testing.T, what, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Errorf("%s at %dx%d: %d lines", what, w, h, len(lines))
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n > w {
			t.Errorf("%s at %dx%d: line %d has %d cells", what, w, h, i, n)
		}
	}
}

// TestP47AResizedScreenEqualsAFreshOne resizes a hundred times, at different places, and
// compares the last frame with that of a screen that always had this size.
func TestP47AResizedScreenEqualsAFreshOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(47, 1))
	keys := []string{"2", "enter", "tab", "q", "j", "0", "1", "?", "esc", "esc", "z", "t", "esc"}
	snap := viewtest.Normal()
	s := newScreen(t, snap, 120, 36)
	var pressed []string
	for i := range 100 {
		if i%8 == 0 {
			k := keys[i/8%len(keys)]
			pressed = append(pressed, k)
			s.press(k)
		}
		s.cmds = nil
		s.send(tea.WindowSizeMsg{Width: 60 + rnd.IntN(180), Height: 16 + rnd.IntN(60)})
		s.wait(time.Duration(rnd.IntN(80)) * time.Millisecond)
	}
	s.send(tea.WindowSizeMsg{Width: 119, Height: 35})
	s.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	s.wait(time.Second)
	if len(s.cmds) == 0 {
		t.Error("the terminal is not cleared after a resize")
	}

	fresh := newScreen(t, snap, 120, 36)
	fresh.press(pressed...)
	for _, sc := range []*screen{s, fresh} {
		sc.m.toasts = toasts{}
		sc.clock = viewtest.Now().Add(time.Minute)
		sc.m.frame.touch()
		sc.send(wakeMsg{})
	}
	if diff := cmp.Diff(fresh.m.View(), s.m.View()); diff != "" {
		t.Errorf("the resized screen differs (-fresh +resized):\n%s", diff)
	}
}

func TestATinyWindowTakesNoBlindKeys(t *testing.T) {
	t.Run("nothing but leaving works", func(t *testing.T) {
		s := newScreen(t, inDemo(viewtest.Normal()), 59, 15)
		s.has("mqscope needs 60x16, this is 59x15.")
		s.press("2", "?", "C", "/", "enter", "esc", "t")
		s.mouse(1, 1, tea.MouseButtonLeft)
		if s.where() != "overview" || s.quit {
			t.Errorf("at %s quit=%v: a key acted without a picture", s.where(), s.quit)
		}
		s.press("q")
		if !s.quit {
			t.Error("q does not quit")
		}
	})
	t.Run("an input below takes no text", func(t *testing.T) {
		s := newScreen(t, inDemo(viewtest.Normal()), 80, 24)
		s.press("2", "/")
		s.send(tea.WindowSizeMsg{Width: 20, Height: 5})
		s.press("a", "b", "enter")
		s.paste("more")
		if s.m.input == nil || len([]rune(s.m.input.line.text())) != 0 {
			t.Error("the input took keys while it was not seen")
		}
	})
	t.Run("a consumer is not left by one key", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 40, 5)
		s.press("q")
		if s.quit {
			t.Fatal("q left a driven consumer without a question")
		}
		s.has("q again leaves")
		s.press("x")
		s.hasNot("q again leaves")
		s.press("ctrl+c", "q")
		if !s.quit {
			t.Error("the second key does not leave")
		}
	})
	t.Run("the bigger window is drawn again", func(t *testing.T) {
		s := newScreen(t, viewtest.Normal(), 59, 15)
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.wait(time.Second)
		s.has("Overview")
	})
}

func TestOnlyAllowedSequencesReachTheTerminal(t *testing.T) {
	s := newScreen(t, viewtest.Hostile(), 120, 36)
	allowed := s.m.theme.Sequences()
	for _, keys := range [][]string{{"1"}, {"2"}, {"enter"}, {"o"}, {"enter"}, {"3"}, {"4"}, {"5", "+"}, {"6", "+", "x"}, {"esc", "0"}, {"?"}, {"esc", "t"}, {"esc", "2", "s"}, {"esc", "C"}, {"esc", "y"}, {"esc", "esc", "/", "\u202e", "a"}} {
		s.press(keys...)
		checkBytes(t, s.where(), s.m.View(), allowed)
	}
	s.press("esc", "1")
	s.send(snapshotMsg{changed(viewtest.Hostile(), func(n *snapshotT) {
		n.Seq += 5
		n.Source.Err, n.Group.Name = viewtest.Payloads()[0], strings.Join(viewtest.Payloads(), "")
	})})
	s.press("ctrl+c")
	checkBytes(t, "leaving", s.m.View(), allowed)
}

// checkBytes finds bytes that are neither text nor a sequence of the theme.
func checkBytes(t *testing.T, what, frame string, allowed map[string]bool) {
	t.Helper()
	for _, line := range strings.Split(frame, "\n") {
		for i := 0; i < len(line); i++ {
			if line[i] == 0x1b {
				end := strings.IndexByte(line[i:], 'm')
				if end < 0 || !allowed[line[i:i+end+1]] {
					t.Fatalf("%s: sequence %q is not the theme's", what, line[i:min(i+12, len(line))])
				}
				i += end
				continue
			}
			if line[i] < 0x20 || line[i] == 0x7f {
				t.Fatalf("%s: byte %#x reaches the terminal in %q", what, line[i], line)
			}
		}
		for _, r := range line {
			if r >= 0x80 && r < 0xa0 || r == '\u202e' || r == '\ufffd' {
				t.Fatalf("%s: %q reaches the terminal", what, r)
			}
		}
	}
}
