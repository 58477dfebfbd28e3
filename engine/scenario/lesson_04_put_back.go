package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/pull"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// putBacks: one queue whose request is put back for every reason there is.
func putBacks() *Scenario {
	q := queue(orders, 0)
	return &Scenario{
		Name: "put-back", Title: "Put back: 50 ms, 1 s, 3 s",
		Text: []string{
			"A pull request that can not go on is not thrown away, it is put back. For how long depends on what is in the way: what " +
				"will soon be better is asked again soon, what a person has to mend is not hurried.",
			"Watch the cause and the delay of the task. In Java the delay after an error is 3000 ms where the field is declared and " +
				"1000 ms in what runs: the constructor overwrites it with the default of ClientConfig. Here it is set to 3 s, to be told from a pause.",
		},
		Config: func(seed uint64) sim.Config {
			cfg := sim.Config{
				Seed: seed, Group: group, Limit: time.Minute, PullBatch: 8,
				Topics:  []sim.Topic{{Name: orders, Queues: 1, Stored: 24}},
				Handler: func(sim.Attempt) sim.Work { return sim.Work{Takes: 200 * time.Millisecond} },
				Script: func(w *sim.World) {
					for _, next := range []struct {
						at     time.Duration
						change step.Change
					}{
						{10 * time.Second, step.AnswerPull{Queue: q, Status: "FLOW_CONTROL"}},
						{15 * time.Second, step.PausePulls{}},
						{20 * time.Second, step.ResumePulls{}},
						{25 * time.Second, step.AnswerPull{Queue: q, Status: "SYSTEM_ERROR"}},
					} {
						until(w, next.at)
						quietly(w.Change(next.change))
						w.Send(q, 1) // so that the broker lets go of the pull that it holds
					}
				},
			}
			cfg.Consumer.Pull = pull.Config{Limits: pull.Limits{CountPerQueue: 10}, ExceptionDelay: 3 * time.Second}
			return cfg
		},
		Goals: func() []Goal {
			back := func(why event.Cause, delay time.Duration) met {
				return func(d *decision.Decision, _ *sim.World) bool {
					return d.Queue == q && d.Then.Why == why && backIn(delay)(d)
				}
			}
			again := func(m met) met { return after(m, at(decision.PullSend, of(q))) }
			return []Goal{
				{
					"50 ms: our own flow control",
					"More is held than the limit allows. That is a matter of a few messages: 50 ms, a constant of " +
						"DefaultMQPushConsumerImpl. It costs twenty looks a second and no call to a broker.",
					back(event.CauseFlowCount, 50*time.Millisecond),
				},
				{
					"20 ms: the broker is busy",
					"The broker answered with code 215: it is busy and asks for patience. 20 ms, the shortest of all, since the next pull " +
						"may go through. (Here a second one in a row waits as long as after an error; Java stays at 20 ms.)",
					back(event.CauseBrokerFlow, 20*time.Millisecond),
				},
				{
					"1 s: the consumer is paused",
					"suspend() was called. The request is asked every second whether that is over; what is held already is consumed " +
						"all the same. A paused consumer keeps its queues: nobody else gets them.",
					back(event.CausePaused, time.Second),
				},
				{
					"resumed, it pulls again",
					"resume() lets the request go on. Java's waits for the rest of its second; it also calls a rebalance at once.",
					again(back(event.CausePaused, time.Second)),
				},
				{
					"3 s: the pull failed",
					"The broker answered SYSTEM_ERROR. So do timeouts, lost connections and a missing topic end: with onException, and with " +
						"pullTimeDelayMillsWhenException. Each failure in a row waits as long, there is no back-off.",
					back(event.CauseException, 3*time.Second),
				},
				{
					"the same pull is made again",
					"Same request, same offset. A pull that failed has taken nothing away.",
					again(back(event.CauseException, 3*time.Second)),
				},
			}
		},
	}
}
