package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/ledger"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
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
}

// member is one consumer with a network of its own.
type member struct {
	id    string
	cable *cable
	push  *consumer.Push
	leave context.CancelFunc
	die   context.CancelFunc
	done  chan struct{}
}

// cable is the network of one member, which can be cut for good.
type cable struct {
	dialer *memnet.Network
	mu     sync.Mutex
	cut    bool
	conns  []net.Conn
}

func (c *cable) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.dialer.Dial(ctx, network, addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		if err == nil {
			_ = conn.Close()
		}
		return nil, errors.New("cable cut")
	}
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// tear ends all connections: servers see them end. With true no others are made.
func (c *cable) tear(forGood bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = forGood
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// inRig runs a test in a bubble with a cluster, its topics and its books, and a producer.
func inRig(t *testing.T, p plan, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{plan: p, t: t, net: memnet.New()}
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

// join starts a member.
func (r *rig) join() *member {
	r.born++
	m := &member{id: fmt.Sprintf("192.0.2.%d@m%d", 10+r.born%200, r.born), cable: &cable{dialer: r.net}, done: make(chan struct{})}
	instance := r.instance(m.id, m.cable.dial, m.id)
	cfg := consumer.Config{
		Group: group, ClientID: m.id, From: mq.FromFirstOffset, Batch: r.batch, MaxReconsume: maxReconsume,
		Pull: pull.Config{Batch: r.pulls},
	}
	for _, topic := range topics {
		cfg.Subscriptions = append(cfg.Subscriptions, consumer.Subscription{Topic: topic})
	}
	if r.orderly {
		cfg.Orderly, cfg.SuspendTime = true, 50*time.Millisecond
		cfg.OrderlyListener = func(_ context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if r.listen(m.id, c.Queue, msgs, c.Times) < len(msgs) {
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		}
	} else {
		cfg.Listener = func(_ context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
			c.AckIndex = r.listen(m.id, c.Queue, msgs, nil) - 1
			return consume.Success
		}
	}
	var err error
	if m.push, err = consumer.NewPush(cfg, instance); err != nil {
		r.t.Fatal(err)
	}
	ctx, leave := context.WithCancel(r.ctx)
	instanceCtx, die := context.WithCancel(context.Background())
	m.leave, m.die = leave, die
	go func() {
		defer close(m.done)
		var running sync.WaitGroup
		running.Go(func() { _ = instance.Run(instanceCtx) })
		if err := m.push.Run(ctx); err != nil {
			r.t.Errorf("%v: member %s: %v", r.plan, m.id, err)
		}
		die()
		running.Wait()
	}()
	r.members = append(r.members, m)
	return m
}

// listen is every listener: it enters START and END and says how many messages, from the
// first on, succeeded. One that is dead does nothing.
func (r *rig) listen(member string, q mq.MessageQueue, msgs []mq.Message, times []int32) (done int) {
	h := r.books.Begin(member, q, msgs)
	if h == nil {
		return 0
	}
	defer func() { h.End(done) }() // after a panic too
	for i, m := range msgs {
		failed := m.ReconsumeTimes()
		if times != nil {
			failed = times[i]
		}
		f := r.fate(m.StoredBody(), failed, r.calm.Load())
		if f.takes > 0 {
			time.Sleep(f.takes)
		}
		switch {
		case f.panics:
			panic("the listener panics, as planned")
		case f.exits:
			runtime.Goexit()
		case f.fails:
			return r.upTo(i)
		case r.mutates && m.QueueOffset()%16 == 3:
			m.Batch().SetBody(m.Index(), []byte("changed by the listener"))
		}
	}
	return len(msgs)
}

// upTo is how much of a batch that failed at message i counts: of an orderly one nothing.
func (r *rig) upTo(i int) int {
	if r.orderly {
		return 0
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

// go away in four ways.

// stop has a member leave and waits for it.
func (r *rig) stop(m *member) {
	r.without(m)
	m.leave()
	<-m.done
}

// kill ends a member's process: nothing that it does from here on reaches anybody.
func (r *rig) kill(m *member) {
	r.without(m)
	m.cable.tear(true) // first: what it did up to here counts
	r.books.Record(ledger.Killed{Member: m.id})
	m.leave()
	m.die()
}

// orphan takes a member's network away for good; it works on as long as it can.
func (r *rig) orphan(m *member) {
	r.without(m)
	m.cable.tear(true)
}

func (r *rig) without(m *member) {
	r.members = slices.DeleteFunc(r.members, func(o *member) bool { return o == m })
	r.gone = append(r.gone, m)
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

// stopAll has every member leave, those that lost their network too.
func (r *rig) stopAll() {
	for _, m := range slices.Concat(r.gone, r.members) {
		m.leave()
		<-m.done
	}
	r.gone = append(r.gone, r.members...)
	r.members = nil
}

// pictures are the newest snapshots of all present members.
func (r *rig) pictures() map[string]*snapshot.Snapshot {
	all := map[string]*snapshot.Snapshot{}
	for _, m := range r.members {
		all[m.id] = m.push.Snapshot() // read, so that the loop builds a newer one
	}
	time.Sleep(time.Second)
	synctest.Wait()
	for _, m := range r.members {
		all[m.id] = m.push.Snapshot()
	}
	return maps.Clone(all)
}
