package scenario

import (
	"context"
	"errors"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// changingDelays: a pull-task service whose callback chooses when it is called again.
func changingDelays() *Scenario {
	return &Scenario{
		Name: "changing-delays", Title: "Changing pull-task delays",
		Text: []string{
			"MQPullConsumerScheduleService turns pulling around: for each queue it calls you. You pull, process and move the offset, and " +
				"you say when to be called again. If you say nothing, that is 200 ms after you return.",
			"This callback comes back at once while there is something, after a second where there is nothing, and fails once. A second " +
				"member joins at twelve seconds. Watch the due time of each task, and the order of its two checks.",
		},
		Config: func(seed uint64) sim.Config {
			return sim.Config{
				Seed: seed, Group: group, Limit: time.Minute,
				Topics:    []sim.Topic{{Name: orders, Queues: 2, Stored: 20}},
				Scheduled: callback(),
				Script: func(w *sim.World) {
					until(w, 12*time.Second)
					quietly(w.Change(step.MemberJoins{Name: second}))
				},
			}
		},
		Goals: func() []Goal {
			again := func(delay time.Duration) met {
				return func(d *decision.Decision, _ *sim.World) bool {
					return d.Line == decision.TaskAgain && d.Yes && time.Duration(d.N[0]) == delay
				}
			}
			cancelled := at(decision.TaskCancelled, of(queue(orders, 1)))
			return []Goal{
				{
					"a task for each queue, due at once",
					"Whenever a rebalance changes the queues of a topic, putTask compares: a task for each queue that has none, and due at " +
						"once, not in 500 ms as with push.",
					at(decision.TaskCreated),
				},
				{
					"no delay set: 200 ms",
					"Each call gets a new PullTaskContext, with 200 ms in it. A delay that you set is for this one time.",
					again(200 * time.Millisecond),
				},
				{
					"messages there: again at once",
					"Set to 0, the task is due as soon as it has returned. The delay counts from the end of the call: a task never runs " +
						"beside itself, however long you take.",
					again(0),
				},
				{
					"it throws: 1 s, whatever was set",
					"Java catches whatever comes out of doPullTask, sets the delay to 1000 ms and logs it. A callback that always throws is " +
						"called once a second, for ever.",
					at(decision.TaskThrew, yes, is("delay", int64(time.Second))),
				},
				{
					"nothing there: it asks for 1 s",
					"Without a long poll (this callback does not block) an idle queue is a matter of your delay: short costs calls, long costs " +
						"latency. pullBlockIfNotFound would let the broker wait instead.",
					at(decision.TaskDelay, is("delay", int64(time.Second))),
				},
				{
					"its offset goes to the broker",
					"You set it in memory; every 5 s it goes to the broker, for queues that are ours. Offsets set for others are forgotten.",
					at(decision.OffsetSent, yes),
				},
				{
					"the task of queue 1 is cancelled",
					"It leaves the table at once. Its thread is not interrupted, and what was scheduled is not taken back: the flag is all.",
					cancelled,
				},
				{
					"its last turn ends at check 1",
					"cancelled is asked twice: when a thread takes the task, and after the callback, before it is scheduled again. A task that " +
						"was in its callback would have ended at the second one.",
					after(cancelled, at(decision.TaskEnded, of(queue(orders, 1)))),
				},
			}
		},
	}
}

var errScripted = errors.New("the application failed, as it is told to")

// callback is the application of the lesson: it pulls up to eight messages and chooses its delay.
func callback() consumer.PullTaskCallback {
	calls := map[mq.MessageQueue]int{}
	return func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
		p := c.PullConsumer()
		from, _, err := p.FetchConsumeOffset(ctx, q, false)
		if err != nil {
			return err
		}
		r, err := p.Pull(ctx, q, consumer.Selector{}, max(0, from), 8)
		if err != nil {
			return err
		}
		defer r.Release()
		switch calls[q]++; {
		case calls[q] == 1: // no delay is set
		case calls[q] == 4 && q.QueueID == 0:
			return errScripted
		case r.Status == mq.Found:
			c.Delay = 0
		default:
			c.Delay = time.Second
		}
		return p.UpdateConsumeOffset(ctx, q, r.Next)
	}
}
