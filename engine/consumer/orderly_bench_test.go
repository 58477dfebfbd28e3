//go:build unix

package consumer_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
)

// BenchmarkFrameToCommitted is BenchmarkFrameToAcknowledged with each queue consumed in order,
// one message a call. A message out of order fails it.
func BenchmarkFrameToCommitted(b *testing.B) {
	peer := newPreparedPeer(b)
	var got, wrong atomic.Int64
	var next [benchQueues]int64 // each is used by one call at a time
	enough := make(chan struct{})
	want := int64(b.N)
	run := benchOrderly(b, peer.addr, func(_ context.Context, m []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
		if m[0].QueueOffset() != next[c.Queue.QueueID] {
			wrong.Add(1)
		}
		next[c.Queue.QueueID] = m[0].QueueOffset() + 1
		if got.Add(1) == want {
			close(enough)
		}
		return consume.OrderlySuccess
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	<-enough
	b.StopTimer()
	runtime.ReadMemStats(&after)
	n := float64(got.Load())
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "objects/msg")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "bytes/msg")
	run.stop()
	if wrong.Load() > 0 {
		b.Errorf("%d messages came out of order", wrong.Load())
	}
}

// BenchmarkIdleOrderly is BenchmarkIdle with queue locks: they are renewed once in the time
// that is looked at.
func BenchmarkIdleOrderly(b *testing.B) {
	run := benchOrderly(b, startBenchBroker(b), func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
		return consume.OrderlySuccess
	})
	began := time.Now()
	for len(owned(run.push.Snapshot())) < idleQueues {
		<-run.push.Updates()
	}
	b.ReportMetric(time.Since(began).Seconds()*1000, "ms-to-own-all")
	time.Sleep(3 * time.Second)
	for b.Loop() {
		before := cpuTime(b)
		time.Sleep(idleOrderlyFor)
		b.ReportMetric(100*(cpuTime(b)-before).Seconds()/idleOrderlyFor.Seconds(), "%core")
		b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
	}
	run.stop()
}

// idleOrderlyFor has one renewal of all locks in it.
const idleOrderlyFor = 20 * time.Second

type orderlyRun struct {
	push *consumer.Push
	stop func()
}

// benchOrderly runs an orderly consumer against the servers at addr.
func benchOrderly(b *testing.B, addr string, listener consume.OrderlyListener) orderlyRun {
	b.Helper()
	instance, err := client.New(client.Config{NameServers: []string{addr}, ClientID: benchID})
	if err != nil {
		b.Fatal(err)
	}
	push, err := consumer.NewPush(consumer.Config{
		Group: group, ClientID: benchID, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}},
		Orderly: true, OrderlyListener: listener,
	}, instance)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	instanceCtx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = instance.Run(instanceCtx) })
	done := make(chan error, 1)
	go func() { done <- push.Run(ctx) }()
	return orderlyRun{push, func() {
		stop()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		end()
		running.Wait()
	}}
}
