package proxy

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// dropped is a sink that a benchmark does not look at.
type dropped struct{ n int }

func (d *dropped) Add(infer.Event) { d.n++ }

// bench is a cluster on TCP with a proxy before it, and one client.
type bench struct {
	b           *testing.B
	client      *remoting.Client
	direct, via string // addresses of the broker
}

func newBench(b *testing.B, sink Sink) *bench {
	cluster, err := embedded.New(embedded.Config{QueuesPerTopic: 1})
	if err != nil {
		b.Fatal(err)
	}
	run(b, cluster.Run)
	<-cluster.Ready()
	p, err := New(Config{NameServers: []string{cluster.NameServerAddr()}, Listen: "127.0.0.1:0", Sink: sink})
	if err != nil {
		b.Fatal(err)
	}
	run(b, p.Run)
	<-p.Ready()
	w := &bench{b: b, direct: cluster.BrokerAddr("broker-a"), via: seenAt(p)(cluster.BrokerAddr("broker-a"))}
	w.client = remoting.NewClient(remoting.ClientConfig{Dial: new(net.Dialer).DialContext, Version: protocol.ClientVersion})
	run(b, w.client.Run)
	b.Cleanup(func() {
		if s := p.Stats(); s.Unseen > 0 {
			b.Logf("%d bytes were not looked at", s.Unseen)
		}
	})
	return w
}

func (w *bench) call(addr string, cmd *remoting.Command) *remoting.Command {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	resp, err := w.client.Call(ctx, addr, cmd)
	if err != nil {
		w.b.Fatal(err)
	}
	return resp
}

// fill stores 32 messages of 1 KiB.
func (w *bench) fill(topic string) {
	body := make([]byte, 1<<10)
	for i := range 32 {
		h := &protocol.SendMessageRequestV2{
			ProducerGroup: "p", Topic: topic, DefaultTopic: "TBW102", DefaultTopicQueueNums: 1, BornTimestamp: time.Now().UnixMilli(),
			Properties: "KEYS\x01k" + strconv.Itoa(i),
		}
		if r := w.call(w.direct, &remoting.Command{Code: int32(protocol.SendMessageV2), Fields: protocol.Encode(h), Body: body}); r.Code != 0 {
			w.b.Fatal(errors.New(r.Remark))
		}
	}
}

// compare measures the same request to the broker and to the proxy before it, block by block,
// with some of them on the way at once.
func (w *bench) compare(atOnce int, ask func() *remoting.Command, check func(*remoting.Command)) {
	const block = 512
	var took, cpu [2]time.Duration
	var counts bool
	addrs := [2]string{w.direct, w.via}
	for i := range addrs {
		w.block(addrs[i], block, atOnce, ask, check)
	}
	w.b.ResetTimer()
	for done := 0; done < w.b.N; done += block {
		for i := range addrs {
			at := time.Now()
			var before, after time.Duration
			before, counts = cpuUsed()
			w.block(addrs[i], min(block, w.b.N-done), atOnce, ask, check)
			after, _ = cpuUsed()
			took[i] += time.Since(at)
			cpu[i] += after - before
		}
	}
	n := float64(w.b.N)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / n }
	w.b.ReportMetric(0, "ns/op") // of no use: both ways in one
	w.b.ReportMetric(micros(took[0]), "direct-µs/req")
	w.b.ReportMetric(micros(took[1]-took[0]), "added-µs/req")
	if counts {
		w.b.ReportMetric(micros(cpu[0]), "direct-cpu-µs/req")
		w.b.ReportMetric(micros(cpu[1]-cpu[0]), "added-cpu-µs/req")
		w.b.ReportMetric(100*float64(cpu[1]-cpu[0])/float64(cpu[0]), "added-cpu-%")
	}
}

func (w *bench) block(addr string, n, atOnce int, ask func() *remoting.Command, check func(*remoting.Command)) {
	free := make(chan struct{}, atOnce)
	for range n {
		free <- struct{}{}
		w.client.Go(addr, ask(), 10*time.Second, func(a remoting.Answer) {
			if a.Err != nil {
				w.b.Error(a.Err)
			} else {
				check(a.Cmd)
			}
			<-free
		})
	}
	for range atOnce {
		free <- struct{}{}
	}
}

// BenchmarkBesideDirect measures what the proxy adds to a request, and how much of that is
// watching.
func BenchmarkBesideDirect(b *testing.B) {
	for _, sink := range []struct {
		name string
		sink Sink
	}{{"watched", &dropped{}}, {"carried only", nil}} {
		for _, atOnce := range []int{1, 8} {
			b.Run(sink.name+"/"+strconv.Itoa(atOnce)+" at once/pulls of 32 KiB", func(b *testing.B) {
				w := newBench(b, sink.sink)
				w.fill("t")
				w.compare(atOnce, func() *remoting.Command {
					return &remoting.Command{Code: int32(protocol.PullMessage), Fields: protocol.Encode(&protocol.PullMessageRequest{
						ConsumerGroup: "g", Topic: "t", MaxMsgNums: 32, SysFlag: protocol.PullSubscription,
						Subscription: "*", ExpressionType: "TAG",
					})}
				}, func(r *remoting.Command) {
					if len(r.Body) < 32<<10 {
						b.Errorf("%d bytes: %s", len(r.Body), r.Remark)
					}
				})
			})
			b.Run(sink.name+"/"+strconv.Itoa(atOnce)+" at once/offset queries", func(b *testing.B) {
				w := newBench(b, sink.sink)
				w.fill("t")
				w.compare(atOnce, func() *remoting.Command {
					return &remoting.Command{Code: int32(protocol.GetMaxOffset), Fields: protocol.Encode(&protocol.GetMaxOffsetRequest{Topic: "t"})}
				}, func(r *remoting.Command) {
					if r.Code != 0 {
						b.Error(r.Remark)
					}
				})
			})
		}
	}
}
