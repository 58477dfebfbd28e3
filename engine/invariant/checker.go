package invariant

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Checker remembers the decisions of one member as far as the next ones are judged by them. Its
// zero value is not ready: use New.
type Checker struct {
	rules  map[*decision.Line]func(c *Checker, d *decision.Decision)
	queues map[mq.MessageQueue]*queue
	tasks  map[uint64]*task
	found  []snapshot.Breach
	last   map[*decision.Line]time.Time // of the shutdown's steps
}

// queue is what was decided about one queue.
type queue struct {
	given    bool // up
	frozen   bool
	calls    int // of its orderly listener, that have not returned
	lockHeld bool
}

// task is what was decided in the turn of one request, or about the next run of one pull task.
type task struct {
	over decision.Decision // of the flow checks in this turn, the one that said yes
	due  time.Time         // not before this
}

// New returns a Checker that has seen nothing.
func New() *Checker {
	return &Checker{
		rules: rules(), queues: map[mq.MessageQueue]*queue{}, tasks: map[uint64]*task{},
		last: map[*decision.Line]time.Time{},
	}
}

// Decided judges d. What it breaks is returned, and by Broken until the next decision.
func (c *Checker) Decided(d *decision.Decision) []snapshot.Breach {
	c.found = nil
	if rule := c.rules[d.Line]; rule != nil {
		rule(c, d)
	}
	return c.found
}

// Broken is what the last decision has broken.
func (c *Checker) Broken() []snapshot.Breach { return c.found }

func (c *Checker) add(id, format string, args ...any) {
	c.found = append(c.found, snapshot.Breach{ID: id, What: fmt.Sprintf(format, args...)})
}

func (c *Checker) queue(id mq.MessageQueue) *queue {
	q := c.queues[id]
	if q == nil {
		q = &queue{}
		c.queues[id] = q
	}
	return q
}

func (c *Checker) task(id uint64) *task {
	t := c.tasks[id]
	if t == nil {
		t = &task{}
		c.tasks[id] = t
	}
	return t
}
