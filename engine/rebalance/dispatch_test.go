package rebalance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// TestS3NewQueuesArePulledTogetherAfterADelay: requests of a pass's new queues are dispatched
// half a second late (Java: RebalancePushImpl.dispatchPullRequest(list, 500)), unless the
// config says otherwise; with locks, and after a repair, at once.
func TestS3NewQueuesArePulledTogetherAfterADelay(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       func(*Config)
		fresh, again string // delays
	}{
		{"as in Java", func(*Config) {}, "500ms", "0s"},
		{"configured", func(c *Config) { c.DispatchDelay = 70 * time.Millisecond }, "70ms", "0s"},
		{"orderly", orderly, "0s", "0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newOne(c.change)
			r.Step(epoch, route(3))
			r.Step(epoch, wanted())
			r.Step(epoch, listed(ours...))
			if r.cfg.Orderly {
				r.Step(epoch, locked(3, 0, 0, 1, 2))
			}
			at := 10 * time.Millisecond
			play(t, r, []step{
				{at, found(0, 1, 7), "assign 0 #1 at 7 after " + c.fresh},
				{at, found(1, 2, 0), "assign 1 #2 at 0 after " + c.fresh},
				{at, found(2, 3, 9), "assign 2 #3 at 9 after " + c.fresh},
			})
			if r.cfg.Orderly {
				return // a repair asks for the lock first
			}
			play(t, r, []step{
				{2 * sec, Dropped{Queue: q(1)}, "read 1 #4 committed"},
				{2 * sec, found(1, 4, 5), "assign 1 #4 at 5 after " + c.again},
			})
		})
	}
}

// TestS4LocksAreAskedForByBroker: one question for all queues of a broker, none that mixes
// brokers, and the answer of one says nothing of the other's
// (Java: RebalanceImpl.buildProcessQueueTableByBrokerName).
func TestS4LocksAreAskedForByBroker(t *testing.T) {
	on := func(broker string, ids ...int32) (list []mq.MessageQueue) {
		for _, id := range ids {
			list = append(list, mq.MessageQueue{Topic: "t", BrokerName: broker, QueueID: id})
		}
		return list
	}
	answered := func(at time.Duration, broker string, ids ...int32) event.Event {
		return LocksAnswered{Broker: broker, Queues: on(broker, 0, 1), Granted: on(broker, ids...), At: epoch.Add(at)}
	}
	failed := LocksAnswered{Broker: "c", Queues: on("c", 0, 1), Err: errBoom}
	r := newOne(orderly)
	r.Step(epoch, event.RouteChanged{Topic: "t", Known: true, Queues: append(on("c", 1, 0), on("b", 0, 1)...)})
	r.Step(epoch, wanted())
	play(t, r, []step{
		{0, listed(ours...), "info t: +4 -0 queues, AVG over 1 member\n announce t\n lock 0,1\n lock t/c/0,t/c/1"},
		{0, answered(0, "b", 0, 1), "read 0 #1 committed\n read 1 #2 committed"},
		{0, failed, "warn c: waits for the locks of 2 queues: connection refused"},
		{0, found(0, 1, 5), "assign 0 #1 at 5 after 0s"},
		{0, found(1, 2, 5), "assign 1 #2 at 5 after 0s"},
		{sec, event.Tick{}, "list t\n lock 0,1"}, // the first renewal, of what is held
		{sec, answered(sec, "b", 0, 1), "held 0,1 since 1s"},
		{sec, listed(ours...), "lock t/c/0,t/c/1"},
		{sec, answered(sec, "c", 0, 1), "read t/c/0 #3 committed\n read t/c/1 #4 committed"},
	})
	asked := map[string][]mq.MessageQueue{}
	for _, a := range r.Step(epoch.Add(21*sec), event.Tick{}) {
		if l, ok := a.(LockQueues); ok {
			asked[l.Broker] = append(asked[l.Broker], l.Queues...)
		}
	}
	if diff := cmp.Diff(map[string][]mq.MessageQueue{"b": on("b", 0, 1), "c": on("c", 0, 1)}, asked); diff != "" {
		t.Errorf("renewals by broker (-want +got):\n%s", diff)
	}
}
