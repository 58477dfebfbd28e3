package pull

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Bits of a pull's sysFlag (Java: PullSysFlag).
const (
	flagCommitOffset = 1
	flagSuspend      = 2
)

// Turn runs the checks in the order of DefaultMQPushConsumerImpl.pullMessage.
func (p *Pull) Turn(now time.Time, t *Turn) []Action {
	c := checks{decisions: p.Decisions, queue: t.Queue, task: t.Task}
	none, later := [6]int64{}, p.cfg.ExceptionDelay
	c.wants(false, decision.PullDropped, t.Dropped, none, decision.Then{Do: decision.Die})
	c.wants(true, decision.PullRunning, t.Running, none, putBack(later, event.CauseNotRunning))
	c.wants(false, decision.PullPaused, t.Paused, none, putBack(p.cfg.PausedDelay, event.CausePaused))
	c.flow(&p.cfg, t)
	c.lock(&p.cfg, t)
	c.wants(true, decision.PullSubscribed, t.Subscribed, none, putBack(later, event.CauseNoSubscription))
	c.wants(false, decision.PullNegative, t.Next < 0, [6]int64{t.Next}, putBack(later, event.CauseException))
	switch c.then.Do {
	case decision.Die:
		return []Action{Die{Queue: t.Queue, Epoch: t.Epoch}}
	case decision.Stop:
		return []Action{Recheck{Queue: t.Queue, Epoch: t.Epoch, Next: t.Next, Task: t.Task}}
	case decision.PutBack:
		actions := []Action{Back{Queue: t.Queue, Epoch: t.Epoch, Next: t.Next, Delay: c.then.Delay, Cause: c.then.Why}}
		if c.by == decision.PullNegative {
			words := fmt.Sprintf("a pull at offset %d was refused: offsets start at 0", t.Next)
			if entry, ok := p.of(t.Queue, t.Epoch).tell(negativeOffset, now, event.Error, t.Queue, words); ok {
				actions = append(actions, entry)
			}
		}
		return actions
	}
	return append(p.one[:0], p.send(t))
}

// checks are the questions of one turn. They are asked up to the first whose answer keeps the
// pull from being made; what was recorded of that is what is done.
type checks struct {
	decisions *decision.Recorder
	queue     mq.MessageQueue
	task      uint64
	then      decision.Then  // GoOn as long as the pull may be made
	by        *decision.Line // that said otherwise
}

// wants asks a question. Unless the answer is want, then follows and nothing more is asked.
func (c *checks) wants(want bool, line *decision.Line, answer bool, n [6]int64, then decision.Then) {
	if c.by != nil {
		return
	}
	if answer != want {
		c.by, c.then = line, then
	}
	if c.decisions.On() {
		c.decisions.Record(&decision.Decision{Line: line, Queue: c.queue, Task: c.task, Yes: answer, N: n, Then: c.then})
	}
}

// lock asks what only a queue is asked whose messages are consumed in order: whether its lock
// is held, and whether its start offset was read with it.
func (c *checks) lock(cfg *Config, t *Turn) {
	lock := t.Lock
	if lock == nil {
		return
	}
	n := [6]int64{flag(lock.Granted), int64(lock.Age), int64(lock.Trust)}
	c.wants(true, decision.PullLocked, lock.Held, n, putBack(cfg.ExceptionDelay, CauseNotLocked))
	c.wants(false, decision.PullFirstLock, !lock.StartKnown, [6]int64{t.Next}, decision.Then{Do: decision.Stop})
}

func putBack(delay time.Duration, cause event.Cause) decision.Then {
	return decision.Then{Do: decision.PutBack, Delay: delay, Why: cause}
}

func flag(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// send builds the request. A commit offset goes along only when it is above 0 (Java never
// piggybacks 0) and only to a master: a slave does not keep it (Java: PullAPIWrapper).
func (p *Pull) send(t *Turn) Send {
	q := p.of(t.Queue, t.Epoch)
	q.out, q.asked, q.sentTo, q.task = true, t.Next, q.suggest, t.Task
	s := Send{
		Queue: t.Queue, Epoch: t.Epoch, Offset: t.Next,
		MaxNums: int32(p.cfg.Batch), MaxBytes: int32(p.cfg.BatchBytes),
		SysFlag: flagSuspend, SubVersion: t.SubVersion, BrokerID: q.suggest,
		Hold: p.cfg.Hold, Timeout: p.cfg.Timeout, Task: t.Task,
	}
	if t.CommitOffset > 0 && q.suggest == mq.MasterID {
		s.SysFlag |= flagCommitOffset
		s.Commit = t.CommitOffset
	}
	p.tellSend(&s)
	return s
}

func (p *Pull) tellSend(s *Send) {
	if !p.Decisions.On() {
		return
	}
	commit := int64(-1)
	if s.SysFlag&flagCommitOffset != 0 {
		commit = s.Commit
	}
	p.Decisions.Record(&decision.Decision{
		Line: decision.PullSend, Queue: s.Queue, Task: s.Task,
		N: [6]int64{s.Offset, int64(s.MaxNums), int64(s.SysFlag), commit, s.BrokerID, int64(s.Hold)},
	})
}
