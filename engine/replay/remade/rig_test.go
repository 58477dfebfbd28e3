package remade_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/remade"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

const (
	nameServer = "namesrv:9876"
	topic      = "orders"
)

// reel is a recording in memory.
type reel struct {
	mu   sync.Mutex
	list []recording.Record
}

func (r *reel) Append(rec recording.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.Payload = bytes.Clone(rec.Payload)
	r.list = append(r.list, rec)
}
func (r *reel) Err() error { return nil }
func (r *reel) Fail(error) {}

// run is what a consumer did.
type run struct {
	reel   reel
	header recording.Header
	shots  []*snapshot.Snapshot // that it showed
}

// recorded is a consumer that is slow at first, trips flow control, gets a second member beside it,
// is paused, and goes on; hands is what is done by hand near the end.
func recorded(t testing.TB, more time.Duration, hands ...func(*consumer.Push)) *run {
	var out run
	test, ok := t.(*testing.T)
	if !ok {
		t.Fatal("only tests have bubbles")
	}
	synctest.Test(test, func(t *testing.T) { out.live(t, more, hands) })
	return &out
}

func (r *run) live(t *testing.T, more time.Duration, hands []func(*consumer.Push)) {
	net := memnet.New()
	cluster, err := embedded.New(embedded.Config{NameServerAddr: nameServer, Listen: net.Listen, Brokers: []string{"broker-a"}, BrokerAddrs: []string{"broker-a:10911"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { _ = cluster.Run(ctx) })
	<-cluster.Ready()
	if err := cluster.CreateTopic(topic, 4); err != nil {
		t.Fatal(err)
	}
	instance := func(id string) *client.Instance {
		i, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: id, Dial: net.Dial, Rand: rand.New(rand.NewPCG(1, 2))})
		if err != nil {
			t.Fatal(err)
		}
		running.Go(func() { _ = i.Run(ctx) })
		return i
	}
	producer := instance("192.0.2.1@producer")
	send := func(n int) {
		for i := range n {
			if _, err := producer.Send(ctx, client.OutMessage{Topic: topic, Tags: "t", Keys: fmt.Sprint("k", i), Body: fmt.Appendf(nil, "body %d", i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	join := func(id string) (*consumer.Push, func()) {
		ctx, leave := context.WithCancel(ctx)
		p, err := consumer.NewPush(consumer.Config{
			Group: "g", ClientID: id, From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: topic}},
			Pull: pull.Config{Limits: pull.Limits{CountPerQueue: 20}}, Threads: 2,
			Listener: func(ctx context.Context, _ []mq.Message, _ *consume.Context) consume.Status {
				_ = clock.Sleep(ctx, clock.System{}, 20*time.Millisecond)
				return consume.Success
			},
		}, instance(id))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); _ = p.Run(ctx) }()
		return p, func() { leave(); <-done }
	}
	me, leave := join("192.0.2.10@me")
	me.Record(&r.reel)
	r.header = recording.Header{
		Program: "mqscope test", Created: time.Now(), Source: replay.SourceEngine, Group: "g", First: 1,
		Meta: map[string]string{remade.MetaSetup: string(me.Setup()), remade.MetaTypes: consumer.Types()},
	}
	look := func(d time.Duration) {
		time.Sleep(d)
		synctest.Wait()
		me.Snapshot()
		time.Sleep(150 * time.Millisecond)
		synctest.Wait()
		r.shots = append(r.shots, me.Snapshot())
	}
	look(2 * time.Second)
	send(300)
	look(time.Second)
	_, gone := join("192.0.2.11@other")
	look(10 * time.Second)
	me.Pause()
	send(20)
	look(2 * time.Second)
	me.Resume()
	for range int(more / time.Second) {
		send(3)
		look(time.Second)
	}
	for _, by := range hands {
		by(me)
	}
	gone()
	look(25 * time.Second)
	leave()
}

// file writes a run to a file.
func (r *run) file(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.mqrec")
	w, err := recording.Create(path, r.header, recording.Options{BlockBytes: 8 << 10, QueueBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	for _, rec := range r.reel.list {
		w.Append(rec)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) replay.Track {
	t.Helper()
	track, err := tracks.Open(path, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = track.Close() })
	return track
}
