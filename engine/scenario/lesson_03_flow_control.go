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
					"orders: back, more than 20 held",
					"The check is count > limit, asked before the pull: so a batch may go beyond it, here up to 20 + 8. While it lasts " +
						"the request comes back every 50 ms to ask again (pullThresholdForQueue).",
					at(decision.FlowCount, of(queue(orders, 0)), yes, backIn(flow)),
				},
				{
					"invoices: over 1 MiB, and no stop",
					"A trap: bytes are divided by 1,048,576 and the rest is dropped. 1.9 MiB count as 1 MiB, and 1 > 1 is no. " +
						"A limit of 100 MiB therefore trips at 101 MiB only (pullThresholdSizeForQueue).",
					at(decision.FlowSize, of(queue(invoices, 0)), no, atLeast("bytes", 1<<20+1)),
				},
				{
					"invoices: back, 2 whole MiB held",
					"Now two whole MiB are held. The size counts bodies only, as they were pulled, not properties, nor what the " +
						"listener makes of them.",
					at(decision.FlowSize, of(queue(invoices, 0)), yes, backIn(flow)),
				},
				{
					"orders: pulled again",
					"Enough was consumed, the same question is answered with no, and the pull goes out. Nobody woke the request: it asked " +
						"again by itself, every 50 ms.",
					after(
						at(decision.FlowCount, of(queue(orders, 0)), yes),
						at(decision.PullSend, of(queue(orders, 0)))),
				},
				{
					"parcels: back, span over 40",
					"The first message is still in its listener, and a batch came in far behind it. The span is between the first and the last " +
						"offset that are held now, gaps and all (ProcessQueue.getMaxSpan).",
					at(decision.FlowSpan, of(queue(parcels, 0)), yes, backIn(flow)),
				},
				{
					"parcels: span 0, and pulled on",
					"All behind the first are done, so one message is held, and from it to itself the span is 0. The limit slows the queue down to a " +
						"batch at a time, it does not stop it: a slow message alone never does.",
					after(
						at(decision.FlowSpan, of(queue(parcels, 0)), yes),
						at(decision.FlowSpan, of(queue(parcels, 0)), no, is("span", 0))),
				},
				{
					"parcels: the offset jumps to 80",
					"All this time the committed offset stood at 0, before the slow message. A crash would have delivered all 80 again: that is the " +
						"cost of a slow message, and no limit bounds it.",
					at(decision.ConsumeRemoved, of(queue(parcels, 0)), is("before", 0), is("after", 80)),
				},
			}
		},
	}
}
