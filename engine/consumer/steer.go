package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
)

// What may change while a consumer runs, beside pausing.
type (
	setThreads  struct{ n int }
	setLimits   struct{ limits pull.Limits }
	subscribe   struct{ data protocol.SubscriptionData }
	unsubscribe struct{ topic string }
	releaseLock struct{ queue mq.MessageQueue }
)

// SetThreads makes n, 1 to 1000, the number of consume threads
// (Java: DefaultMQPushConsumer.updateCorePoolSize). What runs is finished in any case.
func (p *Push) SetThreads(n int) error {
	if n < 1 || n > maxThreads {
		return fmt.Errorf("%d consume threads: 1 to %d are allowed", n, maxThreads)
	}
	p.loop.inbox.post(setThreads{n})
	return nil
}

// SetLimits changes the limits of flow control; zero fields mean the defaults. The error is
// as that of Config.Validate. Queues that wait for room look again at once.
func (p *Push) SetLimits(l pull.Limits) error {
	if err := validateLimits(l); err != nil {
		return err
	}
	p.loop.inbox.post(setLimits{l.WithDefaults()})
	return nil
}

// Subscribe adds a topic, or changes the expression of one that is subscribed to already
// (Java: DefaultMQPushConsumer.subscribe). Brokers are told by a heartbeat; queues come with
// the next rebalance.
func (p *Push) Subscribe(s Subscription) error {
	s.Topic = mq.WithNamespace(p.cfg.Namespace, s.Topic)
	if err := mq.ValidateTopic(s.Topic); err != nil {
		return err
	}
	if p.ownRetryTopic(s.Topic) {
		return fmt.Errorf("topic %s is the group's own retry topic, which is always subscribed to", s.Topic)
	}
	d, err := s.data(p.cfg.Clock.Now().UnixMilli())
	if err != nil {
		return err
	}
	p.loop.inbox.post(subscribe{d})
	return nil
}

// Unsubscribe gives a topic up: its queues are dropped, and what was consumed of them is
// committed first. (Java's unsubscribe commits nothing: up to five seconds are consumed again.)
func (p *Push) Unsubscribe(topic string) error {
	topic = mq.WithNamespace(p.cfg.Namespace, topic)
	if p.ownRetryTopic(topic) {
		return fmt.Errorf("topic %s is the group's own retry topic, which stays subscribed to", topic)
	}
	p.loop.inbox.post(unsubscribe{topic})
	return nil
}

// ReleaseLock gives the broker's lock of a queue back once what runs of it is finished and
// committed; it is asked for again one renewal interval later. What stands against it is told
// as an event.
func (p *Push) ReleaseLock(q mq.MessageQueue) { p.loop.inbox.post(releaseLock{q}) }

func (p *Push) ownRetryTopic(topic string) bool {
	return p.cfg.Model == mq.Clustering && topic == mq.RetryTopic(p.cfg.Group)
}

// validateLimits tells what is out of range, all of it.
func validateLimits(l pull.Limits) error {
	var errs []error
	for _, v := range []struct {
		name    string
		v, high int
	}{
		{"CountPerQueue", l.CountPerQueue, maxCountPerQueue}, {"MiBPerQueue", l.MiBPerQueue, maxMiBPerQueue},
		{"Span", l.Span, maxSpan},
		{"CountPerTopic", l.CountPerTopic, maxCountPerTopic}, {"MiBPerTopic", l.MiBPerTopic, maxMiBPerTopic},
	} {
		if v.v != 0 && (v.v < 1 || v.v > v.high) {
			errs = append(errs, fmt.Errorf("Pull.Limits.%s is %d: 1 to %d is allowed, or 0 for the default", v.name, v.v, v.high))
		}
	}
	return errors.Join(errs...)
}

// steer carries out what a person or a broker asked for.
func (l *loop) steer(now time.Time, e event.Event) {
	switch e := e.(type) {
	case *errand:
		if l.in.remakes() {
			l.askedAgain(now, e.question)
			return
		}
		e.run(now)
	case resetSent:
		l.resetSent(now, e)
	case setThreads:
		was := l.threadStats().Threads.Max
		if !l.in.remakes() {
			l.pool.SetThreads(e.n)
		}
		l.note(now, event.Info, "consume", "", fmt.Sprintf("consume threads: %d → %d", was, e.n))
	case setLimits:
		l.wantLimits = e.limits
		l.shareLimits()
		l.note(now, event.Info, "flow", "", "limits of a queue are now "+limitsText(l.limits))
		l.scheduleStep(now, event.Woken{Causes: flowCauses, By: "limits changed by hand"})
	case subscribe:
		l.subscribe(now, e.data)
	case unsubscribe:
		l.unsubscribe(now, e.topic)
		if retry := mq.PopRetryTopic(e.topic, l.group); l.subs.has(retry) {
			l.unsubscribe(now, retry)
		}
	case popRetryFound:
		l.popRetryFound(now, e)
	case releaseLock:
		l.rebalanceStep(now, rebalance.ReleaseLock{Queue: e.queue})
	}
}

func limitsText(l pull.Limits) string {
	return fmt.Sprintf("%d messages, %d MiB, span %d", l.CountPerQueue, l.MiBPerQueue, l.Span)
}

// shareLimits shares out the limits for all queues together.
func (l *loop) shareLimits() {
	limits := l.wantLimits.Shared(len(l.order))
	if limits != l.limits {
		l.decisions.Fact(decision.RebalanceThresholds, mq.MessageQueue{}, "",
			[6]int64{int64(len(l.order)), int64(limits.CountPerQueue), int64(limits.MiBPerQueue)})
		l.limits = limits
		l.pull.SetLimits(limits)
	}
}

func (l *loop) subscribe(now time.Time, d protocol.SubscriptionData) {
	isNew := l.subs.change(d)
	what := "subscribed to " + d.Topic + " with " + d.SubString
	if !isNew {
		what = "subscription of " + d.Topic + " changed to " + d.SubString + ": what is cached already is still consumed"
	}
	l.note(now, event.Info, "rebalance", d.Topic, what)
	if isNew {
		l.rebalance.Subscribe(d.Topic)
	}
	l.call(groupLane, func(ctx context.Context) {
		l.heartbeat(ctx)
		if err := l.client.RefreshRoutes(ctx, d.Topic); err != nil {
			l.tell(event.Entry{Level: event.Warn, Source: "remote", Where: d.Topic, What: "no route yet, asked again with the others: " + err.Error()})
		}
		l.heartbeat(ctx) // brokers that only this topic has
		l.inbox.post(event.RebalanceWanted{Why: "subscribed to " + d.Topic})
	})
}

func (l *loop) unsubscribe(now time.Time, topic string) {
	if !l.subs.has(topic) {
		l.note(now, event.Warn, "rebalance", topic, "not subscribed to "+topic+": nothing to give up")
		return
	}
	l.subs.remove(topic)
	l.carryOut(now, l.rebalance.Unsubscribe(now, topic))
	delete(l.topics, topic)
	l.note(now, event.Info, "rebalance", topic, "unsubscribed from "+topic)
	l.call(groupLane, func(ctx context.Context) { l.heartbeat(ctx) })
}
