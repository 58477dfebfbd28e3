package replay_test

import (
	"context"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
)

// BenchmarkPlaying is what a player costs an event beside its track, as fast as it goes.
func BenchmarkPlaying(b *testing.B) {
	const events = 1_000_000
	track := replaytest.Every(events, time.Millisecond)
	for b.Loop() {
		p := replay.NewPlayer(replay.PlayerConfig{Track: track})
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		p.Do(command.SeekEvent{})
		p.Do(command.Speed{Delta: 100})
		p.Do(command.Play{})
		for p.Snapshot().Replay.Event < events {
			<-p.Updates()
		}
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
