package invariant

import (
	"mqscope/engine/decision"
)

// rules are what is remembered and checked at each line.
func rules() map[*decision.Line]func(*Checker, *decision.Decision) {
	return map[*decision.Line]func(*Checker, *decision.Decision){
		decision.RebalanceAdded:     func(c *Checker, d *decision.Decision) { *c.queue(d.Queue) = queue{calls: c.queue(d.Queue).calls} },
		decision.RebalanceDrop:      (*Checker).givenUp,
		decision.PullIllegalDropped: (*Checker).givenUp,

		decision.PullEnqueued: (*Checker).waits,
		decision.PullWoken:    func(c *Checker, d *decision.Decision) { c.task(d.Task).due = d.At },
		decision.PullTaken:    (*Checker).taken,
		decision.FlowCount:    (*Checker).flow,
		decision.FlowSize:     (*Checker).flow,
		decision.FlowSpan:     (*Checker).flow,
		decision.PullSend:     (*Checker).send,
		decision.PullDied:     func(c *Checker, d *decision.Decision) { delete(c.tasks, d.Task) },
		decision.PullCorrected: func(c *Checker, d *decision.Decision) {
			if d.Yes && d.N[0] != 0 {
				c.add("I24", "%s: its offset is raised over %d cached messages", d.Queue.Path(), d.N[0])
			}
		},

		decision.ConsumeCalled:   (*Checker).called,
		decision.OrderlyLock:     func(c *Checker, d *decision.Decision) { c.queue(d.Queue).lockHeld = d.Yes },
		decision.OrderlyCalled:   (*Checker).calledInOrder,
		decision.OrderlyReturned: func(c *Checker, d *decision.Decision) { c.queue(d.Queue).calls-- },

		decision.OffsetFrozen:  func(c *Checker, d *decision.Decision) { c.queue(d.Queue).frozen = true },
		decision.OffsetRemoved: func(c *Checker, d *decision.Decision) { c.queue(d.Queue).frozen = false },
		decision.OffsetUpdated: func(c *Checker, d *decision.Decision) {
			if d.Yes && c.queue(d.Queue).frozen {
				c.add("I21", "%s: its frozen offset goes from %d to %d", d.Queue.Path(), d.N[0], d.N[1])
			}
		},

		decision.TaskAgain:  (*Checker).again,
		decision.TaskPicked: (*Checker).picked,
		decision.TaskEnded:  func(c *Checker, d *decision.Decision) { delete(c.tasks, d.Task) },

		decision.ShutdownPersisted:    (*Checker).note,
		decision.ShutdownUnregistered: (*Checker).unregistered,
	}
}

func (c *Checker) givenUp(d *decision.Decision) { c.queue(d.Queue).given = true }

// waits notes when a request may have its turn at the soonest. A new queue's first pull waits
// for the dispatch delay like any other (I26).
func (c *Checker) waits(d *decision.Decision) {
	t := c.task(d.Task)
	t.due = d.At.Add(d.Then.Delay)
}

func (c *Checker) taken(d *decision.Decision) {
	t := c.task(d.Task)
	if d.At.Before(t.due) {
		c.add("I26", "task #%d of %s has its turn %v before its time", d.Task, d.Queue.Path(), t.due.Sub(d.At))
	}
	t.over = decision.Decision{}
}

func (c *Checker) flow(d *decision.Decision) {
	if d.Yes {
		c.task(d.Task).over = *d
	} else if d.N[0] > d.N[1] {
		c.add("I14", "%s: %d is let pass, the limit is %d", d.Queue.Path(), d.N[0], d.N[1])
	}
}

func (c *Checker) send(d *decision.Decision) {
	if over := c.task(d.Task).over; over.Line != nil {
		c.add("I14", "%s: a pull is sent although %s said no", d.Queue.Path(), over.Line.ID)
	}
	if c.queue(d.Queue).given {
		c.add("I13", "%s: a pull is sent although it was given up", d.Queue.Path())
	}
}

func (c *Checker) called(d *decision.Decision) {
	if c.queue(d.Queue).given {
		c.add("I11", "%s: a listener gets offset %d although it was given up", d.Queue.Path(), d.N[0])
	}
}

func (c *Checker) calledInOrder(d *decision.Decision) {
	c.called(d)
	q := c.queue(d.Queue)
	if q.calls++; q.calls > 1 {
		c.add("I6", "%s: %d listener calls at once", d.Queue.Path(), q.calls)
	}
	if !q.lockHeld {
		c.add("I7", "%s: a listener gets offset %d without the lock", d.Queue.Path(), d.N[0])
	}
}

func (c *Checker) again(d *decision.Decision) {
	if d.Yes {
		c.task(d.Task).due = d.At.Add(d.Then.Delay)
	}
}

func (c *Checker) picked(d *decision.Decision) {
	if due := c.task(d.Task).due; d.At.Before(due) {
		c.add("I29", "task #%d of %s runs %v before its time", d.Task, d.Queue.Path(), due.Sub(d.At))
	}
}

func (c *Checker) note(d *decision.Decision) { c.last[d.Line] = d.At }

func (c *Checker) unregistered(*decision.Decision) {
	if _, persisted := c.last[decision.ShutdownPersisted]; !persisted {
		c.add("I33", "the group is left before the offsets were persisted")
	}
}
