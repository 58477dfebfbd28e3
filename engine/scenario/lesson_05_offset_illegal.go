package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/embedded"
	"mqscope/engine/pull"
	"mqscope/engine/sim"
)

// offsetIllegal: the broker deletes messages that a slow consumer has not read yet.
func offsetIllegal() *Scenario {
	q := queue(orders, 0)
	return &Scenario{
		Name: "offset-illegal", Title: "OFFSET_ILLEGAL repaired",
		Text: []string{
			"A broker deletes old messages whether they were read or not. A slow consumer may then ask for an offset that is not " +
				"there any more; or for one that is not there yet, where a broker has lost its newest messages. The answer is OFFSET_ILLEGAL.",
			"After three seconds the broker here deletes all up to offset 60. The repair makes a new start: the queue is given up, " +
				"and taken again by a rebalance. Watch in which order, and what becomes of the messages that are held.",
		},
		Config: func(seed uint64) sim.Config {
			cfg := sim.Config{
				Seed: seed, Group: group, Limit: time.Minute, PullBatch: 8,
				Topics:  []sim.Topic{{Name: orders, Queues: 1, Stored: 80}},
				Handler: func(sim.Attempt) sim.Work { return sim.Work{Takes: 700 * time.Millisecond} },
				Script: func(w *sim.World) {
					until(w, 3*time.Second)
					w.Inspect(func(s *embedded.State) { s.Broker(q.BrokerName).Trim(orders, 0, 60) })
				},
			}
			cfg.Consumer.Pull.Limits = pull.Limits{CountPerQueue: 10}
			return cfg
		},
		Goals: func() []Goal {
			illegal := at(decision.PullIllegal, of(q), is("next", 60))
			return []Goal{
				{
					"OFFSET_ILLEGAL, go on at 60",
					"The offset is below the first one that is there, and the answer says where to go on: 60. What lies between is lost to " +
						"this group. With an offset beyond the end it would name the end.",
					illegal,
				},
				{
					"the queue is dropped",
					"Setting dropped is the first thing: whatever a listener returns from now on counts for nothing. The messages that " +
						"were held are forgotten with the ProcessQueue (ProcessQueue.setDropped).",
					at(decision.PullIllegalDropped, of(q), atLeast("cached", 1)),
				},
				{
					"its offset is frozen at 60",
					"A listener that is still busy with an old message would set the offset back when it returns. So it is frozen: no update " +
						"changes it until the entry is removed (OffsetStore.updateAndFreezeOffset).",
					at(decision.PullIllegalFrozen, of(q), is("next", 60)),
				},
				{
					"60 is sent to the broker",
					"Now the group's offset is right, also for another member that gets the queue. Before Java 5.2 the whole repair came ten " +
						"seconds later.",
					at(decision.PullIllegalPersisted, of(q), yes),
				},
				{
					"removed, and a rebalance is wanted",
					"The request dies with it. Nothing pulls from this queue now; only the next pass can bring it back, and a pass does not " +
						"begin within a second of the last one.",
					at(decision.PullIllegalRemoved, of(q)),
				},
				{
					"ours again, from 60 on",
					"The same queue with a new ProcessQueue and a new request: dropped is for ever, so there has to be a new one. Its start " +
						"offset is what was persisted a moment ago.",
					after(illegal, at(decision.RebalanceAdded, of(q), is("offset", 60))),
				},
				{
					"an old result is discarded",
					"A listener returned for a message of the queue's earlier life: dropped, so the result is thrown away. The message was " +
						"consumed, but nobody will know.",
					after(illegal, at(decision.ConsumeDiscarded, of(q), yes)),
				},
				{
					"offset 60 is consumed",
					"Repaired, without a person. A reset of offsets by an administrator reaches consumers of 5.x in the same way: as " +
						"OFFSET_ILLEGAL with the offset that is wanted.",
					after(illegal, at(decision.ConsumeCalled, of(q), is("offset", 60))),
				},
			}
		},
	}
}
