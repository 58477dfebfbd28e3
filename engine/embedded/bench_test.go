package embedded_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// onLoopback runs a cluster on real sockets for a benchmark.
func onLoopback(b *testing.B, cfg embedded.Config) (*embedded.Cluster, *remoting.Client) {
	b.Helper()
	cluster, err := embedded.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	c := remoting.NewClient(remoting.ClientConfig{})
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	for _, run := range []func(context.Context) error{cluster.Run, c.Run} {
		wg.Go(func() {
			if err := run(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	b.Cleanup(func() { cancel(); wg.Wait() })
	<-cluster.Ready()
	return cluster, c
}

// BenchmarkServePulls measures a catch-up: pulls of 32 messages of 128 bytes from four
// queues, one in flight for each queue. It reports messages a second.
func BenchmarkServePulls(b *testing.B) {
	for _, batch := range []int{32, 1024} {
		b.Run("batch="+strconv.Itoa(batch), func(b *testing.B) { servePulls(b, batch) })
	}
}

func servePulls(b *testing.B, batch int) {
	const queues, perQueue = 4, 50_000
	cluster, c := onLoopback(b, embedded.Config{PullBatchMessages: batch, PullBatchBytes: 4 << 20})
	if err := cluster.CreateTopic(topicT, queues); err != nil {
		b.Fatal(err)
	}
	addr := cluster.BrokerAddr(brokerA)
	cluster.Inspect(func(s *embedded.State) {
		broker := s.Broker(brokerA)
		for i := range perQueue * queues {
			if _, err := broker.Put(topicT, int32(i%queues), make([]byte, 128), protocol.Property{Name: "KEYS", Value: strconv.Itoa(i)},
				protocol.Property{Name: "UNIQ_KEY", Value: "0A01020912671234567805265C000007"}, protocol.Property{Name: "TAGS", Value: "TagA"},
				protocol.Property{Name: "MSG_REGION", Value: "DefaultRegion"}, protocol.Property{Name: "TRACE_ON", Value: "true"}); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportAllocs()
	b.ResetTimer()
	start := time.Now()
	var left, got atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for q := range queues {
		wg.Go(func() {
			h := pullHeader(topicT, int32(q), 0, anything)
			h.MaxMsgNums = int32(batch)
			done := make(chan remoting.Answer, 1)
			for left.Add(-1) >= 0 {
				cmd := &remoting.Command{Code: int32(protocol.PullMessage), Fields: protocol.Encode(h)}
				c.Go(addr, cmd, 10*time.Second, func(a remoting.Answer) { done <- a })
				a := <-done
				if a.Err != nil || a.Cmd.Code != 0 {
					b.Errorf("%v %v", a.Cmd, a.Err)
					return
				}
				got.Add(int64(min(batch, perQueue-int(h.QueueOffset))))
				if h.QueueOffset += int64(batch); h.QueueOffset >= perQueue {
					h.QueueOffset = 0
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(got.Load())/time.Since(start).Seconds(), "msg/s")
}
