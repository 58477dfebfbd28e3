package consumer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// PullTaskCallback is what an application does with one of its queues, again and again: it
// pulls, processes, and moves the offset. An error has it called again in a second, whatever
// the context was told (Java: PullTaskCallback.doPullTask, and an exception of it).
type PullTaskCallback func(ctx context.Context, q mq.MessageQueue, c *PullTaskContext) error

// PullTaskContext is of one call of a callback (Java: PullTaskContext).
type PullTaskContext struct {
	// Delay is the time from the return of this call to the next one; 200 ms unless set. What
	// is not above 0 means at once.
	Delay time.Duration

	pull *Pull
}

// PullConsumer is the consumer to pull with.
func (c *PullTaskContext) PullConsumer() *Pull { return c.pull }

// ScheduledConfig is how a scheduled consumer behaves.
type ScheduledConfig struct {
	PullConfig
	// Threads is how many callbacks run at once, 1 to 1000, default 20: pullThreadNums.
	Threads int
}

// Validate reports all faults at once.
func (c *ScheduledConfig) Validate() error {
	err := c.PullConfig.Validate()
	if c.Threads != 0 && (c.Threads < 1 || c.Threads > maxThreads) {
		err = errors.Join(err, fmt.Errorf("%d threads for callbacks: 1 to %d is allowed", c.Threads, maxThreads))
	}
	return err
}

// Scheduled is a pull consumer that calls a callback for each queue that this member is given,
// each after its own delay (Java: MQPullConsumerScheduleService). Make it with NewScheduled,
// run it with Run, once.
type Scheduled struct{ *Pull }

// NewScheduled returns a consumer on instance, which the caller runs at least as long as Run.
// Its error is that of ScheduledConfig.Validate.
func NewScheduled(cfg ScheduledConfig, instance *client.Instance) (*Scheduled, error) {
	cfg.inNamespace()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Threads == 0 {
		cfg.Threads = 20
	}
	p, err := newPull(cfg.PullConfig, instance, func(p *pulling) manner {
		return &scheduling{
			pulling: p, threads: cfg.Threads, table: schedule.NewTable(cfg.Model, cfg.Threads),
			callbacks: map[string]PullTaskCallback{}, began: map[schedule.TaskID]time.Time{},
		}
	})
	if err != nil {
		return nil, err
	}
	p.loop.manner.(*scheduling).table.Decisions = p.loop.decisions
	return &Scheduled{p}, nil
}

// RegisterPullTaskCallback has callback called for the queues of topic, and registers topic.
// One that is there is replaced.
func (s *Scheduled) RegisterPullTaskCallback(topic string, callback PullTaskCallback) error {
	if callback == nil {
		return fmt.Errorf("topic %s: no callback: there is nobody to pull", topic)
	}
	topic = s.loop.topic(topic)
	if err := mq.ValidateTopic(topic); err != nil {
		return err
	}
	s.loop.inbox.post(callbackSet{topic, callback})
	return s.RegisterTopic(topic)
}

// RemovePullTaskCallback takes the callback of topic away. As in Java its queues are dead from
// their next turn on, also when there is a callback again, until they are given anew.
func (s *Scheduled) RemovePullTaskCallback(topic string) {
	s.loop.inbox.post(callbackSet{topic: s.loop.topic(topic)})
}

type (
	// callbackSet says what a topic's callback is, nil for none.
	callbackSet struct {
		topic    string
		callback PullTaskCallback
	}
	taskReturned struct {
		task  schedule.TaskID
		delay time.Duration
		err   error
	}
)

// scheduling is the manner of a scheduled consumer.
type scheduling struct {
	*pulling
	threads   int
	table     *schedule.Table
	callbacks map[string]PullTaskCallback
	began     map[schedule.TaskID]time.Time // callbacks that run
}

func (m *scheduling) step(now time.Time, e event.Event) {
	switch e := e.(type) {
	case callbackSet:
		if e.callback == nil {
			m.table.Unregister(e.topic)
			delete(m.callbacks, e.topic)
			return
		}
		m.callbacks[e.topic] = e.callback
		m.table.Register(e.topic)
	case taskReturned:
		delete(m.began, e.task)
		m.tellThrow(now, e)
		m.carryOut(now, m.table.Returned(now, e.task, e.delay, e.err))
	default:
		m.pulling.step(now, e)
	}
}

// tellThrow tells of the first error in a row.
func (m *scheduling) tellThrow(now time.Time, e taskReturned) {
	task, _ := m.table.Task(e.task.Queue)
	l := m.p.loop
	switch {
	case task.ID != e.task:
	case e.err != nil && task.Throws == 0:
		l.noteQueue(now, event.Warn, "consume", e.task.Queue, fmt.Sprintf("callback failed, called again in %v: %v", schedule.ThrowTaskDelay, e.err))
	case e.err == nil && task.Throws > 1:
		l.noteQueue(now, event.Info, "consume", e.task.Queue, fmt.Sprintf("callback succeeds after %d failures", task.Throws))
	}
}

func (m *scheduling) queuesMoved(now time.Time, topic string, all, mine []mq.MessageQueue) {
	actions, err := m.table.Changed(now, topic, all, mine)
	if err != nil {
		m.p.loop.note(now, event.Warn, "engine", topic, err.Error())
	}
	m.carryOut(now, actions)
	m.pulling.queuesMoved(now, topic, all, mine)
}

