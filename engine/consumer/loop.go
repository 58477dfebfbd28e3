package consumer

import (
	"context"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/schedule"
	"mqscope/engine/snapshot"
)

// loop is the state that one goroutine owns. See the package comment.
type loop struct {
	membership

	cfg      *Config          `pack:"-"`
	pool     service          `pack:"-"`
	orderly  *consume.Orderly `pack:"-"` // the same, when messages are consumed in order
	schedule *schedule.Schedule
	pull     *pull.Pull
	limits   pull.Limits // of one queue now
	// wantLimits is what limits follow from, with the number of queues.
	wantLimits pull.Limits

	drive      drive
	paused     bool
	resets     map[mq.MessageQueue]*reset
	resetPause bool
	twoOwners  map[mq.MessageQueue]bool // told of already

	hooks       hooks        `pack:"-"`
	direct      direct       `pack:"-"`
	directCalls *directCalls `pack:"-"`
	stats       statistics
	sampledAt   time.Time

	persistAt time.Time
	sampleAt  time.Time
	// duplicates are offsets that came again while still cached; deliveries count them.
	duplicates atomic.Uint64 `pack:"-"`
	duplicated int64         // as they were read last
	recorder   recorder      `pack:"-"`
	// messages is where those are recorded that pulls bring, nil while they are not.
	messages atomic.Pointer[messageTape] `pack:"-"`
	leftOut  atomic.Int64                `pack:"-"` // messages that recordings have not, as they came too fast

	farewell farewell `pack:"-"`
	// last is the last picture that has the queues, once they were given up for good.
	last *snapshot.Snapshot `pack:"-"`
}

// run takes events until ctx ends; it then returns, leaving the shutdown to the caller.
func (l *loop) run(ctx context.Context) error {
	now := l.cfg.Clock.Now()
	l.persistAt, l.sampleAt = now.Add(l.cfg.PersistInterval), now.Add(sampleEvery)
	timer := l.cfg.Clock.NewTimer(time.Hour)
	defer timer.Stop()
	var events []event.Event
	for {
		l.stepping = true
		events = l.inbox.take(events)
		now := l.pass(events)
		l.stepping = false
		timer.Reset(max(0, l.nextDue(now).Sub(now)))
		if clock.Wait(ctx, l.cfg.Clock, clock.Waits{First: l.inbox.wake, Second: l.out.taken, Timer: timer}) == clock.Ended {
			return nil
		}
	}
}

// pass takes events, does what is due behind them, and publishes a snapshot if one is. It returns
// its time, that of the last event.
func (l *loop) pass(events []event.Event) time.Time {
	took := false
	var now time.Time
	take := func(e event.Event) {
		now = l.in.now(l.cfg.Clock)
		if took {
			l.recorded(now, false)
		}
		e = l.in.retimed(e)
		l.in.take(now, e)
		l.step(now, e)
		took = true
	}
	for _, e := range events {
		if e, ok := e.(recordTo); ok {
			now = l.in.now(l.cfg.Clock)
			if took {
				l.recorded(now, false)
			}
			l.recordNow(now, e.to)
			took = false
			continue
		}
		take(e)
	}
	if !took {
		now = l.in.now(l.cfg.Clock)
	}
	if l.in.sawAhead() {
		take(rebalance.ClockAhead{})
	}
	if !took {
		l.in.take(now, nil)
	}
	l.tick(now)
	l.publish(now)
	l.recorded(now, true)
	return now
}

