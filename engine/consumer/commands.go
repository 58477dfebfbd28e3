package consumer

import (
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// commands of a person, beside those of package event.
type (
	watchQueues  struct{ queues []mq.MessageQueue }
	sourceStatus struct {
		state   snapshot.SourceState
		err     error
		retryAt time.Time
	}
)

// command carries out what a person asked for.
func (l *loop) command(now time.Time, e event.Event) {
	switch e := e.(type) {
	case event.ConsumptionPaused:
		l.paused = true
		l.note(now, event.Info, "engine", "", "consumption paused by hand: pulling stops, cached messages are still consumed")
	case event.ConsumptionResumed:
		l.paused = false
		l.note(now, event.Info, "engine", "", "consumption resumed by hand")
		l.scheduleStep(now, event.Woken{Causes: []event.Cause{event.CausePaused}, By: "resumed by hand"})
	case event.Postponed:
		l.noteQueue(now, event.Info, "pull", e.Queue, fmt.Sprintf("its pull was delayed by hand, for %v", e.By))
		l.scheduleStep(now, e)
	case driven, released, carriedOn:
		l.driveStep(now, e)
	case watchQueues:
		clear(l.watched)
		for _, q := range e.queues {
			l.watched[q] = true
		}
	case sourceStatus:
		l.source.State, l.source.RetryAt, l.source.Err = e.state, e.retryAt, ""
		if e.err != nil {
			l.source.Err = e.err.Error()
		}
	default:
		l.steer(now, e)
	}
}
