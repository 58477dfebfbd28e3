package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/pull"
	"mqscope/engine/sim"
)

const (
	invoices = "invoices" // large ones
	parcels  = "parcels"  // the first of which takes long
)

// flowControls: three queues, each of which exceeds another limit.
func flowControls() *Scenario {
	flow := 50 * time.Millisecond
	return &Scenario{
		Name: "flow-control", Title: "The three flow controls",
		Text: []string{
			"Before each pull a consumer looks at what it holds of the queue already. Three limits are asked in this order: how many " +
				"messages, how many whole MiB, and how far the first and the last are apart. Java's are 1000, 100 MiB and 2000; here they are 20, 1 MiB and 40.",
			"orders come faster than they are consumed, invoices are large, and of parcels the first one takes half a minute. Which " +
				"limit speaks first, in which queue? A request that is put back keeps its offset: nothing is lost.",
		},
		Config: func(seed uint64) sim.Config {
			cfg := sim.Config{
				Seed: seed, Group: group, Limit: time.Minute, PullBatch: 8,
				Topics: []sim.Topic{
					{Name: orders, Queues: 1, Stored: 60}, {Name: invoices, Queues: 1, Stored: 20, Body: 136 << 10},
					{Name: parcels, Queues: 1, Stored: 80},
				},
				Handler: func(a sim.Attempt) sim.Work {
					switch {
					case a.Topic == orders:
						return sim.Work{Takes: 200 * time.Millisecond}
					case a.Topic == parcels && a.Offset == 0:
						return sim.Work{Takes: 30 * time.Second}
					case a.Topic == parcels:
						return sim.Work{Takes: time.Millisecond}
					}
					return sim.Work{Takes: 300 * time.Millisecond}
				},
			}
			cfg.Consumer.Threads = 20
			cfg.Consumer.Pull.Limits = pull.Limits{CountPerQueue: 20, MiBPerQueue: 1, Span: 40}
			return cfg
		},
		Goals: func() []Goal {
			return []Goal{
				{
					"orders: more than 20 messages, back for 50 ms",
					"The check is count > limit, asked before the pull: so a batch may go beyond it, here up to 20 + 8. While it lasts " +
						"the request comes back every 50 ms to ask again (pullThresholdForQueue).",
					at(decision.FlowCount, of(queue(orders, 0)), yes, backIn(flow)),
				},
				{
					"invoices: over 1 MiB is not yet more than 1 MiB",
					"A trap: bytes are divided by 1,048,576 and the rest is dropped. 1.9 MiB count as 1 MiB, and 1 > 1 is no. " +
						"A limit of 100 MiB therefore holds at 101 MiB only (pullThresholdSizeForQueue).",
					at(decision.FlowSize, of(queue(invoices, 0)), no, atLeast("bytes", 1<<20+1)),
				},
				{
					"invoices: 2 whole MiB, back for 50 ms",
					"Now two whole MiB are held. The size counts bodies only, as they were pulled, not properties, nor what the " +
						"listener makes of them.",
					at(decision.FlowSize, of(queue(invoices, 0)), yes, backIn(flow)),
				},
				{
					"orders: below the limit again, and pulled",
					"Enough was consumed, the same question is answered with no, and the pull goes out. Nobody woke the request: it asked " +
						"again by itself, every 50 ms.",
					after(
						at(decision.FlowCount, of(queue(orders, 0)), yes),
						at(decision.PullSend, of(queue(orders, 0)))),
				},
				{
					"parcels: span over 40 with few messages held",
					"The first message is still in its listener, all behind it are done: few messages are held, but the committed " +
						"offset can not pass the first one. The span bounds how much is delivered twice after a crash (consumeConcurrentlyMaxSpan).",
					at(decision.FlowSpan, of(queue(parcels, 0)), yes, backIn(flow)),
				},
				{
					"parcels: the slow listener returns, and the span falls",
					"With the first message gone the span is small, and the queue moves again. One slow message had stopped a whole queue: " +
						"look at the span when a queue stands still and the count is low.",
					after(
						at(decision.FlowSpan, of(queue(parcels, 0)), yes),
						at(decision.FlowSpan, of(queue(parcels, 0)), no)),
				},
			}
		},
	}
}
