package schedule

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
)

// Delays of a pull task's next run (Java: PullTaskContext.pullNextDelayTimeMillis, and what
// PullTaskImpl.run sets after an exception).
const (
	DefaultTaskDelay = 200 * time.Millisecond
	ThrowTaskDelay   = time.Second
)

// ErrTableStopped is the answer of a table whose pool was shut down
// (Java: RejectedExecutionException).
var ErrTableStopped = errors.New("the pool of pull tasks was shut down")

// TaskID names one pull task: the N-th that its table made, from 1 on.
type TaskID struct {
	Queue mq.MessageQueue
	N     uint64
}

// String names a task as screens do.
func (id TaskID) String() string {
	return fmt.Sprintf("%s#%d", id.Queue.Path(), id.N)
}

// TaskState is where in its life a pull task is.
type TaskState uint8

const (
	TaskScheduled  TaskState = iota // waits for its due time, or for a thread
	TaskInCallback                  // a thread has it
	TaskEnded                       // it never runs again; Task.End says why
)

// String is the word in traces.
func (s TaskState) String() string {
	return [...]string{"scheduled", "in its callback", "ended"}[s]
}

// TaskEnd says why a pull task ended.
type TaskEnd uint8

const (
	NotEnded        TaskEnd = iota
	CancelledBefore         // it was cancelled when its turn came
	CancelledAfter          // it was cancelled while in its callback
	NoCallback              // its topic has none: it stays in the task table, so its queue is dead
	Rejected                // the pool was shut down: it stays in the task table too
)

// String is the word on screen.
func (e TaskEnd) String() string {
	return [...]string{"not ended", "cancelled before", "cancelled after", "no callback", "rejected"}[e]
}

// Task is one pull task (Java: PullTaskImpl).
type Task struct {
	ID        TaskID
	State     TaskState
	End       TaskEnd
	Cancelled bool // never goes back; it left the task table with it
	InTable   bool
	Due       time.Time // of the next run, while scheduled
	Since     time.Time // in this state
	Runs      uint64    // of the callback that began
	Throws    uint64    // in a row, up to the last run

	order uint64 // among equal due times
}

// Actions and notices of a Table. Enter asks for something; the others tell what was decided.
type (
	// Enter asks for a call of the callback of the task's topic, on a thread of the pool. The
	// call begins with Delay and may set another; Returned follows it.
	Enter struct {
		Task  TaskID
		Run   uint64 // of this task, from 1 on
		Delay time.Duration
		Late  time.Duration // behind its due time
		// Overlaps says that an earlier task of the queue, cancelled meanwhile, still is in its
		// callback: two calls for one queue run at once.
		Overlaps bool
	}
	// Cancelled: the task left the task table; its thread is not interrupted.
	Cancelled struct{ Task TaskID }
	// Created: a task was made and is due at once. CreateRejected: it was made after the end of
	// the pool and never runs, though it is in the table.
	Created        struct{ Task TaskID }
	CreateRejected struct{ Task TaskID }
	// Picked: a thread took the task.
	Picked struct{ Task TaskID }
	// Rescheduled: the task is due again after Delay, or at once when that is not above 0.
	Rescheduled struct {
		Task  TaskID
		Delay time.Duration
	}
	// RejectedAgain: the task could not be scheduled again.
	RejectedAgain struct {
		Task  TaskID
		Delay time.Duration
	}
	// Ended: the task never runs again.
	Ended struct {
		Task TaskID
		Why  TaskEnd
	}
)

// Table is the tables of the pull-task service: which queues have a task, which topics a
// callback, and which task has its turn on one of the pool's threads (Java:
// MQPullConsumerScheduleService with its PullTaskImpl and scheduled executor). It is plain
// state: one owner steps it, calls the callbacks and says when they returned.
type Table struct {
	// Decisions is told what is decided; it may be nil.
	Decisions *decision.Recorder

	model   mq.MessageModel
	threads int

	callbacks map[string]struct{}       // callbackTable, by topic
	tasks     map[mq.MessageQueue]*Task // taskTable
	live      map[TaskID]*Task          // that have not ended, those not in the table too
	inside    map[mq.MessageQueue]int   // callbacks that run, by queue
	made      uint64                    // tasks so far
	heap      taskHeap
	busy      int
	order     uint64
	stopped   bool
	out       []Action
}

