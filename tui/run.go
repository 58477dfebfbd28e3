package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
)

// ErrTerminalGone says that the terminal was closed while the screen was on it.
var ErrTerminalGone = errors.New("the terminal is gone")

// ErrTerminalStuck says that the terminal took no bytes when the screen had to leave it. Its
// modes were restored, what was drawn was not cleared.
var ErrTerminalStuck = errors.New("the terminal takes no output, so the screen could not be cleared")

const (
	// leaveWithin is how long the terminal may take to show that the screen is gone.
	leaveWithin = 2 * time.Second
	// hangupWithin is how long after its terminal a process is told of a hang-up.
	hangupWithin = 200 * time.Millisecond
)

// Run shows cfg.Source until the person quits or ctx ends; both are success. It returns when
// the terminal is as it was and all that it started has ended. The source goes on: whoever
// runs it ends it.
func Run(ctx context.Context, cfg Config) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	t := &terminal{in: cfg.Input, out: cfg.Output}
	restore := t.keep()
	defer restore()
	answer, late := "", false
	if cfg.Look.asksGround() {
		answer, late = t.ground(ctx)
	}
	m, err := newModel(cfg, answer)
	if err != nil {
		return err
	}
	b := newBridge(cfg.Source, cfg.FPS)
	m.wakeAt, m.write = b.wakeAt, t.Write
	if late {
		m.late.until = m.now().Add(lateFor)
	}
	return show(ctx, m, b, t)
}

// show runs the Bubble Tea program and the bridge until one of them or ctx ends.
func show(ctx context.Context, m *model, b *bridge, t *terminal) error {
	p := tea.NewProgram(m, options(m, t)...)
	b.send = p.Send
	group, groupCtx := lifecycle.NewGroup(ctx)
	inner, stop := context.WithCancel(groupCtx)
	defer stop()
	group.Go("bridge", func(context.Context) error { return b.run(inner) })
	var s stops
	s.watch(inner, group, p.Send)
	m.suspend = s.suspend

	screen, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	var programErr error
	screen.Go("program", func(context.Context) error {
		defer close(ended)
		_, programErr = p.Run()
		return nil
	})
	select {
	case <-ended:
	case <-inner.Done():
		if !leave(screen, p, ended) {
			stop()
			return errors.Join(ErrTerminalStuck, group.Wait())
		}
	}
	stop()
	err := errors.Join(screen.Wait(), group.Wait())
	switch {
	case m.err != nil:
		return m.err
	case err != nil:
		return err
	}
	return verdict(ctx, programErr)
}

// leave asks the program to end and reports whether it did in time. One that did not is
// stuck in writing to its terminal; nothing can end that write but the end of the process.
func leave(screen *lifecycle.Group, p *tea.Program, ended <-chan struct{}) bool {
	screen.Go("quit", func(context.Context) error {
		p.Quit() // returns when the program has ended
		return nil
	})
	limit := time.NewTimer(leaveWithin)
	defer limit.Stop()
	select {
	case <-ended:
		return true
	case <-limit.C:
		p.Kill()
		return false
	}
}

// verdict tells what the end of the program means.
func verdict(ctx context.Context, err error) error {
	switch {
	case err == nil, ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic):
		return nil
	case errors.Is(err, tea.ErrProgramPanic), !errors.Is(err, ErrTerminalGone):
		return fmt.Errorf("screen: %w", err)
	}
	// A hang-up signal tells the same, and whoever gets it ends ctx.
	wait := time.NewTimer(hangupWithin)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-wait.C:
		return ErrTerminalGone
	}
}

func options(m *model, t *terminal) []tea.ProgramOption {
	opts := []tea.ProgramOption{
		tea.WithInput(t.input()), tea.WithOutput(t), tea.WithAltScreen(), tea.WithReportFocus(),
		tea.WithFPS(m.cfg.FPS), tea.WithoutSignalHandler(), tea.WithFilter(m.filter),
	}
	if m.mouse {
		opts = append(opts, tea.WithMouseCellMotion())
	}
	return opts
}
