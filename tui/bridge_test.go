package tui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/views/viewtest"
)

func TestTheBridgeSkipsWhatASlowScreenCanNotShow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource(viewtest.Normal())
		b := newBridge(source, 10)
		ctx, stop := context.WithCancel(t.Context())
		var got []uint64
		b.send = func(msg tea.Msg) {
			if m, ok := msg.(snapshotMsg); ok {
				got = append(got, m.s.Seq)
				time.Sleep(250 * time.Millisecond) // a terminal that takes its time
			}
		}
		done := make(chan error, 1)
		go func() { done <- b.run(ctx) }()
		snap := viewtest.Normal()
		first := snap.Seq
		for range 1000 {
			time.Sleep(time.Millisecond)
			snap = next(snap, time.Millisecond)
			source.publish(snap)
		}
		time.Sleep(time.Second)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if len(got) > 6 || got[len(got)-1] != first+1000 {
			t.Errorf("%d snapshots sent, the last is %d: want few, and the newest last", len(got), got[len(got)-1]-first)
		}
	})
}

func TestTheBridgeSendsAtMostOneSnapshotPerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource(viewtest.Normal())
		b := newBridge(source, 30)
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		b.send = func(tea.Msg) { n++ }
		done := make(chan error, 1)
		go func() { done <- b.run(ctx) }()
		snap := viewtest.Normal()
		for range 1000 {
			time.Sleep(time.Millisecond)
			snap = next(snap, time.Millisecond)
			source.publish(snap)
		}
		stop()
		<-done
		if n < 28 || n > 32 {
			t.Errorf("%d snapshots in a second at 30 frames a second", n)
		}
	})
}

func TestTheBridgeWakesAtTheNewestWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource(nil)
		b := newBridge(source, 30)
		ctx, stop := context.WithCancel(t.Context())
		start := time.Now()
		var woken []time.Duration
		b.send = func(msg tea.Msg) {
			if _, ok := msg.(wakeMsg); ok {
				woken = append(woken, time.Since(start))
			}
		}
		done := make(chan error, 1)
		go func() { done <- b.run(ctx) }()
		b.wakeAt(start.Add(time.Hour))
		time.Sleep(time.Second)
		b.wakeAt(start.Add(5 * time.Second))
		b.wakeAt(start.Add(3 * time.Second))
		time.Sleep(2 * time.Hour)
		stop()
		<-done
		if len(woken) != 1 || woken[0] != 3*time.Second {
			t.Errorf("woken at %v, want once after 3s", woken)
		}
	})
}

func TestAnIdleBridgeDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource(viewtest.Normal())
		b := newBridge(source, 30)
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		b.send = func(tea.Msg) { n++ }
		done := make(chan error, 1)
		go func() { done <- b.run(ctx) }()
		time.Sleep(24 * time.Hour)
		stop()
		<-done
		if n != 1 || source.asked != 1 {
			t.Errorf("%d messages, source asked %d times in an idle day: want one first snapshot", n, source.asked)
		}
	})
}
