//go:build !unix

package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
)

// stops does nothing where processes can not be stopped.
type stops struct{}

func catchStops(context.Context, *lifecycle.Group, func(tea.Msg)) *stops { return &stops{} }

func (*stops) suspend() (cmd tea.Cmd, resumed func()) { return nil, func() {} }
