package viewtest

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/snapshot"
)

// Tasks gives s the pull tasks of its queues, as a consumer tells them that nobody steps.
func Tasks(s *snapshot.Snapshot) *snapshot.Snapshot {
	s.Sched = snapshot.Sched{Known: true}
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.State == snapshot.NotOwned {
			continue
		}
		t := snapshot.SchedTask{Task: q.Task, Queue: q.ID, Next: q.Next.V, Count: q.Count.V}
		t.ID = uint64(i) + 1
		if !t.Due.IsZero() { // as far ahead as when the picture is new
			t.Due = s.At.Add(400*time.Millisecond + t.Due.Sub(Now()))
		}
		s.Sched.Tasks = append(s.Sched.Tasks, t)
	}
	sortTasks(&s.Sched)
	return s
}

func sortTasks(d *snapshot.Sched) {
	slices.SortStableFunc(d.Tasks, func(a, b snapshot.SchedTask) int {
		if a.Due.IsZero() != b.Due.IsZero() {
			if a.Due.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
}

// task is the task of a queue.
func task(d *snapshot.Sched, q snapshot.MessageQueue) *snapshot.SchedTask {
	for i := range d.Tasks {
		if d.Tasks[i].Queue == q {
			return &d.Tasks[i]
		}
	}
	return &snapshot.SchedTask{}
}

// Stepped stands still on virtual time in the middle of the turn of the queue that is stuck,
// before or after it was put back.
func Stepped(s *snapshot.Snapshot, upTo int) *snapshot.Snapshot {
	s = Tasks(s)
	s.Source.Kind = snapshot.Demo
	d := &s.Sched
	d.Stepping, d.Start, d.Pace = true, s.At.Add(-12_340*time.Millisecond), 100*time.Millisecond
	q := Focus(s)
	t := &teller{at: s.At.Add(-time.Second), step: 1200}
	t.past(s.Queues)
	for i := range d.Tasks {
		k := &d.Tasks[i]
		if k.State == snapshot.TaskDelayed {
			k.Due = s.At.Add(time.Duration(31+i*87) * time.Millisecond)
		}
	}
	cur := task(d, q)
	cur.State, cur.Due, cur.Cause, cur.Current = snapshot.TaskRunning, s.At, "", true
	other := &d.Tasks[len(d.Tasks)/2]
	other.Break, other.State, other.Cause, other.Due = true, snapshot.TaskDelayed, "exception", s.At.Add(980*time.Millisecond)
	d.Tasks[len(d.Tasks)-1].Held, d.Tasks[len(d.Tasks)-1].State, d.Tasks[len(d.Tasks)-1].Due = true, snapshot.TaskReady, s.At
	if upTo >= 8 {
		cur.State, cur.Due, cur.Cause = snapshot.TaskDelayed, s.At.Add(50*time.Millisecond), "flow:span"
	}
	begun := len(t.out)
	t.at, t.task, t.q = s.At, cur.ID, q
	t.pull(cur.Next, 2004, upTo)
	for i := range t.out {
		t.out[i].Break = t.out[i].Decision.Line.ID == "flow.span" && t.out[i].Decision.Queue == q
	}
	d.History = t.out
	d.Current = snapshot.SchedTrace{Task: cur.ID, Queue: q, Lines: t.out[begun:], Done: upTo >= 8}
	d.Steps, d.Newest = t.step, t.step
	d.Breakpoints = []snapshot.Breakpoint{
		{Words: "flow.span", Condition: "span > 1500", Hits: 3},
		{Words: "queue " + other.Queue.Topic, Queue: other.Queue, Off: true},
		{Name: "repair", Words: "status OFFSET_ILLEGAL", After: 2, Note: "its queue is not ours any more"},
	}
	d.Marks = []snapshot.StepMark{{Step: 1201, What: "rebalance"}, {Step: t.step - 2, What: "delay #5 by 500ms", Change: true}}
	sortTasks(d)
	return s
}

// Hit is Stepped where a breakpoint stopped a run, after some steps back.
func Hit(s *snapshot.Snapshot) *snapshot.Snapshot {
	s = Stepped(s, 8)
	d := &s.Sched
	d.Marks = append(d.Marks, snapshot.StepMark{Step: d.Steps, What: "break flow.span"})
	d.Hit = snapshot.SchedHit{Step: d.Steps, Why: "breakpoint flow.span if span > 1500"}
	d.Newest += 1417
	return s
}

// Wrong has tasks that must not be there, and a broken invariant.
func Wrong(s *snapshot.Snapshot) *snapshot.Snapshot {
	s = Stepped(s, 6)
	d := &s.Sched
	double := *task(d, d.Current.Queue)
	double.ID, double.Current, double.State, double.Due = 99, false, snapshot.TaskDelayed, s.At.Add(1200*time.Millisecond)
	double.Wrong = "two tasks for one queue: #5 has it too"
	d.Tasks = append(d.Tasks, double)
	orphan := snapshot.SchedTask{Task: snapshot.Task{ID: 7, State: snapshot.TaskParked, Since: s.At.Add(-14200 * time.Millisecond)},
		Queue: snapshot.MessageQueue{Topic: "pay", BrokerName: "broker-a", QueueID: 9}, Next: -1, Dropped: true, Wrong: "in flight, and its queue is dropped"}
	d.Tasks = append(d.Tasks, orphan)
	dropped := orphan
	dropped.ID, dropped.State, dropped.Cause, dropped.Wrong, dropped.Queue.QueueID = 8, snapshot.TaskNone, "rebalance", "", 10
	d.Tasks = append(d.Tasks, dropped)
	d.Broken = []snapshot.Breach{{ID: "I13", What: "exactly one pull request circulates for each queue: order-created/broker-a/3 has two"},
		{ID: "I18", What: "dropped is for ever"}}
	d.Hit = snapshot.SchedHit{Step: d.Steps, Why: "I13: exactly one pull request circulates for each queue", Bad: true}
	sortTasks(d)
	return s
}

// Driven is a consumer on a live cluster whose decisions wait for a person.
func Driven(s *snapshot.Snapshot) *snapshot.Snapshot {
	kind := s.Source.Kind
	s = Stepped(s, 6)
	s.Source.Kind = kind
	d := &s.Sched
	d.Drives, d.Start, d.Marks = s.Group.Name, time.Time{}, nil
	d.Outside = []snapshot.Lease{
		{What: "pull at broker-a, held", Until: Now().Add(11200 * time.Millisecond)},
		{What: "lock of order-created/broker-a/3 at the client", Until: Now().Add(3800 * time.Millisecond)},
		{What: "pull at broker-b times out", Until: Now().Add(-time.Second)},
	}
	return s
}

// Taught is Stepped as part of a lesson.
func Taught(s *snapshot.Snapshot) *snapshot.Snapshot {
	s = Stepped(s, 8)
	s.Sched.Lesson = &snapshot.Lesson{
		Number: 3, Of: 10, Name: "three-flow-controls", Title: "The three flow controls",
		Text: []string{
			"Before each pull the consumer asks how much it holds of the queue. Three limits are asked for in this order: messages, whole MiB, and the span between the first and the last cached offset.",
			"The first one that is exceeded puts the request back for 50 ms. Nothing is lost: the request keeps its offset. Step on and watch which limit speaks first.",
		},
		Goals: []snapshot.Goal{
			{What: "a pull is put back for count", Reached: true, Step: 412},
			{What: "a pull is put back for size"},
			{What: "a pull is put back for span", Reached: true, Step: s.Sched.Steps},
		},
	}
	return s
}

// between is Stepped while no task has its turn.
func between(s *snapshot.Snapshot) *snapshot.Snapshot {
	s = Stepped(s, 9)
	d := &s.Sched
	cur := task(d, d.Current.Queue)
	cur.Current, cur.State, cur.Cause, cur.Due = false, snapshot.TaskDelayed, "flow:span", s.At.Add(50*time.Millisecond)
	d.Current, d.Running = snapshot.SchedTrace{}, true
	sortTasks(d)
	return s
}

// fresh is a world in which nothing was decided yet.
func fresh() *snapshot.Snapshot {
	s := Empty()
	s.Source.Kind = snapshot.Demo
	s.Sched = snapshot.Sched{Known: true, Stepping: true, Start: s.At}
	return s
}
