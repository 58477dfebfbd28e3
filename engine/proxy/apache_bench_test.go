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
// messages of 1 KiB from Apache's broker through it, beside what these two spend on them. The
// relay is what only copying costs: the same messages, read by another such consumer, go from
// socket to socket without being looked at, in Go, and once more in C: whatever stands between costs
// that at the least.
func BenchmarkApacheCatchUp(b *testing.B) {
	if b.N == 1 {
		return // how the framework begins in any case
	}
	if b.N < 10_000 { // each round starts a JVM, whose first seconds say nothing
		b.Skip("give a number of messages, as in -benchtime 100000x")
	}
	c := apachetest.Start(b, apachetest.Options{})
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	r := &caughtUp{b: b, ctx: ctx, cluster: c, warm: b.N / 4, topic: fmt.Sprintf("mqscope_catchup_%d", b.N)}
	if _, err := c.Produce(ctx, apachetest.Load{Topic: r.topic, Count: b.N + r.warm, Size: 1 << 10, Batch: 32, Queues: 4}); err != nil {
		b.Fatal(err)
	}
	sink := &delivered{}
	p, end := r.proxy(Config{Sink: sink})
	proxied := r.through("p", p, sink.n.Load)
	each := p.Stats().FromServers.Bytes / sink.n.Load() // bytes that a message is on the wire
	if s := p.Stats(); s.Unseen > 0 {
		b.Logf("%d bytes were not looked at", s.Unseen)
	}
	end()
	relay := &copier{broker: c.Broker}
	p, end = r.proxy(Config{ListenFunc: relay.listenFor(b)})
	copied := r.through("r", p, func() int64 { return relay.bytes.Load() / each })
	end()
	if f := newFloor(b, c.Broker); f != nil {
		p, _ = r.proxy(Config{ListenFunc: f.listenFor(b)})
		r.floor = f
		least := r.through("f", p, func() int64 { return f.bytes() / each })
		b.ReportMetric(least.ours, "c-relay-cpu-µs/msg")
		b.ReportMetric(least.percent(), "c-relay-cpu-%")
	}
	b.ReportMetric(0, "ns/op") // production is in it
	b.ReportMetric(proxied.rate, "messages/s")
	b.ReportMetric(proxied.ours, "proxy-cpu-µs/msg")
	b.ReportMetric(proxied.java, "java-cpu-µs/msg")
	b.ReportMetric(proxied.broker, "broker-cpu-µs/msg")
	b.ReportMetric(proxied.percent(), "proxy-cpu-%")
	b.ReportMetric(copied.ours, "relay-cpu-µs/msg")
	b.ReportMetric(copied.percent(), "relay-cpu-%")
}

// caughtUp reads one topic again and again.
type caughtUp struct {
	b       *testing.B
	ctx     context.Context //nolint:containedctx // of the benchmark
	cluster *apachetest.Cluster
	topic   string
	warm    int    // messages before those that count
	floor   *floor // what stands between, where it is not this process
}

// spent is the processor time of a message in microseconds.
type spent struct{ rate, ours, java, broker float64 }

func (s spent) percent() float64 { return 100 * s.ours / (s.java + s.broker) }

// proxy runs one before the cluster, until end.
func (r *caughtUp) proxy(cfg Config) (p *Proxy, end func()) {
	cfg.NameServers, cfg.Listen = []string{r.cluster.NameServer}, "127.0.0.1:0"
	p, err := New(cfg)
	if err != nil {
		r.b.Fatal(err)
	}
	end = run(r.b, p.Run)
	<-p.Ready()
	return p, end
}

// through has a Java consumer read all of the topic through p; seen is how much of that it has.
func (r *caughtUp) through(group string, p *Proxy, seen func() int64) spent {
	j, err := r.cluster.JavaConsumer(r.ctx, apachetest.Member{Group: r.topic + group, Topic: r.topic, NameServer: p.Addr()})
	if err != nil {
		r.b.Fatal(err)
	}
	until := func(n int) {
		for seen() < int64(n) {
			if time.Sleep(5 * time.Millisecond); r.ctx.Err() != nil {
				r.b.Fatalf("%d of %d messages were delivered: %+v", seen(), n, p.Stats())
			}
		}
	}
	until(r.warm)
	from, before, used := time.Now(), seen(), r.used(j)
	until(r.warm + r.b.N*99/100) // bytes are no exact measure
	n, took, after := float64(seen()-before), time.Since(from), r.used(j)
	each := func(i int) float64 { return float64((after[i] - used[i]).Nanoseconds()) / 1000 / n }
	if _, err := j.Close(r.ctx); err != nil {
		r.b.Error(err)
	}
	return spent{n / took.Seconds(), each(0), each(1), each(2)}
}

// used is the processor time so far of this process, of the consumer and of the broker.
func (r *caughtUp) used(j *apachetest.JavaConsumer) (all [3]time.Duration) {
	var errs [2]error
	if all[0], _ = cpuUsed(); r.floor != nil {
		all[0] = r.floor.used()
	}
	all[1], errs[0] = j.CPU()
	all[2], errs[1] = r.cluster.BrokerCPU()
	for _, err := range errs {
		if err != nil {
			r.b.Skipf("processor time of other processes is not to be had here: %v", err)
		}
	}
	return all
}
