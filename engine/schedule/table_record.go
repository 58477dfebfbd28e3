package schedule

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
)

// tell records a fact that is about no task.
func (t *Table) tell(line *decision.Line, n [6]int64, text string) {
	if t.Decisions.On() {
		t.Decisions.Record(&decision.Decision{Line: line, N: n, Text: text})
	}
}

// tellOf records a fact about a task.
func (t *Table) tellOf(task *Task, line *decision.Line, n [6]int64, text string) {
	t.ask(task, line, false, n, text, decision.Then{})
}

// ask records the answer to a question about a task, with what follows, and returns it.
func (t *Table) ask(task *Task, line *decision.Line, yes bool, n [6]int64, text string, then decision.Then) bool {
	if t.Decisions.On() {
		t.Decisions.Record(&decision.Decision{
			Line: line, Queue: task.ID.Queue, Task: task.ID.N, Yes: yes, N: n, Text: text, Then: then,
		})
	}
	return yes
}

// dies is ask for a question whose yes ends the task.
func (t *Table) dies(task *Task, line *decision.Line, yes bool) bool {
	then := decision.Then{}
	if yes {
		then.Do = decision.Die
	}
	return t.ask(task, line, yes, [6]int64{}, "", then)
}

func (t *Table) callbackFound(task *Task) bool {
	topic, then := task.ID.Queue.Topic, decision.Then{}
	_, found := t.callbacks[topic]
	if !found {
		then.Do = decision.Die
	}
	return t.ask(task, decision.TaskCallback, found, [6]int64{}, topic, then)
}

// takesAgain tells whether the pool lets a task run again, after delay.
func (t *Table) takesAgain(task *Task, delay time.Duration) bool {
	then := decision.Then{Do: decision.PutBack, Delay: max(0, delay), Why: event.CauseInterval}
	switch {
	case t.stopped:
		then = decision.Then{Do: decision.Die}
	case task.Throws > 0:
		then.Why = event.CauseException
	}
	return t.ask(task, decision.TaskAgain, !t.stopped, [6]int64{int64(delay)}, "", then)
}

// overlaps tells whether an earlier task of the queue still is in its callback.
func (t *Table) overlaps(task *Task) bool {
	q := task.ID.Queue
	inside := t.inside[q]
	if !t.Decisions.On() {
		return inside > 0
	}
	return t.ask(task, decision.TaskOverlap, inside > 0, [6]int64{t.otherInside(task), int64(inside)}, "", decision.Then{})
}

// otherInside is the number of the newest other task of the queue that is in its callback, 0 for none.
func (t *Table) otherInside(task *Task) (n int64) {
	for id, other := range t.live {
		if other != task && id.Queue == task.ID.Queue && other.State == TaskInCallback {
			n = max(n, int64(id.N))
		}
	}
	return n
}

func (t *Table) tellStop(pending int, again bool) {
	t.tell(decision.TaskPoolStopped, [6]int64{int64(pending), int64(t.busy), flag(again)}, "")
}

func flag(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
