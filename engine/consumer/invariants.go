package consumer

import (
	"fmt"

	"mqscope/engine/mq"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// Broken are those of the client's invariants that do not hold of a consumer that stands still
// between two of its steps; in the midst of one they can not be judged, and judged is false.
func (p *Push) Broken() (list []snapshot.Breach, judged bool) {
	if p.loop.stepping {
		return nil, false
	}
	return p.loop.broken(), true
}

// Check has the loop of a consumer that runs tell on its goroutine, behind its next snapshot, which
// of the client's invariants do not hold. Nothing else changes by it, and it is no part of a
// recording. A newer call replaces one that was not answered yet.
func (p *Push) Check(reply func([]snapshot.Breach)) { p.loop.out.check.Store(&reply) }

// checked answers a Check, at the end of a pass.
func (l *loop) checked() {
	reply := l.out.check.Swap(nil)
	if reply == nil {
		return
	}
	var broken []snapshot.Breach
	l.in.beside(func() { broken = l.broken() })
	(*reply)(broken)
}

// breaches collects what is broken.
type breaches []snapshot.Breach

func (b *breaches) add(id, format string, args ...any) {
	*b = append(*b, snapshot.Breach{ID: id, What: fmt.Sprintf(format, args...)})
}

func (l *loop) broken() []snapshot.Breach {
	var b breaches
	tasks := l.schedule.Tasks()
	l.brokenTasks(&b, tasks)
	for _, q := range l.order {
		l.brokenQueue(&b, l.queues[q])
	}
	return b
}

// brokenTasks checks that exactly one request circulates for each queue that is ours, and none
// for any other.
func (l *loop) brokenTasks(b *breaches, tasks []schedule.Held) {
	seen := make(map[mq.MessageQueue]bool, len(tasks))
	for i := range tasks {
		r := tasks[i].Request
		o := l.queues[r.Queue]
		switch {
		case seen[r.Queue]:
			b.add("I13", "two tasks for %s", r.Queue.Path())
		case o == nil || o.epoch != r.Epoch:
			b.add("I13", "task #%d is for %s, which is not ours", r.ID, r.Queue.Path())
		case o.pq.Dropped():
			b.add("I13", "task #%d is for %s, which is dropped", r.ID, r.Queue.Path())
		}
		seen[r.Queue] = true
	}
	for _, q := range l.order {
		if o := l.queues[q]; !seen[q] && l.running && o.leaving == nil && !o.pq.Dropped() {
			b.add("I13", "no task for %s, which is ours", q.Path())
		}
	}
}

func (l *loop) brokenQueue(b *breaches, o *owned) {
	if o.pq.Dropped() {
		return
	}
	stored := l.offsets.Read(o.id)
	if first, _, cached := o.pq.Bounds(); cached && l.orderly == nil && stored > first {
		b.add("I1", "%s: the stored offset is %d, though %d is still cached", o.id.Path(), stored, first)
	}
	if stored >= 0 && stored < o.stored {
		b.add("I2", "%s: the stored offset went from %d back to %d", o.id.Path(), o.stored, stored)
	}
	o.stored = max(o.stored, stored)
	if count, bytes := o.pq.Sums(); count == 0 && bytes != 0 {
		b.add("I15", "%s: nothing is cached, but %d bytes are", o.id.Path(), bytes)
	}
}

// Broken is that of Push, of a pull consumer or a pull-task service.
func (p *Pull) Broken() (list []snapshot.Breach, judged bool) {
	if p.loop.stepping {
		return nil, false
	}
	var b breaches
	if m, ok := p.loop.manner.(*scheduling); ok {
		m.broken(&b)
	}
	return b, true
}

// broken checks the task table: what is cancelled is not in it, and each queue of ours has one
// task there.
func (m *scheduling) broken(b *breaches) {
	inTable := map[mq.MessageQueue]bool{}
	for _, t := range m.table.Tasks() {
		switch {
		case t.Cancelled && t.InTable:
			b.add("I28", "task %v is cancelled, and in the task table", t.ID)
		case t.InTable && inTable[t.ID.Queue]:
			b.add("I28", "two tasks for %s in the task table", t.ID.Queue.Path())
		}
		inTable[t.ID.Queue] = inTable[t.ID.Queue] || t.InTable
	}
}
