package ledger_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

// member is one consumer with a network of its own.
type member struct {
	id    string
	cable *cable
	push  *consumer.Push
	thaws time.Time // of a frozen cable, else zero
	leave context.CancelFunc
	die   context.CancelFunc
	done  chan struct{}
}

// join starts a member.
func (r *rig) join() *member {
	r.born++
	m := &member{id: fmt.Sprintf("192.0.2.%d@m%d", 10+r.born%200, r.born), cable: &cable{dialer: r.net}, done: make(chan struct{})}
	instance := r.instance(m.id, m.cable.dial, m.id)
	cfg := consumer.Config{
		Group: group, ClientID: m.id, From: mq.FromFirstOffset, Batch: r.batch, MaxReconsume: maxReconsume,
		Pull: pull.Config{Batch: r.pulls}, Timeout: consumeTimeout,
	}
	for _, topic := range topics {
		cfg.Subscriptions = append(cfg.Subscriptions, consumer.Subscription{Topic: topic})
	}
	if r.orderly {
		cfg.Orderly, cfg.SuspendTime = true, 50*time.Millisecond
		cfg.OrderlyListener = func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			if r.listen(ctx, m.id, c.Queue, msgs, c.Times) < len(msgs) {
				return consume.SuspendCurrentQueueAMoment
			}
			return consume.OrderlySuccess
		}
	} else {
		cfg.Listener = func(ctx context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
			c.AckIndex = r.listen(ctx, m.id, c.Queue, msgs, nil) - 1
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
		if err := m.push.Run(ctx); err != nil && !r.broken {
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
func (r *rig) listen(ctx context.Context, member string, q mq.MessageQueue, msgs []mq.Message, times []int32) (done int) {
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
		switch {
		case f.takes > 0 && clock.Sleep(ctx, clock.System{}, f.takes) != nil: // the member ends
			return r.upTo(i)
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

// stop has a member leave and waits for it.
func (r *rig) stop(m *member) {
	r.without(m)
	m.cable.thaw()
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

// freeze has a member and the servers hear nothing of each other until then.
func (r *rig) freeze(m *member, until time.Time) {
	m.thaws = until
	m.cable.freeze()
}

// thaw ends what freeze began, where it is time.
func (r *rig) thaw(now time.Time) {
	for _, m := range slices.Concat(r.members, r.gone) {
		if !m.thaws.IsZero() && !m.thaws.After(now) {
			m.thaws = time.Time{}
			m.cable.thaw()
		}
	}
}

func (r *rig) without(m *member) {
	r.members = slices.DeleteFunc(r.members, func(o *member) bool { return o == m })
	r.gone = append(r.gone, m)
}

// stopAll has every member leave, those that lost their network too.
func (r *rig) stopAll() {
	for _, m := range slices.Concat(r.gone, r.members) {
		m.cable.thaw()
		m.leave()
		<-m.done
	}
	r.gone, r.members = nil, nil
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
	return all
}