// NewTable returns a table without callbacks. threads is the size of the pool
// (Java: pullThreadNums, default 20).
func NewTable(model mq.MessageModel, threads int) *Table {
	return &Table{
		model: model, threads: max(1, threads), callbacks: map[string]struct{}{},
		tasks: map[mq.MessageQueue]*Task{}, live: map[TaskID]*Task{},
		inside: map[mq.MessageQueue]int{},
	}
}

// Register says that a topic has a callback from now on, Unregister that it has none any more.
// Tasks that found none stay dead until their queue is taken away and given again.
func (t *Table) Register(topic string) {
	_, replaces := t.callbacks[topic]
	t.callbacks[topic] = struct{}{}
	t.tell(decision.TaskRegistered, [6]int64{flag(replaces), int64(len(t.callbacks))}, topic)
}

// Unregister: see Register.
func (t *Table) Unregister(topic string) {
	delete(t.callbacks, topic)
	t.tell(decision.TaskUnregistered, [6]int64{int64(len(t.callbacks))}, topic)
}

// Changed takes over the queues of a topic: with BROADCASTING all of them, with CLUSTERING those
// of this member (Java: MessageQueueListenerImpl). After Stop it fails at the first new queue.
func (t *Table) Changed(now time.Time, topic string, all, mine []mq.MessageQueue) ([]Action, error) {
	set := mine
	if t.model == mq.Broadcasting {
		set = all
	}
	t.out = nil
	t.tell(decision.TaskListener, [6]int64{flag(t.model == mq.Broadcasting), int64(len(all)), int64(len(mine)), int64(len(set))}, topic)
	err := t.put(now, topic, set)
	t.turns(now)
	return t.out, err
}

// put gives each queue of set a task and takes the others of the topic away (Java: putTask).
func (t *Table) put(now time.Time, topic string, set []mq.MessageQueue) error {
	t.tell(decision.TaskPut, [6]int64{int64(len(set)), int64(len(t.tasks))}, topic)
	for _, q := range t.Queues() {
		if q.Topic == topic && !slices.Contains(set, q) {
			task := t.tasks[q]
			task.Cancelled, task.InTable = true, false
			delete(t.tasks, q)
			t.tellOf(task, decision.TaskCancelled, [6]int64{}, task.State.String())
			t.do(Cancelled{task.ID})
		}
	}
	for _, q := range set {
		if t.tasks[q] != nil {
			continue
		}
		t.made++
		task := &Task{ID: TaskID{q, t.made}, InTable: true, Since: now}
		t.tasks[q] = task
		if t.stopped {
			task.State, task.End = TaskEnded, Rejected
			t.ask(task, decision.TaskCreateRejected, false, [6]int64{}, "", decision.Then{Do: decision.Die})
			t.do(CreateRejected{task.ID})
			return fmt.Errorf("task for %v: %w", q, ErrTableStopped)
		}
		t.live[task.ID] = task
		t.schedule(now, task, 0)
		t.tellOf(task, decision.TaskCreated, [6]int64{}, "")
		t.do(Created{task.ID})
	}
	return nil
}

// Tick gives their turn to the tasks that are due, as long as threads are free.
func (t *Table) Tick(now time.Time) []Action {
	t.out = nil
	t.turns(now)
	return t.out
}

// Returned says that a callback has: with the delay that it set, or with an error, which
// Java's throws. The next run is due that long after now, so that a task never overlaps itself.
func (t *Table) Returned(now time.Time, id TaskID, delay time.Duration, err error) []Action {
	t.out = nil
	task := t.live[id]
	if task == nil || task.State != TaskInCallback {
		return nil
	}
	t.busy--
	if t.inside[id.Queue]--; t.inside[id.Queue] == 0 {
		delete(t.inside, id.Queue)
	}
	t.tellOf(task, decision.TaskReturned, [6]int64{int64(now.Sub(task.Since)), int64(task.Runs)}, "")
	delay = t.threw(task, delay, err)
	switch {
	case t.dies(task, decision.TaskCheck2, task.Cancelled):
		t.end(now, task, CancelledAfter)
	case !t.takesAgain(task, delay):
		t.do(RejectedAgain{id, delay})
		t.end(now, task, Rejected)
	default:
		t.schedule(now, task, delay)
		t.do(Rescheduled{id, delay})
	}
	t.turns(now)
	return t.out
}

