package consumer

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/snapshot"
)

// The steps of a push consumer's leave. Each is an event that says what was waited for, so that
// who has a recording of them leaves the same way once more.
type (
	leaveBegun   struct{}                // listeners are waited for
	leaveDrained struct{ returned bool } // all listeners did, in peace
	leaveThreads struct {                // so did the consume threads, once their context had ended
		ended bool
		hung  *HungError // the listener that held them up, if one did
	}
	leaveCalls     struct{ stuck string }    // code that tools asked for did not return
	leaveTaken     struct{ taken, left int } // events that came meanwhile
	leaveCommitted struct {                  // of a consumer that holds locks: before they go back
		list []lastCommits
		err  error
	}
	leaveGivenUp  struct{ hung []mq.MessageQueue } // offsets are sent and queues given up; the listeners of hung did not return
	leaveUnlocked struct{ list []lastUnlock }
	leaveFlushed  struct { // the offset file is written and closed
		path string
		err  error
	}
	leaveDone struct{ err error } // of the goodbye
)

// leaveStep does what a step of the leave says.
func (l *loop) leaveStep(now time.Time, e event.Event) {
	none := mq.MessageQueue{}
	switch e := e.(type) {
	case leaveBegun:
		l.running = false
		l.source.State = snapshot.Stopping
		l.note(now, event.Info, "engine", "", "stopping: waits for running listeners, then sends offsets")
		l.decisions.Fact(decision.ShutdownBegin, none, "", [6]int64{int64(len(l.order)), int64(l.cfg.Drain)})
		l.publishNow(now)
	case leaveDrained:
		if !l.decisions.Is(decision.ShutdownDrained, none, e.returned, [6]int64{int64(l.cfg.Drain)}) {
			l.note(now, event.Warn, "consume", "", "listeners still run after "+l.cfg.Drain.String()+": their messages will be delivered again")
		}
	case leaveThreads:
		l.decisions.Is(decision.ShutdownThreads, none, e.ended, [6]int64{int64(abandonAfter)})
		if e.hung != nil {
			l.noteQueue(now, event.Error, "consume", e.hung.Queue, e.hung.Error()+": left behind")
		}
	case leaveCalls:
		l.note(now, event.Error, "consume", "", e.stuck+": left behind")
	case leaveTaken:
		l.decisions.Fact(decision.ShutdownTaken, none, "", [6]int64{int64(e.taken), int64(e.left)})
		if l.locked() {
			l.farewell.commits = l.lastCommits(now)
		}
	case leaveCommitted:
		l.committedLast(now, e)
	case leaveGivenUp:
		l.givesUp(now, e.hung)
	case leaveUnlocked:
		l.unlockedLast(now, e.list)
	case leaveFlushed:
		if e.err != nil {
			l.note(now, event.Warn, "offset", e.path, "close: "+e.err.Error())
		}
		l.decisions.Fact(decision.ShutdownFlushed, none, "", [6]int64{})
	case leaveDone:
		if !l.decisions.Is(decision.ShutdownUnregistered, none, e.err == nil, [6]int64{int64(unregisterWithin)}) {
			l.note(now, event.Warn, "remote", "", "leaving the group: "+e.err.Error())
		}
		l.decisions.Fact(decision.ShutdownDone, none, "", [6]int64{})
		l.source.State = snapshot.Ended
		l.publishNow(now)
	}
}

// givesUp sends all offsets and gives the queues up, and says what goes back to brokers and disk.
func (l *loop) givesUp(now time.Time, hung []mq.MessageQueue) {
	queues := [6]int64{int64(len(l.order))}
	l.persistAll(now)
	l.decisions.Fact(decision.ShutdownPersisted, mq.MessageQueue{}, "", queues)
	l.decisions.Fact(decision.ShutdownGivenUp, mq.MessageQueue{}, "", queues)
	l.last = l.picture(now)
	for _, q := range slices.Clone(l.order) {
		l.revoke(now, event.QueueRevoked{Queue: q, Epoch: l.queues[q].epoch, Why: event.RevokedByShutdown})
	}
	if l.locked() {
		l.farewell.unlocks = l.lastUnlocks(now, hung)
	}
	if l.file != nil {
		for _, a := range l.offsets.Step(now, offset.PersistDue{}) {
			if w, ok := a.(offset.Write); ok {
				l.farewell.writes = append(l.farewell.writes, w)
			}
		}
	}
}

// ofLast has a picture of a consumer that gave its queues up show them as they were then, with all
// that was done and told since.
func (l *loop) ofLast(s *snapshot.Snapshot) *snapshot.Snapshot {
	if l.last == nil {
		return s
	}
	last := *l.last
	last.Seq, last.Source, last.Counters, last.Events = s.Seq, s.Source, s.Counters, s.Events
	return &last
}

// leaveMoment says what a step of the leave was.
func leaveMoment(e event.Event) (snapshot.Moment, bool) {
	switch e := e.(type) {
	case leaveBegun:
		return about("leave.begun", "the consumer leaves"), true
	case leaveDrained:
		return about("leave.drained", "all listeners have returned in time: "+yesNo(e.returned)), true
	case leaveThreads:
		return about("leave.threads", "consume threads have ended: "+yesNo(e.ended)), true
	case leaveCalls:
		return about("leave.calls", e.stuck), true
	case leaveTaken:
		return about("leave.taken", fmt.Sprintf("late events: %d taken in, %d left out", e.taken, e.left)), true
	case leaveCommitted:
		m := about("leave.committed", "last offsets committed, before locks go back")
		for _, broker := range e.list {
			for _, one := range broker.list {
				m = failing(m, one.err)
			}
		}
		return failing(m, e.err), true
	case leaveGivenUp:
		return at("leave.given-up", "all queues", "offsets are sent, queues given up"), true
	case leaveUnlocked:
		m := about("leave.unlocked", "locks have gone back")
		for _, one := range e.list {
			if one.err != nil {
				m.Interest = snapshot.InterestLock
			}
			m = failing(m, one.err)
		}
		return m, true
	case leaveFlushed:
		return failing(about("leave.flushed", "the offset file is closed"), e.err), true
	case leaveDone:
		return failing(about("leave.done", "the group is left"), e.err), true
	}
	return snapshot.Moment{}, false
}
