package tui

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"

	"mqscope/engine/demo"
	"mqscope/engine/memnet"
	"mqscope/themes"
)

// flow is a person before the demo, on a real program without a terminal.
type flow struct {
	t  *testing.T
	tm *teatest.TestModel
}

// startFlow runs an orderly demo and its screen.
func startFlow(t *testing.T) *flow {
	t.Helper()
	network := memnet.New()
	world, err := demo.Open(demo.Config{Seed: 1, Orderly: true, Listen: network.Listen, Dial: network.Dial})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := Config{Source: world, Input: &bytes.Buffer{}, Output: &bytes.Buffer{}, Look: Look{Profile: themes.Mono}}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	b := newBridge(world, 30)
	m.wakeAt = b.wakeAt
	f := &flow{t: t, tm: teatest.NewTestModel(t, m, teatest.WithInitialTermSize(120, 36))}
	b.send = f.tm.Send
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- world.Run(ctx) }()
	go func() { ended <- b.run(ctx) }()
	t.Cleanup(func() {
		stop()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return f
}

// see waits for text that is new on screen: output holds only lines that changed.
func (f *flow) see(text string) {
	f.t.Helper()
	teatest.WaitFor(f.t, f.tm.Output(), func(out []byte) bool { return strings.Contains(ansi.Strip(string(out)), text) },
		teatest.WithDuration(30*time.Second), teatest.WithCheckInterval(20*time.Millisecond))
}

func (f *flow) press(keys ...string) {
	for _, k := range keys {
		f.tm.Send(keyMsg(k))
	}
}

// TestAFlowThroughTheDemo: start, filter, open, freeze, arm, resize, quit.
func TestAFlowThroughTheDemo(t *testing.T) {
	f := startFlow(t)
	f.see("billing")
	f.press("2")
	f.see("COMMITTED")
	f.press("/")
	f.tm.Type("broker:broker-a")
	f.press("enter")
	f.see("broker:broker-a")
	f.press("enter")
	f.see("Cached window")
	f.press("p")
	f.see("FROZEN")
	f.press("p", "4", "!")
	f.see("ARMED")
	f.tm.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
	f.see("[4] Locks")
	f.press("ctrl+c")
	f.see("Quit, and leave group")
	f.press("ctrl+c")
	f.tm.WaitFinished(t, teatest.WithFinalTimeout(30*time.Second))
	if m := f.tm.FinalModel(t).(*model); m.err != nil {
		t.Error(m.err)
	}
}