// threw counts throws in a row and returns the delay of the next run.
func (t *Table) threw(task *Task, delay time.Duration, err error) time.Duration {
	task.Throws++
	if err == nil {
		task.Throws = 0
	} else {
		delay = ThrowTaskDelay
	}
	if t.Decisions.On() {
		text := ""
		if err != nil {
			text = err.Error()
		}
		t.ask(task, decision.TaskThrew, err != nil, [6]int64{int64(task.Throws), int64(delay)}, text, decision.Then{})
	}
	return delay
}

// Stop shuts the pool down: what is scheduled already runs once more when it is due, nothing
// is scheduled any more (Java: ScheduledThreadPoolExecutor.shutdown with its default policies).
func (t *Table) Stop() {
	t.stopped = true
	t.tellStop(len(t.heap), true)
}

// StopNow is Stop that has nothing run again: what waits for its turn never gets it
// (Java: shutdownNow, but callbacks that run are not interrupted).
func (t *Table) StopNow() {
	pending := len(t.heap)
	t.stopped, t.heap = true, nil
	t.tellStop(pending, false)
}

// NextDue is when Tick has something to do; false when only a returning callback brings that.
func (t *Table) NextDue() (time.Time, bool) {
	if len(t.heap) == 0 || t.busy >= t.threads {
		return time.Time{}, false
	}
	return t.heap[0].Due, true
}

// Busy is how many callbacks run.
func (t *Table) Busy() int { return t.busy }

// Queues returns the keys of the task table, sorted.
func (t *Table) Queues() []mq.MessageQueue {
	out := make([]mq.MessageQueue, 0, len(t.tasks))
	for q := range t.tasks {
		out = append(out, q)
	}
	slices.SortFunc(out, mq.MessageQueue.Compare)
	return out
}

// Task returns the task that the task table has of a queue.
func (t *Table) Task(q mq.MessageQueue) (Task, bool) {
	task := t.tasks[q]
	if task == nil {
		return Task{}, false
	}
	return *task, true
}

// Overlapping is how many callbacks for a queue run at once, 0 or 1 unless a task was
// cancelled in its callback and its queue given back.
func (t *Table) Overlapping(q mq.MessageQueue) int { return t.inside[q] }

// turns lets due tasks run, oldest due time first, equal ones in the order they were scheduled.
func (t *Table) turns(now time.Time) {
	for len(t.heap) > 0 && t.busy < t.threads && !t.heap[0].Due.After(now) {
		task := heap.Pop(&t.heap).(*Task)
		late := now.Sub(task.Due)
		t.tellOf(task, decision.TaskPicked, [6]int64{int64(late), int64(t.busy), int64(t.threads)}, "")
		t.do(Picked{task.ID})
		switch {
		case t.dies(task, decision.TaskCheck1, task.Cancelled):
			t.end(now, task, CancelledBefore)
		case !t.callbackFound(task):
			t.end(now, task, NoCallback)
		default:
			task.State, task.Since = TaskInCallback, now
			task.Runs++
			t.busy++
			overlaps := t.overlaps(task)
			t.tellOf(task, decision.TaskContext, [6]int64{int64(DefaultTaskDelay)}, "")
			t.inside[task.ID.Queue]++
			t.do(Enter{Task: task.ID, Run: task.Runs, Delay: DefaultTaskDelay, Late: late, Overlaps: overlaps})
		}
	}
}

func (t *Table) schedule(now time.Time, task *Task, delay time.Duration) {
	t.order++
	task.State, task.Since, task.Due, task.order = TaskScheduled, now, now.Add(max(0, delay)), t.order
	heap.Push(&t.heap, task)
}

func (t *Table) end(now time.Time, task *Task, why TaskEnd) {
	task.State, task.End, task.Since = TaskEnded, why, now
	delete(t.live, task.ID)
	t.ask(task, decision.TaskEnded, false, [6]int64{flag(task.InTable)}, why.String(), decision.Then{Do: decision.Die})
	t.do(Ended{task.ID, why})
}

func (t *Table) do(a Action) { t.out = append(t.out, a) }