func (m *scheduling) tick(now time.Time) { m.carryOut(now, m.table.Tick(now)) }

func (m *scheduling) nextDue() (time.Time, bool) { return m.table.NextDue() }

// stop ends the pool before the consumer: tasks that wait for their turn never get it (Java's
// get one more, and find a consumer that has ended).
func (m *scheduling) stop(time.Time) { m.table.StopNow() }

func (m *scheduling) idle() bool { return m.table.Busy() == 0 }

func (m *scheduling) carryOut(now time.Time, actions []schedule.Action) {
	l := m.p.loop
	for _, a := range actions {
		switch a := a.(type) {
		case schedule.Enter:
			m.enter(now, a)
		case schedule.Cancelled:
			l.noteQueue(now, event.Info, "consume", a.Task.Queue, "pull task cancelled")
		case schedule.Ended:
			m.tellEnd(now, a)
		}
	}
}

func (m *scheduling) tellEnd(now time.Time, a schedule.Ended) {
	l := m.p.loop
	switch a.Why {
	case schedule.NoCallback:
		l.noteQueue(now, event.Error, "consume", a.Task.Queue, "no callback for the topic: its pull task has ended, the queue is dead until it is given anew")
	case schedule.CancelledAfter:
		l.noteQueue(now, event.Info, "consume", a.Task.Queue, "a callback of an earlier assignment has returned")
	}
}

// enter calls a callback on the crew.
func (m *scheduling) enter(now time.Time, a schedule.Enter) {
	q, callback := a.Task.Queue, m.callbacks[a.Task.Queue.Topic]
	l := m.p.loop
	if a.Overlaps {
		l.noteQueue(now, event.Warn, "consume", q, "two callbacks run for the queue: that of an earlier assignment has not returned yet")
	}
	m.began[a.Task] = now
	p := m.p
	l.crew.do("pull task callback", func(ctx context.Context) {
		c := &PullTaskContext{Delay: a.Delay, pull: p}
		ctx = withTask(ctx, a.Task)
		if l.decisions.On() {
			l.record(decision.TaskEntered, q, a.Task.N, [6]int64{int64(a.Run)}, "")
		}
		err := lifecycle.Guard(ctx, "callback", func(ctx context.Context) error { return callback(ctx, l.shownQueue(q), c) })
		if l.decisions.On() && c.Delay != a.Delay {
			l.record(decision.TaskDelay, q, a.Task.N, [6]int64{int64(c.Delay)}, "")
		}
		l.inbox.post(taskReturned{a.Task, c.Delay, err})
	})
}

// task is what the queue's pull task does. A pull that the callback makes shows in LastPull.
func (m *scheduling) task(q mq.MessageQueue) snapshot.Task {
	task, ok := m.table.Task(q)
	if !ok {
		return snapshot.Task{}
	}
	return m.taskPicture(&task)
}

// taskPicture is where a pull task is; one that has ended shows as none.
func (m *scheduling) taskPicture(task *schedule.Task) snapshot.Task {
	if task.State == schedule.TaskEnded {
		return snapshot.Task{}
	}
	s := snapshot.Task{ID: task.ID.N, Since: task.Since}
	switch {
	case task.State == schedule.TaskInCallback:
		s.State = snapshot.TaskRunning
		if pull := m.pulling.task(task.ID.Queue); pull.State == snapshot.TaskParked {
			s.State = snapshot.TaskParked
		}
		return s
	case task.Throws > 0:
		s.Cause = event.CauseException
	default:
		s.Cause = event.CauseInterval
	}
	s.State, s.Due = snapshot.TaskDelayed, task.Due
	if !task.Due.After(m.p.loop.clock.Now()) {
		s.State = snapshot.TaskReady
	}
	return s
}

func (m *scheduling) draw(s *snapshot.Snapshot, now time.Time) {
	m.pulling.draw(s, now)
	s.Group.Kind = snapshot.ScheduledKind
	s.Sched = m.pictureSched()
	t := &s.Group.Threads
	t.Busy, t.Max = m.table.Busy(), m.threads
	oldest := func(a, b schedule.TaskID) int {
		return cmp.Or(m.began[a].Compare(m.began[b]), a.Queue.Compare(b.Queue), cmp.Compare(a.N, b.N))
	}
	for _, task := range slices.SortedFunc(maps.Keys(m.began), oldest) {
		if age := now.Sub(m.began[task]); age > t.Oldest || t.Oldest == 0 {
			t.Oldest, t.OldestOn, t.OldestAt = age, task.Queue, 0
			if o := m.p.loop.queues[task.Queue]; o != nil {
				t.OldestAt = o.next
			}
		}
	}
}

func (m *scheduling) drawQueue(q *snapshot.Queue, o *owned) {
	m.pulling.drawQueue(q, o)
	q.InListener = m.table.Overlapping(o.id)
	task, ok := m.table.Task(o.id)
	switch {
	case ok && task.End == schedule.NoCallback:
		q.Mark, q.Note = snapshot.MarkBad, "no callback: the queue is dead until it is given anew"
	case ok && task.Throws > 0:
		q.Mark, q.Note = snapshot.MarkBad, fmt.Sprintf("callback failed %d times in a row", task.Throws)
	}
}
