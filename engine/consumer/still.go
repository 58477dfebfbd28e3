package consumer

import (
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// A consumer that stands still, in a simulation between two of its steps, can be looked at from
// outside: nothing of it runs meanwhile. What is here must not be called of one that runs.

// Picture builds a snapshot of this very moment, without any effect on what follows.
func (p *Push) Picture() *snapshot.Snapshot { return p.loop.still(p.cfg.Clock.Now()) }

// Picture is that of Push.
func (p *Pull) Picture() *snapshot.Snapshot { return p.loop.still(p.cfg.Clock.Now()) }

func (m *membership) still(now time.Time) *snapshot.Snapshot {
	seq, at := m.seq, m.builtAt
	m.builtAt = now
	var s *snapshot.Snapshot
	m.in.beside(func() { s = m.kind.picture(now) })
	m.seq, m.builtAt = seq, at
	return s
}

// Postpone makes the pull of a queue wait for d more, if it waits now.
func (p *Push) Postpone(q mq.MessageQueue, d time.Duration) {
	p.loop.inbox.post(event.Postponed{Queue: q, By: d})
}
