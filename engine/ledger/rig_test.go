package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/ledger"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// rig is a cluster, its books, members and producers in one bubble of virtual time.
type rig struct {
	plan
	t        *testing.T
	ctx      context.Context
	net      *memnet.Network
	cluster  *embedded.Cluster
	books    *ledger.Ledger
	names    []string // of brokers
	producer *client.Instance

	calm    atomic.Bool // faults are off
	members []*member   // present
	gone    []*member
	born    int
	sent    int64 // of put
	did     map[string]int
}

// inRig runs a test in a bubble with a cluster, its topics and its books, and a producer.
func inRig(t *testing.T, p plan, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{plan: p, t: t, net: memnet.New(), did: map[string]int{}}
		cfg := embedded.Config{
			NameServerAddr: nameServer, Listen: r.net.Listen, Rand: p.rng("cluster"),
			MaxBytes: max(64<<20, int64(p.messages)*1500),
		}
		for i := range p.brokers {
			r.names = append(r.names, fmt.Sprintf("broker-%c", 'a'+i))
			cfg.BrokerAddrs = append(cfg.BrokerAddrs, addrOf(r.names[i]))
		}
		cfg.Brokers = r.names
		cfg.OnNotice = func(n embedded.Notice) {
			if n.Kind == embedded.MessagesDropped {
				t.Errorf("%v: the embedded broker had too little memory and dropped messages", p)
			}
		}
		var err error
		if r.cluster, err = embedded.New(cfg); err != nil {
			t.Fatal(err)
		}
		var end context.CancelFunc
		r.ctx, end = context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer end()
		running.Go(func() {
			if err := r.cluster.Run(r.ctx); err != nil {
				t.Errorf("cluster: %v", err)
			}
		})
		<-r.cluster.Ready()
		for _, topic := range topics {
			if err := r.cluster.CreateTopic(topic, p.queues); err != nil {
				t.Fatal(err)
			}
		}
		delays, err := protocol.ParseDelayLevels(protocol.DefaultDelayLevels)
		if err != nil {
			t.Fatal(err)
		}
		books := ledger.Config{Group: group, Topics: topics, Orderly: p.orderly, Bodies: true, MaxReconsume: maxReconsume, Delays: delays}
		r.books = ledger.New(books)
		r.books.Watch(r.cluster)
		r.producer = r.instance("192.0.2.1@producer", r.net.Dial, "producer")
		running.Go(func() { _ = r.producer.Run(r.ctx) })
		<-r.producer.Ready()
		defer r.stopAll()
		test(r)
	})
}

func addrOf(broker string) string { return broker + ":10911" }

func (r *rig) instance(id string, dial func(context.Context, string, string) (net.Conn, error), concern string) *client.Instance {
	i, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: id, Dial: dial, Rand: r.rng(concern)})
	if err != nil {
		r.t.Fatal(err)
	}
	return i
}

// put stores n messages as a producer on the broker's own host does, in no time.
func (r *rig) put(rng *rand.Rand, n int) {
	r.cluster.Inspect(func(s *embedded.State) {
		for range n {
			broker := s.Broker(r.names[rng.IntN(len(r.names))])
			q := mq.MessageQueue{Topic: topics[rng.IntN(len(topics))], BrokerName: broker.Name, QueueID: rng.Int32N(int32(r.queues))}
			r.sent++
			body := ledger.Body(r.seed, "inside", r.sent, r.size)
			r.books.Record(ledger.Intent{})
			at, err := broker.Put(q.Topic, q.QueueID, body)
			if err != nil {
				r.t.Errorf("%v: put: %v", r.plan, err)
				return
			}
			r.books.Record(ledger.Acked{Queue: q, Offset: at.QueueOffset, Hash: r.books.Hash(body), At: s.Now()})
		}
	})
}

// send sends one message as a producer does, and enters how it went.
func (r *rig) send(number int64) {
	body := ledger.Body(r.seed, "client", number, r.size)
	r.books.Record(ledger.Intent{})
	res, err := r.producer.Send(r.ctx, client.OutMessage{Topic: topics[number%2], Body: body})
	if err != nil || res.QueueOffset < 0 {
		r.books.Record(ledger.Unknown{})
		_ = clock.Sleep(r.ctx, clock.System{}, 300*time.Millisecond)
		return
	}
	r.books.Record(ledger.Acked{Queue: res.Queue, Offset: res.QueueOffset, Hash: r.books.Hash(body), At: time.Now()})
}

// restart stops a broker for a while; it forgets who has which lock.
func (r *rig) restart(name string, down time.Duration) {
	const trust = 30 * time.Second // half the lifetime of a lock
	r.books.Record(ledger.LocksForgotten{Broker: name, At: time.Now(), Lifetime: down + trust})
	if err := r.cluster.StopBroker(name); err != nil {
		r.t.Fatal(err)
	}
	time.Sleep(down)
	if err := r.cluster.StartBroker(name); err != nil {
		r.t.Fatal(err)
	}
}

// pause makes a broker silent for a while: what is sent to it, and by it, arrives after it.
func (r *rig) pause(name string, silent time.Duration) {
	r.net.Blackhole(addrOf(name), true)
	time.Sleep(silent)
	r.net.Blackhole(addrOf(name), false)
}

// reset sets the group's offset of a queue, or has its oldest messages expire. The books are
// told in the same step.
func (r *rig) reset(rng *rand.Rand) {
	name, topic, id := r.names[rng.IntN(len(r.names))], topics[rng.IntN(len(topics))], rng.Int32N(int32(r.queues))
	q := mq.MessageQueue{Topic: topic, BrokerName: name, QueueID: id}
	r.cluster.Inspect(func(s *embedded.State) {
		b := s.Broker(name)
		at, ok := b.Committed(group, topic, id)
		if !b.Running || !ok {
			return
		}
		lo, hi := max(at-100, b.MinOffset(topic, id)), min(at+500, b.MaxOffset(topic, id))
		to := lo + rng.Int64N(max(1, hi-lo+1))
		if rng.IntN(2) == 0 {
			r.books.Record(ledger.Reset{Queue: q, To: to})
			b.ResetOffset(group, topic, id, to)
			return
		}
		r.books.Record(ledger.Skip{Queue: q, To: to})
		b.Trim(topic, id, to)
	})
}

// goroutines is how many there are. The runtime counts them without a lock, so the smallest
// of several numbers counts.
func (r *rig) goroutines() int64 {
	least := runtime.NumGoroutine()
	for range 10 {
		time.Sleep(time.Millisecond)
		synctest.Wait()
		least = min(least, runtime.NumGoroutine())
	}
	return int64(least)
}

// heap is what lives on the heap beside what brokers have stored.
func (r *rig) heap() int64 {
	for range 3 { // what is in a pool survives two
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	used := int64(stats.HeapAlloc)
	r.cluster.Inspect(func(s *embedded.State) {
		for _, b := range s.Brokers() {
			used -= b.Store.Bytes()
		}
	})
	return used
}
