//go:build !unix

package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/lifecycle"
)

// stops does nothing where processes can not be stopped.
type stops struct{}

func (*stops) watch(context.Context, *lifecycle.Group, func(tea.Msg)) {}

func (*stops) suspend() tea.Cmd { return nil }
