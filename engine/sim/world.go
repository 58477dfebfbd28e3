package sim

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/invariant"
	"mqscope/engine/mq"
	"mqscope/engine/sim/network"
	"mqscope/engine/sim/stage"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// World is a cluster and everybody on it. It is a step.World.
type World struct {
	cfg     Config
	stage   *stage.Stage
	ctx     context.Context //nolint:containedctx // of everybody on the stage
	cancel  context.CancelFunc
	cluster *network.Cluster
	state   *embedded.State // of the cluster; to be changed by Inspect only

	me      *member
	members []*member // in the order of their coming; those that left are out
	shop    *producer
	tricks  tricks

	steps   uint64
	hash    uint64
	scratch []byte
	stop    func(d *decision.Decision) bool
	checker *invariant.Checker
	broken  []snapshot.Breach
	checked uint64        // steps when broken was found out
	skip    time.Duration // passes when the turn is over that stands still
	err     error         // the first that ended one of the cast
}

// New sets the scene. Nothing has happened yet when it returns.
func New(cfg Config) (*World, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &World{cfg: cfg, checker: invariant.New(), stage: stage.New(Start(), cfg.rand("turns"))}
	w.hash = fnv.New64a().Sum64() // where FNV begins
	w.ctx, w.cancel = context.WithCancel(w.stage.Context())
	w.cluster, err = network.New(network.Config{
		Timeline: w.stage,
		Cluster: embedded.Config{
			ClusterName: "sim", Brokers: cfg.Brokers, Rand: cfg.rand("brokers"),
			PullBatchMessages: cfg.PullBatch, DelayLevels: cfg.DelayLevels, MaxBytes: cfg.MaxBytes,
		},
		Latency: cfg.Latency, Jitter: cfg.Jitter, Rand: cfg.rand("network"),
	})
	if err != nil {
		return nil, err
	}
	w.cluster.Inspect(func(s *embedded.State) { w.state = s })
	w.tricks = newTricks(w)
	for _, t := range cfg.Topics {
		w.cluster.CreateTopic(t.Name, t.Queues)
	}
	if w.shop, err = newProducer(w); err != nil {
		return nil, err
	}
	w.stock()
	if w.me, err = w.join(cfg.Me); err != nil {
		return nil, err
	}
	w.me.watch(w)
	for _, id := range cfg.Others {
		if _, err := w.join(id); err != nil {
			return nil, err
		}
	}
	if cfg.Script != nil {
		w.stage.Go("script", func() { cfg.Script(w) })
	}
	w.stage.AfterTurn = w.afterTurn
	return w, nil
}

// Decided implements decision.Sink: the driven member has decided something.
func (w *World) Decided(d *decision.Decision) {
	w.steps++
	w.scratch = d.AppendTo(w.scratch[:0])
	w.hash = mix(w.hash, w.scratch)
	w.checker.Decided(d)
	if w.stop != nil && w.stop(d) {
		w.stage.Halt()
	}
}

// mix is FNV-1a, continued.
func mix(h uint64, b []byte) uint64 {
	for _, c := range b {
		h ^= uint64(c)
		h *= 1099511628211
	}
	return h
}

// Run implements step.World.
func (w *World) Run(stop func(d *decision.Decision) bool) (step.Reason, error) {
	w.stop = stop
	why := w.stage.Run(Start().Add(w.cfg.Limit))
	switch {
	case w.err != nil:
		return step.Idle, w.err
	case why == stage.Halted:
		return step.Stopped, nil
	case why == stage.Over:
		return step.TimeUp, nil
	}
	return step.Idle, nil
}

// Steps implements step.World.
func (w *World) Steps() uint64 { return w.steps }

// Now implements step.World.
func (w *World) Now() time.Time { return w.stage.Now() }

// Hash implements step.World.
func (w *World) Hash() uint64 { return w.hash }

// Snapshot implements step.World.
func (w *World) Snapshot() *snapshot.Snapshot {
	s := w.me.picture()
	s.Source.Kind, s.Source.Name = snapshot.Demo, "sim"
	return s
}

// Close implements step.World.
func (w *World) Close() {
	w.stop = nil
	w.me.watch(nil)
	w.stage.Close()
	w.cancel()
}

// Sleep lets a script wait.
func (w *World) Sleep(d time.Duration) { _ = clock.Sleep(w.ctx, w.stage, d) }

// Since is the virtual time since the start.
func (w *World) Since() time.Duration { return w.stage.Now().Sub(Start()) }

// Rand is a stream of chance for a script, the same one for a seed and a concern.
func (w *World) Rand(concern string) *rand.Rand { return w.cfg.rand("script: " + concern) }

// Cluster is the brokers and what is between them and the members.
func (w *World) Cluster() *network.Cluster { return w.cluster }

// afterTurn finds out what is broken, when something was decided and can be judged.
func (w *World) afterTurn() {
	if w.checked != w.steps {
		if list, judged := w.me.broken(); judged {
			w.broken, w.checked = list, w.steps
		}
	}
	w.stage.Skip(w.skip)
	w.skip = 0
}

// advance lets time pass, at the end of a turn that is not over: nobody decides at two times at
// once.
func (w *World) advance(d time.Duration) {
	if w.stage.Halted() {
		w.skip += d
	} else {
		w.stage.Skip(d)
	}
}

// Broken implements step.World: what the last decision broke, and what was found in the consumer
// when it was last between two steps.
func (w *World) Broken() []snapshot.Breach { return slices.Concat(w.checker.Broken(), w.broken) }

// fail keeps the first error of the cast.
func (w *World) fail(who string, err error) {
	if err != nil && w.err == nil && w.ctx.Err() == nil {
		w.err = fmt.Errorf("%s: %w", who, err)
	}
}

// Queue is a queue of a topic on the first broker, or on the one that is named.
func (w *World) Queue(topic string, id int32, broker ...string) mq.MessageQueue {
	name := w.cfg.Brokers[0]
	if len(broker) > 0 {
		name = broker[0]
	}
	return mq.MessageQueue{Topic: topic, BrokerName: name, QueueID: id}
}

var (
	_ step.World    = (*World)(nil)
	_ decision.Sink = (*World)(nil)
)
