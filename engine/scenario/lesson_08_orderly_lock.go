package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// orderlyLock: a queue that is consumed in order changes its owner while its message is in a
// listener there.
func orderlyLock() *Scenario {
	q := queue(orders, 1)
	return &Scenario{
		Name: "orderly-lock", Title: "Orderly: lock before pull",
		Text: []string{
			"Where order counts, two members must never work on one queue, not even for a moment. A rebalance can not promise that: " +
				"members may see different lists. So the broker keeps a lock of each queue, and who consumes in order needs it.",
			"Three members have a queue each. When the third one leaves, queue 1 moves from the second to us, while the listener there is busy. " +
				"Watch what stands between \"mine\" and the first pull, and how a lock is kept.",
		},
		Config: func(seed uint64) sim.Config {
			cfg := sim.Config{
				Seed: seed, Group: group, Limit: 90 * time.Second, Others: []string{second, third},
				Topics: []sim.Topic{{Name: orders, Queues: 3, Stored: 4}},
				Handler: func(a sim.Attempt) sim.Work {
					if a.Queue == q && a.Offset == 4 {
						return sim.Work{Takes: 4 * time.Second}
					}
					return sim.Work{Takes: time.Millisecond}
				},
				Script: func(w *sim.World) {
					until(w, 10*time.Second)
					w.Send(q, 1)
					until(w, 11*time.Second)
					quietly(w.Change(step.MemberLeaves{Name: third}))
				},
			}
			cfg.Consumer.Orderly = true
			return cfg
		},
		Goals: func() []Goal {
			refused := at(decision.LockGranted, of(q), no)
			granted := after(refused, at(decision.LockGranted, of(q), yes))
			return []Goal{
				{
					"queue 0: its lock is asked for",
					"A queue of an orderly consumer gets no request and no ProcessQueue before the broker has granted its lock " +
						"(RebalanceImpl.lock). Java's first pull comes 500 ms later; here it does not wait, the lock keeps the last owner out.",
					at(decision.LockAsked, of(queue(orders, 0))),
				},
				{
					"queue 0: granted, first pull",
					"The first turn with the lock reads the committed offset once more (previouslyLocked): the last owner may have " +
						"committed between our first look and its unlock. Then the pull goes out.",
					after(at(decision.PullFirstLock, of(queue(orders, 0)), yes), at(decision.PullSend, of(queue(orders, 0)))),
				},
				{
					"queue 0: called under the lock",
					"Asked again before each call: held, and younger than 30 s? One thread has the queue for itself, the next message comes " +
						"when the last one is done (ConsumeMessageOrderlyService).",
					at(decision.OrderlyLock, of(queue(orders, 0)), yes),
				},
				{
					"queue 1: ours, and lock refused",
					"The second member has given queue 1 up, but its listener is not through with a message: until that returns it keeps the lock. " +
						"By every member list the queue is ours, and we may not touch it.",
					refused,
				},
				{
					"queue 1: lock granted at last",
					"The second member committed its offset, then gave the lock back. In that order: so we begin behind the message that it was " +
						"busy with, and not before it.",
					granted,
				},
				{
					"queue 1: offset read, then pulled",
					"With the lock in hand no one else can move the offset: what is read now is right.",
					after(refused, after(at(decision.PullStartRead, of(q)), at(decision.PullSend, of(q)))),
				},
				{
					"queue 1: its lock is renewed",
					"A member that hangs or is cut off does not renew: we stop trusting our lock after 30 s, and the broker gives it to " +
						"another one after 60 s. The gap is there so that we stop before they begin.",
					after(granted, at(decision.LockRenewed, of(q))),
				},
			}
		},
	}
}
