//go:build unix

package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
)

// stops catches SIGTSTP, so that the terminal is in order while the process is stopped. The
// stop itself is made by Bubble Tea with the same signal, which must not be caught then.
type stops struct{ signals chan os.Signal }

func catchStops(ctx context.Context, group *lifecycle.Group, send func(tea.Msg)) *stops {
	s := &stops{signals: make(chan os.Signal, 1)}
	s.watch()
	group.Go("stop signals", func(context.Context) error {
		defer signal.Stop(s.signals)
		for {
			select {
			case <-s.signals:
				send(stopMsg{})
			case <-ctx.Done():
				return nil
			}
		}
	})
	return s
}

func (s *stops) watch() { signal.Notify(s.signals, syscall.SIGTSTP) }

// suspend stops the process group once the terminal is as it was. Afterwards Bubble Tea
// sends tea.ResumeMsg, on which watching begins again.
func (s *stops) suspend() (cmd tea.Cmd, resumed func()) {
	signal.Reset(syscall.SIGTSTP)
	return tea.Suspend, s.watch
}
