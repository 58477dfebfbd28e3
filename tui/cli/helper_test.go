package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// result is what a run left behind.
type result struct {
	code     int
	out, err string
}

// lockedBuffer may be written while it is read.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// process has input from a file and output to one, so that nothing is a terminal.
type process struct {
	t       *testing.T
	p       Process
	ctx     context.Context
	signals chan os.Signal
	out     *os.File
	err     *lockedBuffer
}

func newProcess(t *testing.T, input string, args ...string) *process {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	p := &process{t: t, ctx: ctx, signals: make(chan os.Signal, 2), out: out, err: &lockedBuffer{}}
	p.p = Process{Args: args, In: in, Out: out, Err: p.err, Signals: p.signals, Cancel: cancel}
	t.Cleanup(func() {
		cancel(nil)
		in.Close()
		out.Close()
	})
	return p
}

// enter gives the process a context and signals of the test bubble that t belongs to.
func (p *process) enter(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	p.signals = make(chan os.Signal, 2)
	p.ctx, p.p.Signals, p.p.Cancel = ctx, p.signals, cancel
}

func (p *process) run() result {
	p.t.Helper()
	code := Main(p.ctx, p.p)
	b, err := os.ReadFile(p.out.Name())
	if err != nil {
		p.t.Fatal(err)
	}
	return result{code, string(b), p.err.String()}
}

// mqscope runs the program with args.
func mqscope(t *testing.T, args ...string) result {
	t.Helper()
	return newProcess(t, "", args...).run()
}

// checkClean finds bytes that must not reach a pipe.
func checkClean(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			t.Fatalf("%s: %q at byte %d: %s", what, r, i, text[max(i-40, 0):min(i+40, len(text))])
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func containsAll(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q:\n%s", what, w, text)
		}
	}
}
