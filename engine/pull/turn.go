package pull

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Bits of a pull's sysFlag (Java: PullSysFlag).
const (
	flagCommitOffset = 1
	flagSuspend      = 2
)

// turn runs the checks in the order of DefaultMQPushConsumerImpl.pullMessage.
func (p *Pull) turn(now time.Time, t Turn) []Action {
	if t.Dropped {
		return []Action{Die{Queue: t.Queue, Epoch: t.Epoch}}
	}
	if t.Next < 0 {
		actions := []Action{later(t, p.cfg.ExceptionDelay, event.CauseException)}
		words := fmt.Sprintf("a pull at offset %d was refused: offsets start at 0", t.Next)
		if entry, ok := p.of(t.Queue, t.Epoch).tell(negativeOffset, now, event.Error, t.Queue, words); ok {
			actions = append(actions, entry)
		}
		return actions
	}
	flow := p.cfg.Limits.Flow(t.Load)
	switch {
	case !t.Running:
		return []Action{later(t, p.cfg.ExceptionDelay, event.CauseNotRunning)}
	case t.Paused:
		return []Action{later(t, p.cfg.PausedDelay, event.CausePaused)}
	case flow != event.CauseNone:
		return []Action{later(t, p.cfg.FlowDelay, flow)}
	case !t.Subscribed:
		return []Action{later(t, p.cfg.ExceptionDelay, event.CauseNoSubscription)}
	}
	return []Action{p.send(t)}
}

func later(t Turn, delay time.Duration, cause event.Cause) Back {
	return Back{Queue: t.Queue, Epoch: t.Epoch, Next: t.Next, Delay: delay, Cause: cause}
}

// send builds the request. A commit offset goes along only when it is above 0 (Java never
// piggybacks 0) and only to a master: a slave does not keep it (Java: PullAPIWrapper).
func (p *Pull) send(t Turn) Send {
	q := p.of(t.Queue, t.Epoch)
	q.out, q.asked, q.sentTo = true, t.Next, q.suggest
	s := Send{
		Queue: t.Queue, Epoch: t.Epoch, Offset: t.Next,
		MaxNums: int32(p.cfg.Batch), MaxBytes: int32(p.cfg.BatchBytes),
		SysFlag: flagSuspend, SubVersion: t.SubVersion, BrokerID: q.suggest,
		Hold: p.cfg.Hold, Timeout: p.cfg.Timeout,
	}
	if t.CommitOffset > 0 && q.suggest == mq.MasterID {
		s.SysFlag |= flagCommitOffset
		s.Commit = t.CommitOffset
	}
	return s
}
