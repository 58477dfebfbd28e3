package remade_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/replay"
	"mqscope/engine/replay/remade"
	"mqscope/engine/replay/tracks"
)

// busy records a consumer that takes n messages as fast as it can.
func busy(b *testing.B, n, size int, keep *policy.Policy) *run {
	b.Helper()
	r := &run{}
	net := memnet.New()
	cluster, err := embedded.New(embedded.Config{NameServerAddr: nameServer, Listen: net.Listen, Brokers: []string{"broker-a"}, BrokerAddrs: []string{"broker-a:10911"}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { _ = cluster.Run(ctx) })
	<-cluster.Ready()
	if err := cluster.CreateTopic(topic, 8); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, size)
	for i := range body {
		body[i] = byte(rand.Uint32())
	}
	cluster.Inspect(func(s *embedded.State) {
		for i := range n {
			if _, err := s.Broker("broker-a").Put(topic, int32(i%8), body); err != nil {
				b.Fatal(err)
			}
		}
	})
	i, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: "192.0.2.10@me", Dial: net.Dial, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		b.Fatal(err)
	}
	running.Go(func() { _ = i.Run(ctx) })
	var got atomic.Int64
	done := make(chan struct{})
	p, err := consumer.NewPush(consumer.Config{
		Group: "g", ClientID: "192.0.2.10@me", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}}, Batch: 32,
		Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
			if got.Add(int64(len(msgs))) == int64(n) {
				close(done)
			}
			return consume.Success
		},
	}, i)
	if err != nil {
		b.Fatal(err)
	}
	p.Record(&r.reel)
	if keep != nil {
		p.RecordMessages(&r.reel, consumer.Messages{Keep: *keep, Rate: consumer.EveryMessage})
	}
	r.header = recording.Header{
		Program: "mqscope benchmark", Created: time.Now(), Source: replay.SourceEngine, Group: "g", First: 1,
		Meta: map[string]string{remade.MetaSetup: string(p.Setup()), remade.MetaTypes: consumer.Types()},
	}
	ctx, leave := context.WithCancel(ctx)
	running.Go(func() { _ = p.Run(ctx) })
	<-done
	leave()
	return r
}

// BenchmarkReplay plays a recording of a busy consumer through, without pictures.
func BenchmarkReplay(b *testing.B) {
	path := busy(b, 400_000, 16, nil).file(b)
	events := uint64(0)
	for b.Loop() {
		track, err := tracks.Open(path, replay.Options{}) // anew: it keeps places to jump to
		if err != nil {
			b.Fatal(err)
		}
		before := track.Event()
		if err := track.SeekTime(track.Info().To); err != nil {
			b.Fatal(err)
		}
		events += track.Event() - before
		if d := track.Picture().Replay.Departed; d != "" {
			b.Fatal(d)
		}
		if err := track.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkReplayEvents is the same event by event, with what each one was.
func BenchmarkReplayEvents(b *testing.B) {
	path := busy(b, 400_000, 16, nil).file(b)
	track := open(b, path)
	n := 0
	for b.Loop() {
		if err := track.Seek(0); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := track.Next(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
