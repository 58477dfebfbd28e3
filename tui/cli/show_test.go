package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/snapshot"
	"mqscope/tui"
)

// script is a source whose life is a function.
type script struct {
	run func(ctx context.Context) error
}

func (s script) Run(ctx context.Context) error { return s.run(ctx) }
func (script) Snapshot() *snapshot.Snapshot    { return &snapshot.Snapshot{} }
func (script) Updates() <-chan struct{}        { return nil }
func (script) Do(engine.Command)               {}

func untilEnded(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// endsAfter is a source that takes d to end.
func endsAfter(d time.Duration) script {
	return script{func(ctx context.Context) error {
		<-ctx.Done()
		return clock.Sleep(context.WithoutCancel(ctx), clock.System{}, d)
	}}
}

var errBroken = errors.New("it is broken")

func TestScreenAndSourceEndTogether(t *testing.T) {
	tests := []struct {
		name   string
		source script
		screen func(ctx context.Context) error
		after  time.Duration // when the outer context ends, 0 for never
		err    error
		took   time.Duration
		note   string
	}{
		{"the source ends after the person quits", endsAfter(100 * time.Millisecond),
			func(ctx context.Context) error { return clock.Sleep(ctx, clock.System{}, time.Second) }, 0, nil, 1100 * time.Millisecond, ""},
		{"the screen ends when the source fails", script{func(ctx context.Context) error {
			if err := clock.Sleep(ctx, clock.System{}, time.Second); err != nil {
				return err
			}
			return errBroken
		}}, untilEnded, 0, errBroken, time.Second, ""},
		{"both end with the context", endsAfter(0), untilEnded, time.Second, nil, time.Second, ""},
		{"the screen's fault is told, the source still ends", endsAfter(100 * time.Millisecond),
			func(context.Context) error { return errBroken }, 0, errBroken, 100 * time.Millisecond, ""},
		{"a source that takes its time is explained", endsAfter(3 * time.Second),
			func(context.Context) error { return nil }, 0, nil, 3 * time.Second, "mqscope: leaving: finishing messages, committing offsets\n"},
		{"nothing is printed on a terminal that takes nothing", endsAfter(3 * time.Second),
			func(context.Context) error { return tui.ErrTerminalStuck }, 0, tui.ErrTerminalStuck, 3 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.after > 0 {
					time.AfterFunc(tt.after, cancel)
				}
				var notes lockedBuffer
				start := time.Now()
				err := showTogether(ctx, tt.source, tt.screen, &notes)
				if !errors.Is(err, tt.err) || (tt.err == nil) != (err == nil) {
					t.Errorf("error %v, want %v", err, tt.err)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if notes.String() != tt.note {
					t.Errorf("notes %q, want %q", notes.String(), tt.note)
				}
			})
		})
	}
}

func TestP46APanicInTheEngineClosesTheScreenFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := false
		source := script{func(ctx context.Context) error { panic("a part is broken") }}
		screen := func(ctx context.Context) error {
			<-ctx.Done()
			closed = true
			return nil
		}
		err := showTogether(t.Context(), source, screen, &lockedBuffer{})
		if bug, ok := errors.AsType[*lifecycle.PanicError](err); !ok || !strings.Contains(bug.Error(), "a part is broken") {
			t.Errorf("error %v, want a PanicError", err)
		}
		if !closed {
			t.Error("the screen was not closed before the error came back")
		}
		if err := printTogether(t.Context(), source, untilEnded); err == nil {
			t.Error("plain lines: no error")
		}
	})
}

func TestTheSourceEndsBeforeItsLastLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		var printed time.Duration
		err := printTogether(ctx, endsAfter(2*time.Second), func(ctx context.Context) error {
			<-ctx.Done()
			printed = time.Since(start)
			return nil
		})
		if err != nil || printed != 3*time.Second {
			t.Errorf("error %v, last lines after %v, want them when the source has ended", err, printed)
		}
	})
}

func TestReport(t *testing.T) {
	bug := lifecycle.Guard(t.Context(), "loop", func(context.Context) error { panic("oh no") })
	tests := []struct {
		name  string
		err   error
		cause error
		code  int
		want  []string
		lines int // 0: any
	}{
		{"success says nothing", nil, nil, 0, nil, -1},
		{"a failure is a line", errBroken, nil, 1, []string{"mqscope: it is broken\n"}, 1},
		{"every fault has its line", errors.Join(errBroken, errBroken), nil, 1, []string{"mqscope: it is broken\nmqscope: it is broken\n"}, 2},
		{"a mistake of the call has code two", usage("--x %q: no", "y"), nil, 2, []string{`mqscope: --x "y": no`}, 1},
		{"a signal says nothing and has its code", nil, signalError{syscall.SIGTERM}, 143, nil, -1},
		{"a failure on the way out after a signal is told", errBroken, signalError{syscall.SIGTERM}, 1, []string{"it is broken"}, 1},
		{"a terminal that takes nothing gets nothing", tui.ErrTerminalStuck, nil, 1, nil, -1},
		{"and after a signal the signal counts", tui.ErrTerminalStuck, signalError{syscall.SIGHUP}, 129, nil, -1},
		{"a closed pipe is no failure", outputError{syscall.EPIPE}, nil, 0, nil, -1},
		{"a closed connection is one", fmt.Errorf("send: %w", syscall.EPIPE), nil, 1, []string{"send: "}, 1},
		{"a bug comes with its stack", bug, nil, 1, []string{"mqscope: panic in loop: oh no\n", "This is a bug in mqscope.", "goroutine "}, 0},
		{"hostile text is made visible", fmt.Errorf("remark: \x1b[2J\u202e"), nil, 1, []string{"remark: ␛[2J\\u202e"}, 1},
		{"long text is not cut", fmt.Errorf("%send", strings.Repeat("long ", 200)), nil, 1, []string{"long end"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProcess(t, "")
			if tt.cause != nil {
				p.p.Cancel(tt.cause)
			}
			if code := p.p.report(p.ctx, tt.err); code != tt.code {
				t.Errorf("code %d, want %d", code, tt.code)
			}
			got := p.err.String()
			containsAll(t, "standard error", got, tt.want...)
			if n := strings.Count(got, "\n"); tt.lines > 0 && n != tt.lines || tt.lines < 0 && n != 0 {
				t.Errorf("%d lines:\n%s", n, got)
			}
		})
	}
}
