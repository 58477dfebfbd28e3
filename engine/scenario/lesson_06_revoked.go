package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// revoked: a queue goes to another member while a broker holds our pull of it.
func revoked() *Scenario {
	q := queue(orders, 1)
	return &Scenario{
		Name: "revoked", Title: "Revoked, a pull in flight",
		Text: []string{
			"A rebalance can take a queue away at any moment, also while a pull of it is out. Nothing can call that pull back: the broker " +
				"holds it, and will answer some time. What may such an answer still do?",
			"Two queues, both quiet. A second member joins after three seconds and gets queue 1; at eight seconds a message is stored there, " +
				"which wakes our old pull as well as the new owner's. Watch the task of queue 1.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics: []sim.Topic{{Name: orders, Queues: 2, Stored: 3}},
				Script: func(w *sim.World) {
					until(w, 3*time.Second)
					quietly(w.Change(step.MemberJoins{Name: second}))
					until(w, 8*time.Second)
					w.Send(q, 1)
				},
			}
		},
		Goals: func() []Goal {
			dropped := at(decision.RebalanceDrop, of(q))
			return []Goal{
				{
					"a broker holds the pull of queue 1",
					"The three messages are consumed, and a pull from offset 3 waits at the broker. This is where a consumer that has " +
						"nothing to do spends its time.",
					at(decision.PullParked, of(q)),
				},
				{
					"queue 1 is not ours any more",
					"The broker told all members; each worked the shares out anew. Two members, two queues: the second one in the sorted list " +
						"gets queue 1 (AllocateMessageQueueAveragely).",
					at(decision.RebalanceOwnerChange, of(q), no),
				},
				{
					"it is dropped, its pull is out",
					"dropped is set first. From here on no listener is called for it, and no result counts. The pull is still out: the " +
						"task has no queue any more.",
					dropped,
				},
				{
					"its offset is sent, then forgotten",
					"The new owner begins at what is committed: so the offset goes out before the queue leaves the table " +
						"(RebalancePushImpl.removeUnnecessaryMessageQueue). What a listener is still busy with will be delivered again there.",
					after(dropped, at(decision.OffsetRemoved, of(q))),
				},
				{
					"the old pull is answered, too late",
					"The answer comes with a message, and the queue is not ours. In Java it goes into the dropped ProcessQueue, where no " +
						"consume task looks at it; here it is not even put there. The new owner's pull brought the same message.",
					at(decision.PullLate, of(q), yes),
				},
			}
		},
	}
}
