package consumer

import (
	"context"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// The first route look-up is tried again with growing pauses: name servers may come later.
const (
	startRetryFirst = 500 * time.Millisecond
	startRetryMost  = 5 * time.Second
)

// start brings the consumer into its group: routes, the broker's word on the subscription, a
// heartbeat, the first rebalance (Java: DefaultMQPushConsumerImpl.start, the steps after
// "mQClientFactory.start"). What fails is shown and tried again until ctx ends.
func (l *loop) start(ctx context.Context) error {
	pause := startRetryFirst
	for {
		err := l.tryStart(ctx)
		if err == nil {
			l.inbox.post(sourceStatus{state: snapshot.Running})
			return nil
		}
		if ctx.Err() != nil { // it ends while it starts: nothing went wrong
			return ctx.Err()
		}
		retryAt := l.cfg.Clock.Now().Add(pause)
		l.inbox.post(sourceStatus{state: snapshot.Failing, err: err, retryAt: retryAt})
		l.decisions.Fact(decision.StartAgain, mq.MessageQueue{}, err.Error(), [6]int64{int64(pause)})
		l.tell(event.Entry{Level: event.Warn, Source: "engine", What: "start: " + err.Error()})
		if err := clock.Sleep(ctx, l.cfg.Clock, pause); err != nil {
			return err
		}
		pause = min(2*pause, startRetryMost)
	}
}

func (l *loop) tryStart(ctx context.Context) error {
	none, topics := mq.MessageQueue{}, l.topicsOfUsers()
	err := l.client.RefreshRoutes(ctx, topics...)
	if !l.decisions.Is(decision.StartRoutes, none, err == nil, [6]int64{int64(len(topics))}) {
		return err
	}
	err = l.checkExpressions(ctx)
	if !l.decisions.Is(decision.StartChecked, none, err == nil, [6]int64{}) {
		return err
	}
	// The retry topic is made by the first heartbeat; its route is there only then.
	if !l.decisions.Is(decision.StartHeartbeat, none, l.heartbeat(ctx), [6]int64{}) {
		return errNoHeartbeat
	}
	if l.cfg.Model == mq.Clustering {
		l.findRetryTopic(ctx)
	}
	l.decisions.Fact(decision.StartDone, none, "", [6]int64{})
	l.inbox.post(event.RebalanceWanted{Why: "start"})
	return nil
}

// checkExpressions has a broker compile the expressions that are no tags
// (Java: MQClientInstance.checkClientInBroker).
func (m *membership) checkExpressions(ctx context.Context) error {
	for _, d := range m.subs.told() {
		if d.ExpressionType == protocol.ExpressionTAG {
			continue
		}
		if err := m.client.SubscriptionCheck(ctx, m.group, d); err != nil {
			return err
		}
	}
	return nil
}

// findRetryTopic reads the route of the retry topic, which each broker has made on its own.
// Twice: the first answer may be to a question that was asked before the heartbeats.
func (l *loop) findRetryTopic(ctx context.Context) {
	for range 2 {
		if err := l.client.RefreshRoutes(ctx, mq.RetryTopic(l.cfg.Group)); err != nil {
			l.cfg.Log.Debug("route of the retry topic", "err", err)
			return
		}
	}
}

func (l *loop) topicsOfUsers() []string {
	var topics []string
	for _, s := range l.cfg.Subscriptions {
		topics = append(topics, s.Topic)
	}
	return topics
}

// registration is how the client instance knows this consumer.
func (l *loop) registration() client.Registration {
	r := client.Registration{
		Group: l.cfg.Group, Type: mq.Passively, Model: l.cfg.Model, From: l.cfg.From, UnitMode: l.cfg.UnitMode,
		Subscriptions: l.subs.list,
		Notify:        l.inbox.post,
	}
	l.answerRequests(&r)
	return r
}
