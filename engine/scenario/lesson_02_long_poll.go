package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
)

// longPoll: a queue that is empty, a message that comes after some seconds, and then none.
func longPoll() *Scenario {
	q := queue(orders, 0)
	return &Scenario{
		Name: "long-poll", Title: "Long poll and wake-up",
		Text: []string{
			"A push consumer is not pushed to. It pulls, and where there is nothing the broker does not answer but keeps the " +
				"request for up to 15 s. A message that arrives meanwhile is answered with at once. So it feels like a push.",
			"The queue is empty. A message comes after about six seconds, then nothing more. Watch the state of the task: it is " +
				"parked while the broker holds its pull, and no time of this consumer is spent on it.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics: []sim.Topic{{Name: orders, Queues: 1}},
				Script: func(w *sim.World) {
					until(w, 6*time.Second)
					w.Send(q, 1)
				},
			}
		},
		Goals: func() []Goal {
			return []Goal{
				{
					"a pull from the end is sent",
					"The queue ends at 0 and the pull is from 0: there is nothing to answer with. Flag 2 of the request (PullSysFlag) " +
						"lets the broker hold it, the request says for how long: 15 s. The call itself may take 30 s.",
					at(decision.PullSend, of(q), is("offset", 0), is("hold", int64(15*time.Second))),
				},
				{
					"the broker holds it: parked",
					"The broker has put the request aside (PullRequestHoldService). Our side knows nothing of that: it only sees " +
						"that no answer comes. Nothing is due here until one does.",
					at(decision.PullParked, of(q)),
				},
				{
					"a message comes, and is the answer",
					"Look at how long the answer took, and then at the time: the message was stored a moment ago. Storing it woke the " +
						"pulls that wait for this queue; nobody asked again.",
					at(decision.PullAnswer, of(q), text("FOUND"), atLeast("took", int64(time.Second))),
				},
				{
					"the request goes out again at once",
					"After FOUND the same request is due at once, with the offset that the answer named: pullInterval is 0. " +
						"One request circulates for each queue, for as long as the queue is ours.",
					after(
						at(decision.PullAnswer, of(q), text("FOUND")),
						at(decision.PullSend, of(q), is("offset", 1))),
				},
				{
					"no message: NO_NEW_MSG",
					"The broker gave up holding it and says so. It looks every 5 s whose 15 s are over, so it takes up to 20. Nothing is wrong: " +
						"NO_NEW_MSG is what a quiet queue answers three or four times a minute.",
					at(decision.PullAnswer, of(q), text("NO_NEW_MSG"), atLeast("took", int64(15*time.Second))),
				},
				{
					"and it goes out again at once",
					"NO_NEW_MSG leads to the next pull without a delay, since the broker has done the waiting. Were its answer " +
						"immediate, as by a broker that does not hold, this would be a busy loop; this engine waits then, Java does not.",
					after(
						at(decision.PullAnswer, of(q), text("NO_NEW_MSG")),
						at(decision.PullEnqueued, of(q), backIn(0))),
				},
			}
		},
	}
}
