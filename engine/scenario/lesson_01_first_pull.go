package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/sim"
)

// firstPull: three queues that begin at three places, each for a reason of its own.
func firstPull() *Scenario {
	return &Scenario{
		Name: "first-pull", Title: "First pull after rebalance",
		Text: []string{
			"A consumer has just started. No one tells it which queues are its own: it asks a broker for the members of its group, " +
				"sorts members and queues, and works its share out by itself. The others do the same, so all come to one result (RebalanceImpl).",
			"Three queues of 20 messages each begin at three different offsets. Step with . and watch rebalance.start-offset: " +
				"where does each one begin, and why? Then follow one pull request up to the first message.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics: []sim.Topic{{Name: orders, Queues: 3, Stored: 20}},
				Script: func(w *sim.World) {
					w.Inspect(func(s *embedded.State) {
						b := s.Broker("broker-a")
						b.SetCommitted(group, orders, 0, 12)
						b.Trim(orders, 2, 5)
					})
				},
			}
		},
		Goals: func() []Goal {
			started := func(id int32, offset int64) met {
				return at(decision.RebalanceStartOffset, of(queue(orders, id)), is("offset", offset))
			}
			return []Goal{
				{
					"all three queues are ours",
					"One member, three queues: AVG gives all to it (AllocateMessageQueueAveragely). A pass comes every 20 s and " +
						"whenever a broker says that members changed, but not within a second of the last one (RebalanceService).",
					at(decision.RebalanceAllocated, is("queues", 3), is("mine", 3)),
				},
				{
					"queue 0 begins at 12, committed",
					"The group had committed 12 here: a new owner goes on where the last one stopped. Committed offsets win over " +
						"everything that is configured (RebalancePushImpl.computePullFromWhere).",
					started(0, 12),
				},
				{
					"queue 1 begins at 0, it is young",
					"The trap: nothing is committed, and the policy is CONSUME_FROM_LAST_OFFSET. But this queue is so young that its " +
						"offset 0 is still there, and the broker answers 0 instead of \"not found\". A new group on a young topic reads all of it.",
					started(1, 0),
				},
				{
					"queue 2 begins at 20, its end",
					"The oldest messages of this queue are gone, its first offset is 5. So the broker says \"not found\", and the policy " +
						"decides: LAST_OFFSET asks for the end of the queue, 20. What was stored before is never read by this group.",
					started(2, 20),
				},
				{
					"the first pull waits 500 ms",
					"A new pull request is not due at once but in 500 ms: the other members need a moment to let go of the queues they " +
						"lose (RebalanceImpl, dispatch delay). Look at the time line of due times.",
					at(decision.PullEnqueued, of(queue(orders, 2)), backIn(500*time.Millisecond)),
				},
				{
					"the pull of queue 0 is sent",
					"These were the checks of DefaultMQPushConsumerImpl.pullMessage in their order: dropped, running, paused, count, " +
						"bytes, span, subscription. Each could have put the request back. None did.",
					at(decision.PullSend, of(queue(orders, 0)), is("offset", 12)),
				},
				{
					"the listener gets offset 12",
					"The answer went into the ProcessQueue, a thread took a message out of it, and the listener has it. The request did " +
						"not wait for that: it is on its way to offset 20 already. Pulling and consuming go on side by side.",
					at(decision.ConsumeCalled, of(queue(orders, 0)), is("offset", 12)),
				},
			}
		},
	}
}
