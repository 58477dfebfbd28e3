package demo

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"mqscope/engine"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/recorder"
	"mqscope/engine/snapshot"
)

// The demo's cast. Addresses are from the ranges kept for documentation.
const (
	group   = "billing"
	orders  = "orders"
	refunds = "refunds"
	me      = "192.0.2.10@me"

	nameServer = "demo-namesrv:9876"
)

func brokers() (names, addrs []string) {
	return []string{"broker-a", "broker-b"}, []string{"demo-broker-a:10911", "demo-broker-b:10911"}
}

// others are the other members; the last of them comes and goes.
func others() []string { return []string{"192.0.2.11@billing-2", "192.0.2.12@billing-3"} }

// slowest is the queue whose messages take long.
func slowest() mq.MessageQueue {
	return mq.MessageQueue{Topic: orders, BrokerName: "broker-a", QueueID: 1}
}

func settings() consumer.Config {
	return consumer.Config{
		Group:         group,
		Subscriptions: []consumer.Subscription{{Topic: orders}, {Topic: refunds}},
		From:          mq.FromFirstOffset,
		Pull:          pull.Config{Limits: pull.Limits{CountPerQueue: 60}},
	}
}

// Config says what the demo's script depends on.
type Config struct {
	Seed    uint64 // of everything that the script draws
	Orderly bool   // the group consumes in order, under the brokers' locks
	Listen  func(ctx context.Context, network, addr string) (net.Listener, error)
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Clock   clock.Clock
	Log     *slog.Logger

	Recording recorder.Config // of the visible member
}

// Demo is a whole world in one process, over the real protocol: an embedded cluster, a
// producer, and a group of three members, of which one is ours and fully visible.
type Demo struct {
	cfg          Config
	cluster      *embedded.Cluster
	*engine.Live // the visible member
}

// Open sets the scene; Run plays it.
func Open(cfg Config) (*Demo, error) {
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	names, addrs := brokers()
	cluster, err := embedded.New(embedded.Config{
		ClusterName: "demo", Brokers: names, NameServerAddr: nameServer, BrokerAddrs: addrs,
		Listen: cfg.Listen, Clock: cfg.Clock, Rand: cfg.rand("cluster"), Log: cfg.Log,
		// Shorter than a real broker's, so that retries are seen within a minute.
		DelayLevels: "1s 2s 3s 4s 6s 10s 15s 20s 30s 1m",
	})
	if err != nil {
		return nil, err
	}
	d := &Demo{cfg: cfg, cluster: cluster}
	d.Live, err = d.member(me, cfg.Recording)
	return d, err
}

// rand returns a stream of chance of its own for each concern, so that one more draw in one
// does not shift the others.
func (c *Config) rand(concern string) *rand.Rand {
	return rand.New(rand.NewPCG(c.Seed, uint64(uint32(mq.HashJava(concern)))))
}

func (d *Demo) member(id string, rec recorder.Config) (*engine.Live, error) {
	cfg := d.client(id)
	cfg.Consumer, cfg.Recording = settings(), rec
	if cfg.Consumer.Orderly = d.cfg.Orderly; d.cfg.Orderly {
		cfg.Consumer.OrderlyListener = d.orderlyListener()
	} else {
		cfg.Consumer.Listener = d.listener()
	}
	return engine.Open(cfg)
}

// client is what all who connect to the cluster have in common.
func (d *Demo) client(id string) engine.Config {
	return engine.Config{
		Name: "demo", NameServers: []string{nameServer}, ClientID: id,
		Dial: d.cfg.Dial, Clock: d.cfg.Clock, Rand: d.cfg.rand(id), Log: d.cfg.Log, Kind: snapshot.Demo,
	}
}

// listener plays an application: quick in general, slow for one queue, and failing for a few
// messages, which come back through the retry topic and succeed the third time.
func (d *Demo) listener() consume.Listener {
	return func(ctx context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
		if !d.work(ctx, c.Queue, msgs[0], msgs[0].ReconsumeTimes()) {
			return consume.ReconsumeLater
		}
		return consume.Success
	}
}

// orderlyListener plays the same application where order counts: what fails holds its queue
// up for a moment.
func (d *Demo) orderlyListener() consume.OrderlyListener {
	return func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
		if !d.work(ctx, c.Queue, msgs[0], c.Times[0]) {
			return consume.SuspendCurrentQueueAMoment
		}
		return consume.OrderlySuccess
	}
}

// work is what the application does with m, which failed a number of times before; it tells
// whether that succeeded now.
func (d *Demo) work(ctx context.Context, q mq.MessageQueue, m mq.Message, failed int32) bool {
	delay := 5*time.Millisecond + time.Duration(m.QueueOffset()%7)*time.Millisecond
	if q == slowest() {
		delay = 1500 * time.Millisecond
	}
	if clock.Sleep(ctx, d.cfg.Clock, delay) != nil {
		return false
	}
	return m.Tags() != tagFailing || failed >= 2
}

// Run plays the demo until ctx ends. The visible member leaves first, then the others.
func (d *Demo) Run(ctx context.Context) error {
	after, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	world, worldCtx := lifecycle.NewGroup(after)
	world.Go("cluster", d.cluster.Run)
	select {
	case <-d.cluster.Ready():
	case <-worldCtx.Done():
		return world.Wait()
	}
	for topic, queues := range map[string]int{orders: 4, refunds: 2} {
		if err := d.cluster.CreateTopic(topic, queues); err != nil {
			return fmt.Errorf("set the demo's scene: %w", err)
		}
	}
	cast, castCtx := lifecycle.NewGroup(after)
	cast.Go("producer", d.produce)
	for _, id := range others() {
		cast.Go("member "+id, func(ctx context.Context) error { return d.comeAndGo(ctx, id) })
	}
	show, stop := context.WithCancel(ctx)
	defer stop()
	release := context.AfterFunc(castCtx, stop)
	defer release()
	err := d.Live.Run(show)
	end()
	for _, e := range []error{cast.Wait(), world.Wait()} {
		if err == nil {
			err = e
		}
	}
	return err
}

// comeAndGo runs another member. The last of them leaves now and then and comes back, so that
// queues move.
func (d *Demo) comeAndGo(ctx context.Context, id string) error {
	members := others()
	steady := id != members[len(members)-1]
	chance := d.cfg.rand("coming and going")
	for ctx.Err() == nil {
		stay := 14*time.Second + time.Duration(chance.IntN(4000))*time.Millisecond
		if steady {
			stay = 24 * 365 * time.Hour
		}
		m, err := d.member(id, recorder.Config{})
		if err != nil {
			return err
		}
		visit, leave := context.WithTimeout(ctx, stay)
		err = m.Run(visit)
		leave()
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		d.Note(event.Entry{Level: event.Info, Source: "demo", Where: id, What: "the script lets this member leave for 10s"})
		if err := clock.Sleep(ctx, d.cfg.Clock, 10*time.Second); err != nil {
			return err
		}
	}
	return nil
}
