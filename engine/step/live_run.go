package step

import (
	"cmp"
	"context"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/snapshot"
)

// Run has the consumer run until ctx ends. It leaves as it does at any time: a turn that is open
// then is not carried on.
func (l *Live) Run(ctx context.Context) error {
	l.config.Consumer.WatchDecisions(l)
	defer l.config.Consumer.WatchDecisions(nil)
	l.config.Consumer.Drive(l.holds, l.turned)
	group, inner := lifecycle.NewGroup(context.WithoutCancel(ctx))
	running, end := context.WithCancel(inner)
	defer end()
	defer context.AfterFunc(ctx, end)()
	beside, ended := context.WithCancel(inner)
	group.Go("consumer", func(context.Context) error {
		defer ended()
		return l.config.Consumer.Run(running)
	})
	group.Go("pictures", func(context.Context) error {
		for clock.Wait(beside, l.config.Clock, clock.Waits{First: l.config.Consumer.Updates()}) != clock.Ended {
			signal(l.updates)
		}
		return nil
	})
	group.Go("pace", func(context.Context) error { l.keepPace(beside); return nil })
	err := group.Wait()
	l.locked(func() orders { l.stand(); return orders{} })
	return err
}

// keepPace makes the steps of runs that have a pace.
func (l *Live) keepPace(ctx context.Context) {
	timer := l.config.Clock.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if d := l.nextTick(); d > 0 {
			timer.Reset(d)
		} else {
			timer.Stop()
		}
		switch clock.Wait(ctx, l.config.Clock, clock.Waits{First: l.wake, Timer: timer}) {
		case clock.Ended:
			return
		case clock.First: // another pace
		default:
			l.tick()
		}
	}
}

// nextTick is the time to the next step of a run that has a pace, 0 for none.
func (l *Live) nextTick() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.running {
		return 0
	}
	return l.pace
}

// Updates has room for one signal: a newer snapshot is there.
func (l *Live) Updates() <-chan struct{} { return l.updates }

// Snapshot is the newest picture of the consumer, with the stepping part filled in.
func (l *Live) Snapshot() *snapshot.Snapshot {
	picture := *l.config.Consumer.Snapshot()
	l.mu.Lock()
	defer l.mu.Unlock()
	sched := &picture.Sched
	sched.Known, sched.Stepping = true, true
	sched.Drives = cmp.Or(picture.Group.Name, l.config.Group)
	sched.Steps, sched.Newest = l.steps, l.steps
	sched.Current = l.current()
	sched.History = l.past.lines(past, l.bps.line)
	sched.Breakpoints = l.bps.picture(&picture, l.steps)
	l.judgePicture(sched)
	sched.Hit = l.hit
	sched.Marks = l.marks.picture()
	sched.Running, sched.Pace = l.running, l.pace
	l.bps.markTasks(sched)
	return &picture
}

// current is the turn as far as it is shown.
func (l *Live) current() snapshot.SchedTrace {
	t := snapshot.SchedTrace{Task: l.trace.task, Queue: l.trace.queue}
	t.Done = t.Task != 0 && !l.open && !l.deciding
	for i := range l.trace.lines {
		t.Lines = append(t.Lines, l.bps.line(&l.trace.lines[i]))
	}
	return t
}
