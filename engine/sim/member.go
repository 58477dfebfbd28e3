package sim

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// member is one member of the group: a client instance with a consumer on it.
type member struct {
	id        string
	instance  *client.Instance
	push      *consumer.Push
	scheduled *consumer.Scheduled
	leave     context.CancelFunc
}

func (w *World) newInstance(id string) (*client.Instance, error) {
	return client.New(client.Config{
		NameServers: []string{w.cluster.NameServerAddr()}, ClientID: id,
		Connect: w.cluster.Connect, Clock: w.stage, Rand: w.cfg.rand(id),
	})
}

// join brings a member into the world.
func (w *World) join(id string) (*member, error) {
	for _, m := range w.members {
		if m.id == id {
			return nil, fmt.Errorf("member %s is there already", id)
		}
	}
	instance, err := w.newInstance(id)
	if err != nil {
		return nil, err
	}
	m := &member{id: id, instance: instance}
	run, err := w.consumer(m)
	if err != nil {
		return nil, err
	}
	ctx, leave := context.WithCancel(w.ctx)
	m.leave = leave
	w.members = append(w.members, m)
	w.stage.Go("member "+id, func() { w.fail("member "+id, instance.RunAround(ctx, run)) })
	return m, nil
}

// consumer makes the consumer of a member and returns what runs it.
func (w *World) consumer(m *member) (func(context.Context) error, error) {
	cfg := w.cfg.Consumer
	cfg.Group, cfg.ClientID, cfg.Clock, cfg.Log = w.cfg.Group, m.id, w.stage, nil
	if w.cfg.Scheduled != nil {
		return w.pullTasks(m, cfg)
	}
	if cfg.Orderly {
		cfg.OrderlyListener = w.orderlyListener(m)
	} else {
		cfg.Listener = w.listener(m)
	}
	push, err := consumer.NewPush(cfg, m.instance)
	m.push = push
	if err != nil {
		return nil, err
	}
	return push.Run, nil
}

func (w *World) pullTasks(m *member, cfg consumer.Config) (func(context.Context) error, error) {
	s, err := consumer.NewScheduled(consumer.ScheduledConfig{
		PullConfig: consumer.PullConfig{MemberConfig: consumer.MemberConfig{
			Group: cfg.Group, Clock: cfg.Clock, SnapshotInterval: cfg.SnapshotInterval,
		}},
		Threads: cfg.Threads,
	}, m.instance)
	if err != nil {
		return nil, err
	}
	m.scheduled = s
	for _, t := range cfg.Subscriptions {
		if err := s.RegisterPullTaskCallback(t.Topic, w.cfg.Scheduled); err != nil {
			return nil, err
		}
	}
	return s.Run, nil
}

// part sends a member away, as a clean stop does.
func (w *World) part(id string) error {
	for i, m := range w.members {
		switch {
		case m.id != id:
		case m == w.me:
			return fmt.Errorf("member %s is the one that is driven: another one may leave", id)
		default:
			w.members = append(w.members[:i:i], w.members[i+1:]...)
			m.leave()
			return nil
		}
	}
	return fmt.Errorf("there is no member %s: %s", id, w.memberNames())
}

func (w *World) memberNames() string {
	text := "the members are"
	for _, m := range w.members {
		text += " " + m.id
	}
	return text
}

// watch has the decisions of a member go to s.
func (m *member) watch(s decision.Sink) {
	if m.push != nil {
		m.push.WatchDecisions(s)
	} else {
		m.scheduled.WatchDecisions(s)
	}
}

func (m *member) picture() *snapshot.Snapshot {
	if m.push != nil {
		return m.push.Picture()
	}
	return m.scheduled.Picture()
}

// broken are the invariants that do not hold, if that can be judged.
func (m *member) broken() ([]snapshot.Breach, bool) {
	if m.push != nil {
		return m.push.Broken()
	}
	return m.scheduled.Broken()
}

// listener is the application of a member.
func (w *World) listener(m *member) consume.Listener {
	return func(ctx context.Context, msgs []mq.Message, c *consume.Context) consume.Status {
		for i := range msgs {
			if !w.work(ctx, m, c.Queue, msgs[i], msgs[i].ReconsumeTimes()) {
				c.AckIndex = i - 1
				return consume.Success
			}
		}
		return consume.Success
	}
}

func (w *World) orderlyListener(m *member) consume.OrderlyListener {
	return func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
		for i := range msgs {
			if !w.work(ctx, m, c.Queue, msgs[i], c.Times[i]) {
				return consume.SuspendCurrentQueueAMoment
			}
		}
		return consume.OrderlySuccess
	}
}

// work is what the application does with one message; it tells whether that succeeded.
func (w *World) work(ctx context.Context, m *member, q mq.MessageQueue, msg mq.Message, times int32) bool {
	what := w.cfg.Handler(Attempt{Queue: q, Offset: msg.QueueOffset(), Topic: msg.Topic(), Tags: msg.Tags(), Times: times})
	if m == w.me {
		w.tricks.handler(q, &what)
	}
	if clock.Sleep(ctx, w.stage, max(what.Takes, time.Nanosecond)) != nil {
		return false
	}
	return !what.Fails
}