// step hands e to the parts that it concerns and carries out what they decide.
func (l *loop) step(now time.Time, e event.Event) {
	l.dirty = true
	switch e := e.(type) {
	case event.RebalanceWanted:
		l.peersStep(now, rebalance.GroupMoved{})
		l.rebalanceStep(now, e)
	case event.RouteChanged, event.MembersListed, event.AssignmentRead, rebalance.LocksAnswered, rebalance.LocksFreed, rebalance.ClockAhead:
		l.rebalanceStep(now, e)
	case rebalance.GroupTold, rebalance.LocksWatched:
		l.peersStep(now, e)
	case rebalance.PeerTold:
		l.peersStep(now, e)
		l.tellTwoOwners(now)
	case event.OffsetRead:
		l.offsetRead(now, e)
	case event.PullDone:
		l.pullDone(now, e)
	case event.RoomFreed:
		if o := l.live(e.Queue, e.Epoch); o != nil {
			l.scheduleStep(now, event.Woken{Queue: e.Queue, Causes: flowCauses, By: "room in its ProcessQueue"})
		}
	case event.OffsetSent:
		l.offsetSent(now, e)
	case event.BrokerReachable:
		l.note(now, event.Info, "remote", e.BrokerName, "connected to "+e.Addr)
		l.commitAgain(e.BrokerName)
		l.scheduleStep(now, event.Woken{BrokerName: e.BrokerName, Causes: failureCauses, By: "broker reachable"})
	case event.BrokerLost:
		l.note(now, event.Warn, "remote", e.BrokerName, lostText(e))
	case event.Entry:
		if e.At.IsZero() || !l.in.records() && !l.in.remakes() {
			e.At = now
		}
		l.add(e)
	case repaired:
		l.repaired(now, e)
	case rechecked:
		l.rechecked(now, e)
	case listenerIdle:
		if o := l.live(e.queue, e.epoch); o != nil {
			l.settle(now, o)
		}
	case settled:
		l.settled(now, e)
	case offset.Saved:
		l.saved(now, e)
	case leaveBegun, leaveDrained, leaveThreads, leaveCalls, leaveTaken, leaveCommitted, leaveGivenUp, leaveUnlocked, leaveFlushed, leaveDone:
		l.leaveStep(now, e)
	default:
		l.command(now, e)
	}
}

var (
	flowCauses    = []event.Cause{event.CauseFlowCount, event.CauseFlowSize, event.CauseFlowSpan}
	failureCauses = []event.Cause{event.CauseException, event.CauseNotRunning, event.CauseBrokerFlow}
	lockCauses    = []event.Cause{pull.CauseNotLocked}
)

// tick does what is due without an event.
func (l *loop) tick(now time.Time) {
	if due, ok := l.rebalance.NextDue(); ok && !due.After(now) && l.running {
		l.rebalanceStep(now, event.Tick{})
	}
	if due, ok := l.schedule.NextDue(); ok && !due.After(now) {
		l.scheduleStep(now, event.Tick{})
	}
	if !l.persistAt.After(now) {
		l.persistAll(now)
		l.persistAt = now.Add(l.cfg.PersistInterval)
	}
	l.lookAtPass(now)
	l.peersTick(now)
	l.dueResets(now)
	if !l.sampleAt.After(now) {
		l.sample(now)
		l.sampleStatistics(now)
		l.attempted(now)
		l.sampleAt = now.Add(sampleEvery)
	}
}

func (l *loop) nextDue(now time.Time) time.Time {
	due := l.persistAt
	if l.sampleAt.Before(due) {
		due = l.sampleAt
	}
	if at, ok := l.rebalance.NextDue(); ok && at.Before(due) && l.running {
		due = at
	}
	if at, ok := l.schedule.NextDue(); ok && at.Before(due) {
		due = at
	}
	if at, ok := l.peersDue(); ok && at.Before(due) {
		due = at
	}
	if at, ok := l.nextReset(); ok && at.Before(due) {
		due = at
	}
	if at, ok := l.nextPublish(); ok && at.Before(due) {
		due = at
	}
	return due
}

// live returns the queue if this very assignment of it is still ours.
func (m *membership) live(q mq.MessageQueue, epoch uint64) *owned {
	if o, ok := m.lately.Of(m.queues, q); ok && o.epoch == epoch {
		return o
	}
	return nil
}

func lostText(e event.BrokerLost) string {
	text := "connection to " + e.Addr + " lost"
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}
