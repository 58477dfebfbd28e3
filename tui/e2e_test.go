//go:build e2e && unix

package tui_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const colours = "COLORTERM=truecolor"

func TestE2EEveryViewAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 16}, {200, 60}} {
		m := newTmux(t, size[0], size[1], around("demo"), colours)
		m.see("billing")
		m.press("2")
		m.see("/14 ")
		m.press("Enter")
		m.see("Cached window")
		m.press("0")
		m.see("following")
		m.press("1")
		m.see("Brokers")
		m.press("?")
		m.see("type to search")
		m.press("Escape")
		m.gone("type to search")
		m.press("t")
		m.see("high-contrast")
		m.press("Escape")
		m.gone("high-contrast")
		m.press("q")
		m.see("MODES SAME")
		if s := m.screen(); !strings.Contains(s, "EXIT 0") || strings.Contains(s, "Brokers") {
			t.Errorf("after quitting at %v:\n%s", size, s)
		}
	}
}

func TestE2EATinyWindow(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours)
	m.see("Overview")
	m.resize(59, 15)
	m.see("mqscope needs 60x16, this is 59x15.")
	m.press("2", "?")
	m.resize(60, 16)
	m.see("[1] Overview")
	m.resize(1, 1)
	m.resize(59, 15)
	m.see("needs 60x16")
	m.press("q")
	m.see("EXIT 0")
}

// TestE2EP47ResizedScreens resizes at random and compares with a screen that is drawn anew.
func TestE2EP47ResizedScreens(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours)
	m.see("worst")
	m.press("p")
	m.see("FROZEN")
	rnd := rand.New(rand.NewPCG(47, 2))
	for range 100 {
		m.resize(60+rnd.IntN(150), 16+rnd.IntN(50))
	}
	m.resize(120, 36)
	m.until("a frame of the last size", func(s string) bool {
		lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
		return len(lines) == 36 && strings.Contains(lines[35], "? help")
	})
	age := regexp.MustCompile(`~?[0-9.]+[a-z]+[0-9a-z]* ago|~?[0-9.]+m?s +│| in listener.*`)
	same := func() string { return age.ReplaceAllString(m.screen(), "") }
	before := same()
	m.press("C-l")
	m.until("the same after a redraw", func(string) bool { return same() == before })
	m.press("q")
	m.see("MODES SAME")
}

func TestE2ESignalsGiveTheTerminalBack(t *testing.T) {
	for _, tt := range []struct{ signal, exit string }{
		{"TERM", "EXIT 143"}, {"INT", "EXIT 130"}, {"HUP", "EXIT 129"}, {"QUIT", "EXIT 131"},
	} {
		m := newTmux(t, 120, 36, around("demo"), colours)
		m.see("worst")
		m.signal(tt.signal)
		m.see(tt.exit)
		s := m.see("MODES SAME")
		if strings.Contains(s, "Brokers") {
			t.Errorf("after SIG%s the screen is still there:\n%s", tt.signal, s)
		}
		if m.run("display-message", "-p", "-t", "main", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}") != "0 1 0\n" {
			t.Errorf("after SIG%s alternate screen, cursor or mouse are not as before", tt.signal)
		}
	}
}

func TestE2EASecondSignalEndsAtOnce(t *testing.T) {
	script := `$BIN broker --listen 127.0.0.1:0 --broker-port 0 >$DIR/broker &
until grep -q 'name server on' $DIR/broker; do sleep 0.1; done
NS=$(sed -n 's/^name server on \([^,]*\),.*/\1/p' $DIR/broker)
export NS
echo one | $BIN produce -n $NS -t orders
` + around("consume -n $NS -g billing -t orders --from first --handler-delay 1h")
	m := newTmux(t, 120, 36, script, colours)
	m.see("oldest")
	m.signal("TERM")
	m.see("mqscope: leaving")
	m.signal("HUP") // shells send it once more, which must not cut the end short
	m.signal("TERM")
	m.see("EXIT 143")
	m.see("MODES SAME")
}

