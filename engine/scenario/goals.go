package scenario

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/sim"
)

const (
	group  = "billing"
	orders = "orders"
	second = "192.0.2.11@billing-2" // client ids of other members
	third  = "192.0.2.12@billing-3"
)

// queue is a queue of a topic on the only broker.
func queue(topic string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: topic, BrokerName: "broker-a", QueueID: id}
}

// met is the type of Goal.Met.
type met = func(d *decision.Decision, w *sim.World) bool

// at is met by a decision of a line for which all of conditions hold.
func at(l *decision.Line, conditions ...func(d *decision.Decision) bool) met {
	return func(d *decision.Decision, _ *sim.World) bool {
		if d.Line != l {
			return false
		}
		for _, holds := range conditions {
			if !holds(d) {
				return false
			}
		}
		return true
	}
}

// after is met by what meets second, once first was met.
func after(first, second met) met {
	begun := false
	return func(d *decision.Decision, w *sim.World) bool {
		if begun && second(d, w) {
			return true
		}
		begun = begun || first(d, w)
		return false
	}
}

func yes(d *decision.Decision) bool { return d.Yes }
func no(d *decision.Decision) bool  { return !d.Yes }

// of is about a queue.
func of(q mq.MessageQueue) func(d *decision.Decision) bool {
	return func(d *decision.Decision) bool { return d.Queue == q }
}

// text says what the line's text is.
func text(want string) func(d *decision.Decision) bool {
	return func(d *decision.Decision) bool { return d.Text == want }
}

// value is a condition on a number of the line.
func value(name string, holds func(n int64) bool) func(d *decision.Decision) bool {
	return func(d *decision.Decision) bool {
		for i, v := range d.Line.Values {
			if v.Name == name {
				return holds(d.N[i])
			}
		}
		return false
	}
}

// is says what a number of the line is, atLeast what it is not below.
func is(name string, want int64) func(d *decision.Decision) bool {
	return value(name, func(n int64) bool { return n == want })
}

func atLeast(name string, least int64) func(d *decision.Decision) bool {
	return value(name, func(n int64) bool { return n >= least })
}

// backIn has the request put back for a time.
func backIn(delay time.Duration) func(d *decision.Decision) bool {
	return func(d *decision.Decision) bool { return d.Then.Do == decision.PutBack && d.Then.Delay == delay }
}

// until lets a script wait for a time since the start.
func until(w *sim.World, t time.Duration) { w.Sleep(t - w.Since()) }

// quietly makes a change that a script wants. Where a person has changed the cast it may not be
// possible any more; the story goes on without it then.
func quietly(error) {}
