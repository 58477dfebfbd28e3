package consumer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const (
	nameServer = "namesrv:9876"
	group      = "g"
	topic      = "orders"
)

// world is an embedded cluster, a way to send, and any number of members, in one bubble.
type world struct {
	t        *testing.T
	net      *memnet.Network
	cluster  *embedded.Cluster
	producer *client.Instance
	ctx      context.Context
	brokers  []string
}

// inWorld runs test in a bubble of virtual time. A goroutine left behind fails it.
func inWorld(t *testing.T, brokers int, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: memnet.New()}
		var addrs []string
		for i := range brokers {
			w.brokers = append(w.brokers, fmt.Sprintf("broker-%c", 'a'+i))
			addrs = append(addrs, fmt.Sprintf("broker-%c:10911", 'a'+i))
		}
		var err error
		w.cluster, err = embedded.New(embedded.Config{
			Brokers: w.brokers, NameServerAddr: nameServer, BrokerAddrs: addrs, Listen: w.net.Listen,
		})
		if err != nil {
			t.Fatal(err)
		}
		var end context.CancelFunc
		w.ctx, end = context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() {
			if err := w.cluster.Run(w.ctx); err != nil {
				t.Errorf("cluster: %v", err)
			}
		})
		<-w.cluster.Ready()
		w.producer = w.instance("192.0.2.1@producer")
		running.Go(func() {
			if err := w.producer.Run(w.ctx); err != nil {
				t.Errorf("producer: %v", err)
			}
		})
		test(w)
		end()
		running.Wait()
	})
}

func (w *world) instance(id string) *client.Instance {
	w.t.Helper()
	i, err := client.New(client.Config{
		NameServers: []string{nameServer}, ClientID: id, Dial: w.net.Dial, Rand: rand.New(rand.NewPCG(1, 2)),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

func (w *world) createTopic(name string, queues int) {
	w.t.Helper()
	if err := w.cluster.CreateTopic(name, queues); err != nil {
		w.t.Fatal(err)
	}
}

// send sends n messages with tag, numbered by body.
func (w *world) send(n int, tag string) {
	w.t.Helper()
	for i := range n {
		_, err := w.producer.Send(w.ctx, client.OutMessage{Topic: topic, Tags: tag, Keys: fmt.Sprint("k", i), Body: fmt.Appendf(nil, "%s-%d", tag, i)})
		if err != nil {
			w.t.Fatalf("send %d: %v", i, err)
		}
	}
}

// sendTo sends n messages to one queue.
func (w *world) sendTo(q mq.MessageQueue, n int) {
	w.t.Helper()
	for i := range n {
		if _, err := w.producer.Send(w.ctx, client.OutMessage{Topic: q.Topic, Queue: q, Body: fmt.Append(nil, i)}); err != nil {
			w.t.Fatalf("send %d to %v: %v", i, q, err)
		}
	}
}

// member is one running consumer.
type member struct {
	w     *world
	id    string
	push  *consumer.Push
	leave context.CancelFunc
	done  chan error
	kill  context.CancelFunc

	mu   sync.Mutex
	seen map[string]int // body → deliveries
	last []string
}

// listen is what a member's listener answers for a message; nil is success.
type listen func(ctx context.Context, m mq.Message, c *consume.Context) consume.Status

func (w *world) join(id string, answer listen, change ...func(*consumer.Config)) *member {
	w.t.Helper()
	m := &member{w: w, id: id, seen: map[string]int{}, done: make(chan error, 1)}
	cfg := consumer.Config{
		Group: group, ClientID: id, From: mq.FromFirstOffset,
		Subscriptions: []consumer.Subscription{{Topic: topic}},
		Listener: func(ctx context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
			for _, msg := range msgs {
				m.note(msg)
				if answer != nil {
					if s := answer(ctx, msg, c); s != consume.Success {
						return s
					}
				}
			}
			return consume.Success
		},
	}
	for _, fn := range change {
		fn(&cfg)
	}
	instance := w.instance(id)
	push, err := consumer.NewPush(cfg, instance)
	if err != nil {
		w.t.Fatal(err)
	}
	m.push = push
	ctx, leave := context.WithCancel(w.ctx)
	instanceCtx, kill := context.WithCancel(context.Background())
	m.leave, m.kill = leave, kill
	var running sync.WaitGroup
	running.Go(func() {
		if err := instance.Run(instanceCtx); err != nil {
			w.t.Errorf("instance %s: %v", id, err)
		}
	})
	go func() {
		err := push.Run(ctx)
		kill()
		running.Wait()
		m.done <- err
	}()
	return m
}

func (m *member) note(msg mq.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[string(msg.Body())]++
	m.last = append(m.last, string(msg.Body()))
}

// stop leaves cleanly and waits for it.
func (m *member) stop() {
	m.w.t.Helper()
	m.leave()
	if err := <-m.done; err != nil {
		m.w.t.Errorf("member %s: %v", m.id, err)
	}
}

// distinct is how many different messages the members were given together.
func distinct(members ...*member) int {
	all := map[string]bool{}
	for _, m := range members {
		m.mu.Lock()
		for body := range m.seen {
			all[body] = true
		}
		m.mu.Unlock()
	}
	return len(all)
}

// after lets d of virtual time pass and returns the newest snapshot.
func (m *member) after(d time.Duration) *snapshot.Snapshot {
	time.Sleep(d)
	synctest.Wait()
	m.push.Snapshot() // read, so that the loop builds a newer one
	time.Sleep(150 * time.Millisecond)
	synctest.Wait()
	return m.push.Snapshot()
}

// owned are the queues of topic that s says are ours, as ids on their broker.
func owned(s *snapshot.Snapshot) []mq.MessageQueue {
	var out []mq.MessageQueue
	for _, q := range s.Queues {
		if q.ID.Topic == topic && q.Mine && q.State != snapshot.NotOwned {
			out = append(out, q.ID)
		}
	}
	return out
}

func queue(s *snapshot.Snapshot, id mq.MessageQueue) snapshot.Queue {
	i := slices.IndexFunc(s.Queues, func(q snapshot.Queue) bool { return q.ID == id })
	if i < 0 {
		return snapshot.Queue{}
	}
	return s.Queues[i]
}

// said tells whether the event stream has an entry from source that contains what.
func said(s *snapshot.Snapshot, source string, has func(what string) bool) bool {
	return slices.ContainsFunc(s.Events.Entries, func(e snapshot.Entry) bool { return e.Source == source && has(e.What) })
}
