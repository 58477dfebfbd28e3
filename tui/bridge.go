package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine"
	"mqscope/engine/snapshot"
)

// Messages of the bridge.
type (
	// snapshotMsg brings the newest snapshot.
	snapshotMsg struct{ s *snapshot.Snapshot }
	// wakeMsg comes at the time that the model asked for.
	wakeMsg struct{}
)

// bridge is the one goroutine between engine and screen. It hands over the newest snapshot,
// at most one per frame, and wakes the model: a slow terminal skips snapshots, it never
// queues them, and a clean screen needs no timer.
type bridge struct {
	source engine.Source
	every  time.Duration
	// send must return when the program has ended.
	send  func(tea.Msg)
	wakes chan time.Time // has room for one: the newest wish counts
}

func newBridge(source engine.Source, fps int) *bridge {
	return &bridge{source: source, every: time.Second / time.Duration(fps), wakes: make(chan time.Time, 1)}
}

// wakeAt asks for a wakeMsg at a time; a later call replaces an earlier one. It never waits.
// Only the model's goroutine may call it.
func (b *bridge) wakeAt(at time.Time) {
	select {
	case <-b.wakes:
	default:
	}
	b.wakes <- at
}

// run carries messages until ctx ends.
func (b *bridge) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var wake, sent time.Time
	fresh := true // the source may have had one before anybody listened
	for {
		select {
		case <-b.source.Updates():
			fresh = true
		case wake = <-b.wakes:
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		now := time.Now()
		if fresh && now.Sub(sent) >= b.every {
			fresh, sent = false, now
			b.send(snapshotMsg{b.source.Snapshot()})
		}
		if !wake.IsZero() && !now.Before(wake) {
			wake = time.Time{}
			b.send(wakeMsg{})
		}
		next := wake
		if due := sent.Add(b.every); fresh && (next.IsZero() || due.Before(next)) {
			next = due
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}
