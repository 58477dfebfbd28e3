package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"mqscope/engine/lifecycle"
	"mqscope/themes"
	"mqscope/views/viewtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, waitsForInterrupt()) }

// waitsForInterrupt is a goroutine that teatest leaves.
func waitsForInterrupt() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/charmbracelet/x/exp/teatest.NewTestModel.func2")
}

// leftBehind are the sequences that give a terminal back: screen, cursor, paste, focus, mouse.
var leftBehind = []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[?1004l", "\x1b[?1002l", "\x1b[?1006l"}

type running struct {
	*pty
	source *fakeSource
	cancel context.CancelFunc
	done   chan error
}

// runOnPTY runs the screen on a terminal and waits until it is drawn.
func runOnPTY(t *testing.T, snap *snapshotT, look Look) *running {
	t.Helper()
	r := &running{pty: openPTY(t, 120, 36), source: newFakeSource(snap), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	r.cancel = cancel
	cfg := Config{Source: r.source, Mouse: true, Look: look, Input: r.slave, Output: r.slave}
	go func() { r.done <- Run(ctx, cfg) }()
	t.Cleanup(cancel)
	return r
}

func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(20 * time.Second):
		r.t.Fatal("Run does not return")
		return nil
	}
}

func TestRunGivesTheTerminalBack(t *testing.T) {
	mono := Look{Profile: themes.Mono} // asks no question first
	tests := []struct {
		name string
		snap *snapshotT
		end  func(r *running)
		err  any
	}{
		{"when the person quits", inDemo(viewtest.Normal()), func(r *running) { r.write("q") }, nil},
		{"when its context ends", inDemo(viewtest.Normal()), func(r *running) { r.cancel() }, nil},
		{"when a question is open", viewtest.Normal(), func(r *running) {
			r.write("C")
			r.expect("Pause consumption")
			r.cancel()
		}, nil},
		{"P46: when the goroutine between engine and screen panics", inDemo(viewtest.Normal()), func(r *running) {
			r.source.mu.Lock()
			r.source.onAsk = func() { panic("the source is broken") }
			r.source.mu.Unlock()
			r.source.updates <- struct{}{}
		}, new(*lifecycle.PanicError)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runOnPTY(t, tt.snap, mono)
			before := r.modes()
			r.expect("Overview")
			if cmp.Equal(before, r.modes()) {
				t.Fatal("the terminal is not in raw mode while the screen is on")
			}
			tt.end(r)
			err := r.wait()
			switch {
			case tt.err == nil && err != nil:
				t.Errorf("error %v", err)
			case tt.err != nil && !errors.As(err, tt.err):
				t.Errorf("error %v, want a %T", err, tt.err)
			}
			if diff := cmp.Diff(before, r.modes()); diff != "" {
				t.Errorf("modes before and after differ:\n%s", diff)
			}
			r.expect("\x1b[?1049l")
			for _, s := range leftBehind {
				if !strings.Contains(r.output(), s) {
					t.Errorf("%q was not written", s)
				}
			}
		})
	}
}

func TestP46APanicInAViewGivesTheTerminalBack(t *testing.T) {
	p := openPTY(t, 120, 36)
	before := p.modes()
	source := newFakeSource(inDemo(viewtest.Normal()))
	cfg, err := Config{Source: source, Look: Look{Profile: themes.Mono}, Input: p.slave, Output: p.slave}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	broken := &failingView{View: m.stack.path[0].view}
	m.stack.path[0].view = broken
	b := newBridge(source, 30)
	m.wakeAt = b.wakeAt
	done := make(chan error, 1)
	go func() { done <- show(t.Context(), m, b, &terminal{in: p.slave, out: p.slave}) }()
	p.expect("Overview")
	broken.fail.Store(true)
	p.write("#")
	err = <-done
	if _, ok := errors.AsType[*lifecycle.PanicError](err); !ok {
		t.Errorf("error %v, want a PanicError", err)
	}
	if diff := cmp.Diff(before, p.modes()); diff != "" {
		t.Errorf("modes before and after differ:\n%s", diff)
	}
	p.expect("\x1b[?1049l")
	if strings.Contains(p.output(), "goroutine ") {
		t.Error("a stack was printed on the screen")
	}
}

// TestP49NothingBlocksAfterTheEnd sends to a screen that has ended.
func TestP49NothingBlocksAfterTheEnd(t *testing.T) {
	p := openPTY(t, 120, 36)
	snap := inDemo(viewtest.Normal())
	source := newFakeSource(snap)
	cfg, err := Config{Source: source, Look: Look{Profile: themes.Mono}, Input: p.slave, Output: p.slave}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	b := newBridge(source, 30)
	m.wakeAt = b.wakeAt
	done := make(chan error, 1)
	go func() { done <- show(t.Context(), m, b, &terminal{in: p.slave, out: p.slave}) }()
	p.expect("Overview")
	p.write("q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	size := len(p.output())
	for range 1000 {
		snap = next(snap, time.Millisecond)
		source.publish(snap)
		b.send(snapshotMsg{snap})
		b.wakeAt(time.Now())
	}
	goleak.VerifyNone(t, goleak.IgnoreAnyFunction("mqscope/tui.(*pty).read"), waitsForInterrupt())
	if strings.Contains(p.output()[size:], "Overview") {
		t.Error("something was drawn after the end")
	}
}

func TestATerminalThatTakesNothingIsLeft(t *testing.T) {
	snap := inDemo(viewtest.Normal())
	r := runOnPTY(t, snap, Look{Profile: themes.Mono})
	before := r.modes()
	r.expect("Overview")
	if err := unix.IoctlSetInt(int(r.slave.Fd()), unix.TCXONC, unix.TCOOFF); err != nil {
		t.Fatal(err)
	}
	r.write("2") // a frame that can not be written
	r.leftBehind = true
	r.cancel()
	if err := r.wait(); !errors.Is(err, ErrTerminalStuck) {
		t.Errorf("error %v, want ErrTerminalStuck", err)
	}
	if diff := cmp.Diff(before, r.modes()); diff != "" {
		t.Errorf("modes before and after differ:\n%s", diff)
	}
	if err := unix.IoctlSetInt(int(r.slave.Fd()), unix.TCXONC, unix.TCOON); err != nil {
		t.Fatal(err)
	}
}

func TestAClosedTerminalEndsTheScreen(t *testing.T) {
	r := runOnPTY(t, inDemo(viewtest.Normal()), Look{Profile: themes.Mono})
	r.expect("Overview")
	r.master.Close()
	if err := r.wait(); !errors.Is(err, ErrTerminalGone) {
		t.Errorf("error %v, want ErrTerminalGone", err)
	}
}

func TestTheTerminalsBackgroundDecides(t *testing.T) {
	r := runOnPTY(t, inDemo(viewtest.Normal()), Look{Profile: themes.TrueColor})
	r.expect(askGround)
	r.write("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;22c")
	r.expect("\x1b[38;2;0;90;140") // the title of the light theme
	r.write("q")
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
}

func TestALateAnswerChangesNothing(t *testing.T) {
	r := runOnPTY(t, inDemo(viewtest.Normal()), Look{Profile: themes.TrueColor})
	r.expect("Overview")
	r.write("\x1b]11;rgb:ffff/2222/0000\x1b\\\x1b[?62;22c")
	r.write("0")
	r.expect("following")
	if strings.Contains(r.output(), "does nothing here") || strings.Contains(r.output(), "Queues ›") {
		t.Error("the answer acted as keys")
	}
	r.cancel()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
}
