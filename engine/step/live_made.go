package step

import (
	"fmt"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// maxTrace is how many decisions of a turn are kept. A turn has some twenty.
const maxTrace = 256

// liveTrace is the latest turn, with what its pull led to until the next one began. Others may
// decide a lot meanwhile, so it is kept apart from the history.
type liveTrace struct {
	task  uint64
	queue mq.MessageQueue
	lines []taken
}

// has tells whether a decision is about the task of the turn.
func (t *liveTrace) has(d *decision.Decision) bool {
	if t.task == 0 || d.Line.Group != decision.Pull {
		return false
	}
	return d.Task == t.task || d.Task == 0 && d.Queue == t.queue
}

// made takes up a decision as made, mine when it is about the task of the turn. It tells whether
// a run, or a step, ends with it.
func (l *Live) made(d *decision.Decision, mine bool) (stops bool) {
	l.steps++
	m := Moment{Start: l.start}
	task := d.Task
	if mine {
		task = l.trace.task
	}
	l.past.keep(&m, d, l.steps, task, 0)
	if mine && len(l.trace.lines) < maxTrace {
		l.trace.lines = append(l.trace.lines, taken{step: l.steps, task: task, d: *d})
	}
	hit := l.bps.decided(&m, l.steps)
	l.bps.forget()
	if d.Line == decision.RebalanceBegin {
		l.mark("rebalance")
	}
	if hit != nil {
		l.mark("break " + hit.Where())
	}
	if !l.running && l.owed == 0 && !l.whole {
		return false // nothing goes on that could stop
	}
	why, met := l.goal.reached(&m)
	if !met && hit != nil {
		why, met = "break "+hit.String(), true
	}
	if met {
		l.hit = snapshot.SchedHit{Step: l.steps, Why: why}
	}
	return met
}

func (l *Live) mark(what string) { l.marks.add(mark{step: l.steps, what: what}, maxMarks) }

// liveGoal is what a run goes on to, nothing when it is zero.
type liveGoal struct {
	place *Place
	task  uint64 // has its turn
}

func (g *liveGoal) reached(m *Moment) (why string, ok bool) {
	switch {
	case g.place != nil:
		return g.place.String(), g.place.Reached(m)
	case g.task != 0:
		return fmt.Sprintf("turn of task %d", g.task), m.Line == decision.PullTaken && m.Decision.Task == g.task
	}
	return "", false
}
