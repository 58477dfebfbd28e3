package proxy

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/capture/infer"
)

// delivered counts messages that were seen to be delivered.
type delivered struct{ n atomic.Int64 }

func (d *delivered) Add(e infer.Event) {
	if p, ok := e.Fact.(infer.PullDone); ok {
		d.n.Add(int64(len(p.Offsets)))
	}
}

// BenchmarkApacheCatchUp measures what the proxy spends while Apache's Java consumer reads
// messages of 1 KiB from Apache's broker through it, beside what these two spend on them.
func BenchmarkApacheCatchUp(b *testing.B) {
	if b.N == 1 {
		return // how the framework begins in any case
	}
	if b.N < 10_000 { // each round starts a JVM, whose first seconds say nothing
		b.Skip("give a number of messages, as in -benchtime 100000x")
	}
	c := apachetest.Start(b, apachetest.Options{})
	ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
	defer cancel()
	warm := b.N / 4
	name := fmt.Sprintf("mqscope_catchup_%d", b.N)
	if _, err := c.Produce(ctx, apachetest.Load{Topic: name, Count: b.N + warm, Size: 1 << 10, Batch: 32, Queues: 4}); err != nil {
		b.Fatal(err)
	}
	sink := &delivered{}
	p, err := New(Config{NameServers: []string{c.NameServer}, Listen: "127.0.0.1:0", Sink: sink})
	if err != nil {
		b.Fatal(err)
	}
	run(b, p.Run)
	<-p.Ready()
	j, err := c.JavaConsumer(ctx, apachetest.Member{Group: name, Topic: name, NameServer: p.Addr()})
	if err != nil {
		b.Fatal(err)
	}
	until := func(n int) {
		for sink.n.Load() < int64(n) {
			if time.Sleep(5 * time.Millisecond); ctx.Err() != nil {
				b.Fatalf("%d of %d messages were delivered: %+v", sink.n.Load(), n, p.Stats())
			}
		}
	}
	used := func() (all [3]time.Duration) {
		var errs [2]error
		all[0], _ = cpuUsed()
		all[1], errs[0] = j.CPU()
		all[2], errs[1] = c.BrokerCPU()
		for _, err := range errs {
			if err != nil {
				b.Skipf("processor time of other processes is not to be had here: %v", err)
			}
		}
		return all
	}
	until(warm)
	from, seen, before := time.Now(), sink.n.Load(), used()
	until(b.N + warm)
	after := used()
	n := float64(sink.n.Load() - seen)
	spent := func(i int) float64 { return float64((after[i] - before[i]).Nanoseconds()) / 1000 }
	b.ReportMetric(0, "ns/op") // production is in it
	b.ReportMetric(n/time.Since(from).Seconds(), "messages/s")
	b.ReportMetric(spent(0)/n, "proxy-cpu-µs/msg")
	b.ReportMetric(spent(1)/n, "java-cpu-µs/msg")
	b.ReportMetric(spent(2)/n, "broker-cpu-µs/msg")
	b.ReportMetric(100*spent(0)/(spent(1)+spent(2)), "proxy-cpu-%")
	if s := p.Stats(); s.Unseen > 0 {
		b.Logf("%d bytes were not looked at", s.Unseen)
	}
	if _, err := j.Close(ctx); err != nil {
		b.Error(err)
	}
}
