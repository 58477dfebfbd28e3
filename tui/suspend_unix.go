//go:build unix

package tui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
)

// stops makes the process stop and notices when it goes on.
type stops struct {
	own atomic.Bool // the stop was made here, so the next SIGCONT tells nothing new
}

// watch sends continuedMsg when the process goes on after others stopped it. They do so
// without a chance to give the terminal back first, and what it is like then is not known.
func (s *stops) watch(ctx context.Context, group *lifecycle.Group, send func(tea.Msg)) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	group.Go("continue signals", func(context.Context) error {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
				if !s.own.CompareAndSwap(true, false) {
					send(continuedMsg{})
				}
			case <-ctx.Done():
				return nil
			}
		}
	})
}

// suspend stops the process and sends resumedMsg when it goes on.
func (s *stops) suspend() tea.Cmd {
	return tea.Exec(stopper{&s.own}, func(err error) tea.Msg { return resumedMsg{err} })
}

// stopWithin is how long it may take until a process that stops itself has stopped.
const stopWithin = 100 * time.Millisecond

// stopper stops the process group, as ctrl+z does in a terminal that is not in raw mode.
// Bubble Tea runs it while the terminal is given back. The kernel does not stop a group that
// no shell could continue; then it returns at once.
type stopper struct{ own *atomic.Bool }

// Run implements tea.ExecCommand.
func (s stopper) Run() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	defer signal.Stop(signals)
	s.own.Store(true)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		s.own.Store(false)
		return err
	}
	limit := time.NewTimer(stopWithin)
	defer limit.Stop()
	select {
	case <-signals:
	case <-limit.C:
		s.own.Store(false)
	}
	return nil
}

func (stopper) SetStdin(io.Reader)  {}
func (stopper) SetStdout(io.Writer) {}
func (stopper) SetStderr(io.Writer) {}