func TestE2ETheEndComesByItself(t *testing.T) {
	m := newTmux(t, 80, 24, around("demo --for 3s"), colours)
	m.see("Overview")
	m.see("EXIT 0")
	m.see("MODES SAME")
}

func TestE2ESuspendAndComeBack(t *testing.T) {
	m := newTmux(t, 120, 36, "exec bash --norc -i", colours, "PS1='shell> '")
	m.see("shell>")
	m.write("bash -c 'echo $$ >" + m.dir + "/pid; exec " + m.bin + " demo'\r")
	m.see("worst")
	back := func() {
		m.write("fg\r")
		m.see("Brokers")
		m.until("screen and mouse taken back", func(string) bool {
			return m.run("display-message", "-p", "-t", "main", "#{alternate_on} #{mouse_any_flag}") == "1 1\n"
		})
	}
	m.press("C-z")
	if s := m.see("Stopped"); strings.Contains(s, "Brokers") {
		t.Errorf("the screen is there while the program is stopped:\n%s", s)
	}
	back()
	m.signal("TSTP") // from outside: the screen stays until the program goes on
	m.see("Stopped")
	back()
	m.gone("Stopped")
	m.press("2")
	m.see("TOPIC")
	m.press("q", "q")
	m.gone("TOPIC")
	m.see("shell>")
}

func TestE2ENoColor(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours, "NO_COLOR=1")
	m.see("worst")
	m.press("2")
	m.see("/14 ")
	s := m.until("the cursor's row", func(s string) bool { return strings.Contains(s, "\n►") })
	if !strings.Contains(s, "RW consuming") {
		t.Errorf("no badge:\n%s", s)
	}
	if c := regexp.MustCompile("\x1b\\[[0-9;]*(3[0-8]|4[0-8]|9[0-7])[;m]").FindString(m.colours()); c != "" {
		t.Errorf("colour %q although NO_COLOR is set", c)
	}
	if !strings.Contains(m.colours(), "\x1b[1m") {
		t.Error("nothing is bold: the screen has no attributes at all")
	}
}

func TestE2EADumbTerminalIsRefused(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), "TERM=dumb")
	m.see("TERM=dumb: this terminal can not show screens, use --plain or --json")
	m.see("EXIT 2")
}

func TestE2EALocaleWithoutUnicodeGetsASCII(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours, "LC_ALL=C")
	s := m.see("worst")
	for _, r := range s {
		if r > 0x7e {
			t.Fatalf("%q on an ASCII screen:\n%s", r, s)
		}
	}
}

func TestE2EPastedTextAndTheMouse(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours)
	m.see("worst")
	m.run("set-buffer", "q2?C")
	m.run("paste-buffer", "-p", "-t", "main")
	m.see("Pasted text does nothing here")
	m.press("2", "/")
	m.run("set-buffer", "refunds\nbroker:a")
	m.run("paste-buffer", "-p", "-t", "main")
	m.see("/refunds broker:a")
	m.press("Escape", "1")
	m.see("Brokers")
	m.write("\x1b[<0;18;2M\x1b[<0;18;2m") // a click on the tab of Queues
	m.see("TOPIC")
	row := regexp.MustCompile(` \d+/14 `)
	before := row.FindString(m.screen())
	m.write("\x1b[<65;10;8M") // the wheel
	m.until("another row under the cursor", func(s string) bool { return row.FindString(s) != before })
	m.press("q", "q")
	m.see("MODES SAME")
}

func TestE2ECopyReachesTheClipboard(t *testing.T) {
	m := newTmux(t, 120, 36, around("demo"), colours)
	m.run("set-option", "-s", "set-clipboard", "on")
	m.see("worst")
	m.press("2")
	m.see("/14 ")
	m.press("y")
	m.see("(OSC 52)")
	m.until("the clipboard", func(string) bool {
		return strings.Contains(m.run("list-buffers"), "orders/broker-") || strings.Contains(m.run("list-buffers"), "refunds/broker-") ||
			strings.Contains(m.run("list-buffers"), "RETRY")
	})
}

