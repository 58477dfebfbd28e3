package remade_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
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
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

const (
	nameServer = "namesrv:9876"
	topic      = "orders"
)

// run is what a consumer did.
type run struct {
	reel   replaytest.Reel
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

// world is a cluster of one broker, and clients of it, in this process.
type world struct {
	t       testing.TB
	net     *memnet.Network
	cluster *embedded.Cluster
	ctx     context.Context
	running sync.WaitGroup
	end     func() // ends all of it and waits
}

func newWorld(t testing.TB, queues int) *world {
	t.Helper()
	w := &world{t: t, net: memnet.New()}
	cluster, err := embedded.New(embedded.Config{NameServerAddr: nameServer, Listen: w.net.Listen, Brokers: []string{"broker-a"}, BrokerAddrs: []string{"broker-a:10911"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	w.cluster, w.ctx, w.end = cluster, ctx, func() { end(); w.running.Wait() }
	w.running.Go(func() { _ = cluster.Run(ctx) })
	<-cluster.Ready()
	if err := cluster.CreateTopic(topic, queues); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) instance(id string) *client.Instance {
	w.t.Helper()
	i, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: id, Dial: w.net.Dial, Rand: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		w.t.Fatal(err)
	}
	w.running.Go(func() { _ = i.Run(w.ctx) })
	return i
}

// consumer is one of the group g that begins with the first message; c says what else it is like.
func (w *world) consumer(id string, c consumer.Config) *consumer.Push {
	w.t.Helper()
	c.Group, c.ClientID, c.From, c.Subscriptions = "g", id, mq.FromFirstOffset, []consumer.Subscription{{Topic: topic}}
	p, err := consumer.NewPush(c, w.instance(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// record has all that p does recorded.
func (r *run) record(p *consumer.Push) {
	p.Record(&r.reel)
	r.header = recording.Header{
		Program: "mqscope test", Created: time.Now(), Source: replay.SourceEngine, Group: "g", First: 1,
		Meta: map[string]string{remade.MetaSetup: string(p.Setup()), remade.MetaTypes: consumer.Types()},
	}
}

func (r *run) live(t *testing.T, more time.Duration, hands []func(*consumer.Push)) {
	w := newWorld(t, 4)
	defer w.end()
	ctx := w.ctx
	producer := w.instance("192.0.2.1@producer")
	send := func(n int) {
		for i := range n {
			if _, err := producer.Send(ctx, client.OutMessage{Topic: topic, Tags: "t", Keys: fmt.Sprint("k", i), Body: fmt.Appendf(nil, "body %d", i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	join := func(id string) (*consumer.Push, func()) {
		ctx, leave := context.WithCancel(ctx)
		p := w.consumer(id, consumer.Config{
			Pull: pull.Config{Limits: pull.Limits{CountPerQueue: 20}}, Threads: 2,
			Listener: func(ctx context.Context, _ []mq.Message, _ *consume.Context) consume.Status {
				_ = clock.Sleep(ctx, clock.System{}, 20*time.Millisecond)
				return consume.Success
			},
		})
		done := make(chan struct{})
		go func() { defer close(done); _ = p.Run(ctx) }()
		return p, func() { leave(); <-done }
	}
	me, leave := join("192.0.2.10@me")
	r.record(me)
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
	replaytest.Write(t, path, r.header, recording.Options{BlockBytes: 8 << 10}, slices.Values(r.reel.List))
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
