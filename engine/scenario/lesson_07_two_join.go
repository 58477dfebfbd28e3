package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// twoJoin: two members come at the same moment.
func twoJoin() *Scenario {
	return &Scenario{
		Name: "two-join", Title: "Two members join at once",
		Text: []string{
			"There is no leader in a consumer group and nobody who assigns. Each member asks a broker who else is there and works out its " +
				"own share. As long as all see the same list, all come to the same result; for a moment they may not.",
			"This member has all eight queues. After five seconds two others join at the same time. Watch how many members each pass sees, " +
				"and what a pass that comes too early leads to.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics:  []sim.Topic{{Name: orders, Queues: 8, Stored: 2}},
				Handler: func(sim.Attempt) sim.Work { return sim.Work{Takes: 5 * time.Millisecond} },
				Script: func(w *sim.World) {
					until(w, 5*time.Second)
					quietly(w.Change(step.MemberJoins{Name: second}))
					quietly(w.Change(step.MemberJoins{Name: third}))
				},
			}
		},
		Goals: func() []Goal {
			mine := func(members, mine int64) met {
				return at(decision.RebalanceAllocated, is("members", members), is("queues", 8), is("mine", mine))
			}
			joined := after(mine(1, 8), at(decision.InstanceNotified, yes))
			return []Goal{
				{
					"alone: all eight queues are ours",
					"One member, eight queues. The first pass came with the first heartbeat, without a wait of 20 s.",
					mine(1, 8),
				},
				{
					"a broker says that members changed",
					"It says so on every connection of the group, and nothing more: not who came, and not who gets what " +
						"(NOTIFY_CONSUMER_IDS_CHANGED). A consumer that misses it finds out within 20 s.",
					joined,
				},
				{
					"a second pass has to wait",
					"Both members were told of, and a pass began with the first. The second wish waits until one second after that began: " +
						"a storm of joins costs one pass a second, not one a join (RebalanceService).",
					after(joined, at(decision.RebalanceWanted, atLeast("wait", 1))),
				},
				{
					"three members: three of eight",
					"8 / 3 = 2, and two are left over: the first two members get one more. We are the first in the sorted list, so queues " +
						"0 to 2 stay here. Sorting is by text: the client id decides, not who came first.",
					mine(3, 3),
				},
				{
					"a queue goes to another member",
					"Dropped, persisted, removed: what it held is forgotten, and its new owner begins at the committed offset. Messages that were " +
						"in a listener are delivered twice. Rebalances cost; they do not lose.",
					after(joined, at(decision.RebalanceDrop)),
				},
				{
					"the next pass changes nothing",
					"What was worked out is what is owned. The next look is in 20 s, unless somebody comes or goes.",
					after(mine(3, 3), after(
						at(decision.RebalanceBegin),
						at(decision.RebalanceBalanced, yes, is("added", 0), is("given", 0)))),
				},
			}
		},
	}
}