// TestE2EALiveConsumer runs broker, producer and consumer as three programs.
func TestE2EALiveConsumer(t *testing.T) {
	script := `$BIN broker --listen 127.0.0.1:0 --broker-port 0 >$DIR/broker &
until grep -q 'name server on' $DIR/broker; do sleep 0.1; done
NS=$(sed -n 's/^name server on \([^,]*\),.*/\1/p' $DIR/broker)
export NS
printf 'x\033]0;OWNED\007\033]52;c;T1dORUQ=\007\n%.0s' 1 2 3 4 | $BIN produce -n $NS -t orders --tag "$(printf '已支付\342\200\256\302\233')"
` + around("consume -n $NS -g billing -t orders --from first --handler-delay 20s")
	m := newTmux(t, 120, 36, script, colours)
	m.run("set-option", "-s", "set-clipboard", "on")
	m.see("●LIVE")
	m.press("2")
	m.see("TOPIC")
	m.press("/")
	m.write("orders cached>0")
	m.press("Enter")
	m.see("1/4 of 5")
	m.press("Enter")
	s := m.see("已支付")
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "│") && ansi.StringWidth(line) != 120 {
			t.Errorf("%d cells instead of 120: %s", ansi.StringWidth(line), line)
		}
	}
	if !strings.Contains(s, `\u202e`) || !strings.Contains(s, `\u009b`) {
		t.Errorf("hidden characters of the tag are not made visible:\n%s", s)
	}
	if title := m.run("display-message", "-p", "-t", "main", "#{pane_title}"); strings.Contains(title, "OWNED") {
		t.Errorf("the window title is %q", title)
	}
	if b := m.run("list-buffers"); strings.Contains(b, "OWNED") {
		t.Errorf("the clipboard is %q", b)
	}
	m.press("C")
	m.see("Pause consumption")
	m.press("C", "C")
	m.settle()
	m.press("Right", "Enter")
	m.see("PAUSED consuming")
	m.press("C")
	m.see("Resume consumption")
	m.settle()
	m.press("Right", "Enter")
	m.see("RW consuming")
	m.press("C-c")
	m.see("leave group")
	m.press("Escape")
	m.gone("leave group")
	m.press("C-c")
	m.see("leave group")
	m.press("C-c")
	m.see("EXIT 0")
	m.see("MODES SAME")
}

func TestE2EJoiningAGroupThatHasMembers(t *testing.T) {
	script := `$BIN broker --listen 127.0.0.1:0 --broker-port 0 >$DIR/broker &
until grep -q 'name server on' $DIR/broker; do sleep 0.1; done
NS=$(sed -n 's/^name server on \([^,]*\),.*/\1/p' $DIR/broker)
echo one | $BIN produce -n $NS -t orders
$BIN consume -n $NS -g billing -t orders --plain </dev/null >$DIR/first &
until grep -q pulling $DIR/first; do sleep 0.1; done
$BIN consume -n $NS -g billing -t orders </dev/null; echo NO TERMINAL $?
$BIN consume -n $NS -g billing -t orders; echo FIRST $?
$BIN consume -n $NS -g billing -t orders --for 3s; echo SECOND $?
`
	m := newTmux(t, 120, 36, script, colours)
	m.see("give --join-existing to join it without a question")
	m.see("NO TERMINAL 2")
	m.see("Type the group name to join:")
	m.write("other\r")
	m.see("not joined: the group name was not typed")
	m.see("FIRST 1")
	m.until("a second question", func(s string) bool { return strings.Count(s, "Type the group name to join:") == 2 })
	m.write("billing\r")
	m.see("Members 2")
	m.press("2") // the question before must not eat the first key
	m.see("/5 ")
	m.see("SECOND 0")
}
