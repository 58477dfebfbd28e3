//go:build unix

package consumer_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// asked runs a consumer against the prepared peer and measures what take makes of b.N messages.
func asked[S source](b *testing.B, make func(i *client.Instance) (S, error), take func(ctx context.Context, s S, n int) error) {
	b.Helper()
	peer := newPreparedPeer(b)
	instance, err := client.New(client.Config{NameServers: []string{peer.addr}, ClientID: benchID})
	if err != nil {
		b.Fatal(err)
	}
	s, err := make(instance)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	instanceCtx, kill := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = instance.Run(instanceCtx) })
	done := inBackground(ctx, s.Run)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	err = take(ctx, s, b.N)
	b.StopTimer()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "objects/msg")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N), "bytes/msg")
	stop()
	if endErr := <-done; err == nil {
		err = endErr
	}
	kill()
	running.Wait()
	if err != nil {
		b.Fatal(err)
	}
}

func inBackground(ctx context.Context, run func(context.Context) error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	return done
}

// BenchmarkLiteFrameToPolled is one message's way from the frame of a pull answer to the poll
// that returns it, in batches of 32.
func BenchmarkLiteFrameToPolled(b *testing.B) {
	asked(b, func(i *client.Instance) (*consumer.Lite, error) {
		c, err := consumer.NewLite(consumer.LiteConfig{
			MemberConfig: consumer.MemberConfig{Group: group}, From: mq.FromFirstOffset, PullBatch: benchPull,
		}, i)
		if err == nil {
			err = subscribing(c)
		}
		return c, err
	}, func(ctx context.Context, c *consumer.Lite, n int) error {
		for got := 0; got < n; {
			p, err := c.Poll(ctx)
			if err != nil {
				return err
			}
			got += len(p.Messages)
			p.Release()
		}
		return nil
	})
}

// BenchmarkPull is one message's way through pulls of 32 that are made one after the other.
func BenchmarkPull(b *testing.B) {
	asked(b, func(i *client.Instance) (*consumer.Pull, error) {
		return consumer.NewPull(consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}, Topics: []string{topic}}, i)
	}, func(ctx context.Context, p *consumer.Pull, n int) error {
		for got := 0; got < n; {
			r, err := p.Pull(ctx, first, consumer.Selector{}, int64(got), benchPull)
			if err != nil {
				return err
			}
			got += len(r.Messages)
			r.Release()
		}
		return nil
	})
}
