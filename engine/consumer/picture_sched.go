package consumer

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// pictureSched is the pull requests of a push consumer, as its schedule has them.
func (l *loop) pictureSched(now time.Time) snapshot.Sched {
	s := snapshot.Sched{Known: true, Start: l.startedAt}
	tasks := l.schedule.Tasks()
	s.Tasks = make([]snapshot.SchedTask, 0, len(tasks))
	for i := range tasks {
		s.Tasks = append(s.Tasks, l.pictureTask(&tasks[i]))
	}
	if l.drive.on() {
		l.pictureDrive(&s, now, tasks)
	}
	return s
}

func (l *loop) pictureTask(h *schedule.Held) snapshot.SchedTask {
	t := snapshot.SchedTask{Task: h.Task, Queue: h.Request.Queue, Next: h.Request.Next}
	t.Held = h.Task.State == snapshot.TaskReady && h.Task.Cause == event.CauseByHand
	o := l.queues[h.Request.Queue]
	switch {
	case o == nil || o.epoch != h.Request.Epoch:
		t.Dropped, t.Wrong = true, "its queue is not ours"
	case o.pq.Dropped():
		t.Dropped, t.Wrong = true, "its queue is dropped"
	default:
		t.Count, _, _ = o.pq.Load()
	}
	return t
}

// pictureDrive shows what a person holds, and what goes on outside all the same.
func (l *loop) pictureDrive(s *snapshot.Sched, now time.Time, tasks []schedule.Held) {
	s.Drives = l.group
	s.Broken = l.broken()
	if l.drive.open != nil {
		s.Current.Task, s.Current.Queue = l.drive.open.task, l.drive.open.o.id
	}
	for _, h := range tasks {
		if h.Task.State != snapshot.TaskRunning && h.Task.State != snapshot.TaskParked {
			continue
		}
		if l.drive.open != nil && l.drive.open.task == h.Request.ID {
			continue
		}
		s.Outside = append(s.Outside, snapshot.Lease{
			What:  "pull of " + h.Request.Queue.Path(),
			Until: h.Task.Since.Add(l.cfg.Pull.WithDefaults().Hold),
		})
	}
	for _, q := range l.order {
		if lock := l.rebalance.Lock(q); l.locked() && lock.Used && !lock.GrantedAt.IsZero() {
			s.Outside = append(s.Outside, snapshot.Lease{
				What: "lock of " + q.Path(), Until: lock.GrantedAt.Add(lock.BrokerLease),
			})
		}
	}
}

// pictureSched is the pull tasks of a pull-task service. A task that was cancelled in its callback
// is dropped, and still there until that returns.
func (m *scheduling) pictureSched() snapshot.Sched {
	s := snapshot.Sched{Known: true, Start: m.p.loop.startedAt}
	seen := map[mq.MessageQueue]uint64{}
	for _, task := range m.table.Tasks() {
		t := snapshot.SchedTask{Task: m.taskPicture(&task), Queue: task.ID.Queue, Next: -1, Dropped: task.Cancelled}
		t.ID = task.ID.N
		if o := m.p.loop.queues[task.ID.Queue]; o != nil && o.next >= 0 {
			t.Next = o.next
		}
		switch {
		case task.Cancelled && task.InTable:
			t.Wrong = "cancelled, and in the task table"
		case task.InTable && seen[task.ID.Queue] != 0:
			t.Wrong = fmt.Sprintf("a second task for its queue, beside #%d", seen[task.ID.Queue])
		case task.End == schedule.NoCallback:
			t.Wrong = "no callback for its topic: its queue is dead until it is given anew"
		}
		if task.InTable {
			seen[task.ID.Queue] = task.ID.N
		}
		s.Tasks = append(s.Tasks, t)
	}
	slices.SortStableFunc(s.Tasks, func(a, b snapshot.SchedTask) int { return a.Due.Compare(b.Due) })
	return s
}
