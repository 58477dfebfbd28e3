//go:build e2e && unix

package tui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the binary under test: E2E_BINARY, or one that is built once.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("E2E_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.MkdirTemp("", "mqscope-e2e")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mqscope")
	out, err := exec.Command("go", "build", "-o", path, "mqscope").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
})

// tmux is a server of its own with one window, in which a script runs.
type tmux struct {
	t      *testing.T
	socket string
	dir    string
	bin    string
}

// patience is how long something may take to appear.
const patience = 20 * time.Second

// newTmux starts script in a terminal of w by h. In it, $BIN is the program and $DIR a
// directory of the test. The server ends with the test, and no other one is touched.
func newTmux(t *testing.T, w, h int, script string, env ...string) *tmux {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t: t, dir: t.TempDir(), bin: bin}
	m.socket = fmt.Sprintf("mqscope-%d-%d", os.Getpid(), time.Now().UnixNano())
	file := filepath.Join(m.dir, "script")
	head := "BIN='" + bin + "'\nDIR='" + m.dir + "'\nexport BIN DIR XDG_CONFIG_HOME=$DIR\n"
	for _, e := range env {
		head += "export " + e + "\n"
	}
	if err := os.WriteFile(file, []byte(head+script+"\nsleep 1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.run("new-session", "-d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "-s", "main", "bash --norc "+file)
	t.Cleanup(func() { m.run("kill-server") })
	return m
}

// run gives a command to the server.
func (m *tmux) run(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", m.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

// press sends keys by tmux's names.
func (m *tmux) press(keys ...string) {
	m.t.Helper()
	for _, k := range keys {
		m.run("send-keys", "-t", "main", k)
		if k == "Escape" { // read together with the next key it would be alt and that key
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// write sends text or bytes as they are.
func (m *tmux) write(text string) {
	m.t.Helper()
	m.run("send-keys", "-t", "main", "-l", text)
}

func (m *tmux) screen() string  { return m.run("capture-pane", "-p", "-t", "main") }
func (m *tmux) colours() string { return m.run("capture-pane", "-p", "-e", "-t", "main") }

func (m *tmux) resize(w, h int) {
	m.t.Helper()
	m.run("resize-window", "-t", "main", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h))
}

// until waits until the screen is as it should be.
func (m *tmux) until(what string, ok func(screen string) bool) string {
	m.t.Helper()
	screen := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if screen = m.screen(); ok(screen) {
			return screen
		}
	}
	m.t.Fatalf("%s: not seen within %v, but\n%s", what, patience, screen)
	return ""
}

// see waits for text.
func (m *tmux) see(text string) string {
	m.t.Helper()
	return m.until("text "+text, func(s string) bool { return strings.Contains(s, text) })
}

// gone waits until text is not there any more.
func (m *tmux) gone(text string) string {
	m.t.Helper()
	return m.until("no text "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// settle gives a question the time that it must have been on screen before it is answered.
func (m *tmux) settle() { time.Sleep(400 * time.Millisecond) }

// file reads what the script wrote.
func (m *tmux) file(name string) string {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// signal sends a signal to the program, whose process id the script wrote to the file pid.
func (m *tmux) signal(name string) {
	m.t.Helper()
	out, err := exec.Command("kill", "-"+name, strings.TrimSpace(m.file("pid"))).CombinedOutput()
	if err != nil {
		m.t.Fatalf("kill -%s: %v: %s", name, err, out)
	}
}

// around is a script that runs args and compares the terminal's modes before and after.
func around(args string) string {
	return `stty -a >$DIR/before
bash -c 'echo $$ >$DIR/pid; exec $BIN ` + args + `'
code=$?
stty -a >$DIR/after
echo EXIT $code
cmp $DIR/before $DIR/after && echo MODES SAME
printf '\033[6n'; IFS= read -rs -t 5 -d R answer; echo
`
}
