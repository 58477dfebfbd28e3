package consumer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
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
	wire     *wire // between members and servers
	cluster  *embedded.Cluster
	producer *client.Instance
	ctx      context.Context
	brokers  []string
	members  []*member
	books    *books        // of concurrent members, nil for none
	bodies   atomic.Int64  // made by outTo
	sink     decision.Sink // is told what members that join decide, nil for nobody
	driver   consumer.Driver
}

// inWorld runs test in a bubble of virtual time. A goroutine left behind fails it. Members
// that test did not stop are stopped after it.
func inWorld(t *testing.T, brokers int, test func(w *world), change ...func(*embedded.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: memnet.New()}
		w.wire = &wire{dial: w.net.Dial}
		cfg := embedded.Config{NameServerAddr: nameServer, Listen: w.net.Listen}
		for i := range brokers {
			name := fmt.Sprintf("broker-%c", 'a'+i)
			cfg.Brokers = append(cfg.Brokers, name)
			cfg.BrokerAddrs = append(cfg.BrokerAddrs, addrOf(name))
		}
		w.brokers = cfg.Brokers
		for _, fn := range change {
			fn(&cfg)
		}
		var err error
		w.cluster, err = embedded.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var end context.CancelFunc
		w.ctx, end = context.WithCancel(context.Background())
		var running sync.WaitGroup
		defer running.Wait()
		defer end()
		running.Go(func() {
			if err := w.cluster.Run(w.ctx); err != nil {
				t.Errorf("cluster: %v", err)
			}
		})
		<-w.cluster.Ready()
		w.producer = w.instance("192.0.2.1@producer", w.net.Dial)
		running.Go(func() {
			if err := w.producer.Run(w.ctx); err != nil {
				t.Errorf("producer: %v", err)
			}
		})
		defer w.stopAll()
		test(w)
	})
}

func addrOf(broker string) string { return broker + ":10911" }

func (w *world) instance(id string, dial dialFunc) *client.Instance {
	w.t.Helper()
	i, err := client.New(client.Config{
		NameServers: []string{nameServer}, ClientID: id, Dial: dial, Rand: rand.New(rand.NewPCG(1, 2)),
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
		w.sendOne(client.OutMessage{Topic: topic, Tags: tag, Keys: fmt.Sprint("k", i), Body: fmt.Appendf(nil, "%s-%d", tag, i)})
	}
}

// sendTo sends n messages to one queue, each with a body of its own.
func (w *world) sendTo(q mq.MessageQueue, n int) {
	w.t.Helper()
	for range n {
		w.sendOne(w.outTo(q))
	}
}

// outTo is a message for a queue.
func (w *world) outTo(q mq.MessageQueue) client.OutMessage {
	return client.OutMessage{Topic: q.Topic, Queue: q, Body: fmt.Appendf(nil, "%s-%d-%d", q.BrokerName, q.QueueID, w.bodies.Add(1))}
}

func (w *world) sendOne(m client.OutMessage) {
	w.t.Helper()
	if _, err := w.producer.Send(w.ctx, m); err != nil {
		w.t.Fatalf("send %q: %v", m.Body, err)
	}
}

// put stores n messages in a queue without a producer, in no time, with this tag and at least
// this body size. A body says queue id and offset: "0-17 ".
func (w *world) put(q mq.MessageQueue, n int, tag string, size int) {
	w.t.Helper()
	var props []protocol.Property
	if tag != "" {
		props = append(props, protocol.Property{Name: mq.PropertyTags, Value: tag})
	}
	w.on(q.BrokerName, func(b *embedded.Broker) {
		_, end := store.Bounds(b.Store.Lookup(q.Topic, q.QueueID))
		for i := range int64(n) {
			body := fmt.Appendf(nil, "%d-%d ", q.QueueID, end+i)
			if pad := size - len(body); pad > 0 {
				body = append(body, strings.Repeat("x", pad)...)
			}
			if _, err := b.Put(q.Topic, q.QueueID, body, props...); err != nil {
				w.t.Error(err)
				return
			}
		}
	})
}

// on looks into a broker, or changes it.
func (w *world) on(broker string, fn func(b *embedded.Broker)) {
	w.t.Helper()
	w.cluster.Inspect(func(s *embedded.State) { fn(s.Broker(broker)) })
}

// committed is the offset that a broker has of the group, -1 for none.
func (w *world) committed(q mq.MessageQueue) int64 {
	at := int64(-1)
	w.on(q.BrokerName, func(b *embedded.Broker) {
		if v, ok := b.Store.Commits.Get(group, q.Topic, q.QueueID); ok {
			at = v
		}
	})
	return at
}

// end is the offset that the next message of a queue will get.
func (w *world) end(q mq.MessageQueue) (at int64) {
	w.on(q.BrokerName, func(b *embedded.Broker) { _, at = store.Bounds(b.Store.Lookup(q.Topic, q.QueueID)) })
	return at
}

func (w *world) stopBroker(name string) {
	w.t.Helper()
	if err := w.cluster.StopBroker(name); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) startBroker(name string) {
	w.t.Helper()
	if err := w.cluster.StartBroker(name); err != nil {
		w.t.Fatal(err)
	}
}

// stranger is a connection to a broker that is no member, for requests that members do not
// make. It ends with the world.
func (w *world) stranger() *remoting.Client {
	c := remoting.NewClient(remoting.ClientConfig{Dial: w.net.Dial})
	go func() { _ = c.Run(w.ctx) }()
	return c
}

func queueOf(broker string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: topic, BrokerName: broker, QueueID: id}
}

// first is queue 0 of the first broker.
var first = queueOf("broker-a", 0)

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

// told are the entries of the event stream that contain all of the words.
func told(s *snapshot.Snapshot, words ...string) []snapshot.Entry {
	var out []snapshot.Entry
	for _, e := range s.Events.Entries {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(e.What, word) }) {
			out = append(out, e)
		}
	}
	return out
}

// texts are the entries of the event stream, one a line, for the message of a failing test.
func texts(s *snapshot.Snapshot) string {
	var b strings.Builder
	for _, e := range s.Events.Entries {
		fmt.Fprintf(&b, "\t%s %-4v %-9s %s%s %s\n", e.At.Format("04:05.000"), e.Level, e.Source, e.Where, e.Queue.Topic, e.What)
	}
	return b.String()
}
