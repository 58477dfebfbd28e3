package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/sim"
)

// retryTopic: a message takes long, another one fails once.
func retryTopic() *Scenario {
	q, retry := queue(orders, 0), queue(mq.RetryTopic(group), 0)
	return &Scenario{
		Name: "retry-topic", Title: "Offsets and retry topic",
		Text: []string{
			"An offset says: everything before this is done. Messages are consumed by many threads and finish in any order, so the offset " +
				"stands at the first one that is not finished, however much is done behind it.",
			"Of ten messages, the one at offset 2 takes eight seconds, and the one at offset 5 fails the first time. Neither holds up the " +
				"others. Watch consume.removed, which tells the offset before and after, and where the failed one turns up again.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics: []sim.Topic{{Name: orders, Queues: 1, Stored: 10}},
				Handler: func(a sim.Attempt) sim.Work {
					switch {
					case a.Queue == q && a.Offset == 2:
						return sim.Work{Takes: 8 * time.Second}
					case a.Queue == q && a.Offset == 5:
						return sim.Work{Takes: 20 * time.Millisecond, Fails: true}
					}
					return sim.Work{Takes: 20 * time.Millisecond}
				},
			}
		},
		Goals: func() []Goal {
			return []Goal{
				{
					"offset 5 fails and is sent back",
					"The listener said RECONSUME_LATER, and a broker now keeps a copy in %RETRY%billing. Level 3 and one more for each " +
						"retry: 10 s, 30 s, 1 m … After 16 times it goes to %DLQ%billing, the dead letters.",
					at(decision.ConsumeSentBack, of(q), is("offset", 5), yes),
				},
				{
					"sent back, it counts as done",
					"The broker has it: so it leaves the ProcessQueue, and the offset may pass it. Only where the send-back fails does it stay " +
						"here, and is tried again after 5 s.",
					after(at(decision.ConsumeSentBack, of(q), yes), at(decision.ConsumeRemoved, of(q))),
				},
				{
					"nine are done, the offset is 2",
					"Nine are through, one is not. Were this process to die now, the next owner would begin at 2 and consume eight " +
						"messages a second time. That is what \"at least once\" means (ProcessQueue.removeMessage).",
					at(decision.OffsetUpdated, of(q), is("offset", 2), yes),
				},
				{
					"the offset goes to the broker",
					"One way, without waiting for an answer. In between it exists in memory only: a crash forgets up to five seconds, " +
						"a clean shutdown forgets nothing (RemoteBrokerOffsetStore.persistAll).",
					at(decision.OffsetSent, of(q), is("offset", 2), yes),
				},
				{
					"the offset jumps from 2 to 10",
					"The first unfinished message was the only one. Now nothing is held, and the offset is one past the last.",
					at(decision.ConsumeRemoved, of(q), is("before", 2), is("after", 10)),
				},
				{
					"it comes back by %RETRY%billing",
					"The retry topic is a topic like any other: each group subscribes to its own, with its own queues, requests and offsets. " +
						"The delay is the broker's doing: it stored the message there now.",
					at(decision.PullAnswer, of(retry), text("FOUND")),
				},
				{
					"consumed the second time",
					"It shows topic orders again, and that it failed once. Its offset is another one: that of the retry queue. Order is " +
						"gone, that is the price.",
					at(decision.ConsumeAcked, of(retry), is("acked", 1)),
				},
			}
		},
	}
}
