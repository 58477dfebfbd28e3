package engine

import (
	"fmt"

	"mqscope/engine/consumer"
	"mqscope/engine/pull"
	"mqscope/engine/snapshot"
)

type (
	// SetThreads changes the number of consume threads, 1 to 1000.
	SetThreads struct{ N int }
	// SetLimits changes the limits of flow control; zero fields mean the defaults.
	SetLimits struct{ Limits pull.Limits }
	// Subscribe adds a topic, or changes its expression.
	Subscribe struct{ consumer.Subscription }
	// Unsubscribe gives a topic up; what was consumed of it is committed first.
	Unsubscribe struct{ Topic string }
	// ReleaseLock gives the broker's lock of an orderly consumer's queue back, once what runs
	// of the queue is finished and committed.
	ReleaseLock struct{ Queue snapshot.MessageQueue }
)

// steer carries out a command that may be wrong; what is wrong with it is told as an event.
func (l *Live) steer(c Command) {
	var err error
	switch c := c.(type) {
	case SetThreads:
		err = l.push.SetThreads(c.N)
	case SetLimits:
		err = l.push.SetLimits(c.Limits)
	case Subscribe:
		err = l.push.Subscribe(c.Subscription)
	case Unsubscribe:
		err = l.push.Unsubscribe(c.Topic)
	case ReleaseLock:
		l.push.ReleaseLock(c.Queue)
	default:
		err = fmt.Errorf("a consumer knows no command %T", c)
	}
	if err != nil {
		l.Refuse(err.Error())
	}
}
