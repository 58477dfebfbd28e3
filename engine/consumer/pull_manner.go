package consumer

import (
	"context"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// pulling is the manner of a pull consumer: what the loop knows of the pulls that the
// application makes.
type pulling struct {
	p       *Pull
	flights map[mq.MessageQueue]flight
}

func newPulling(p *Pull) *pulling { return &pulling{p: p, flights: map[mq.MessageQueue]flight{}} }

// flight is the pulls of one queue that are out.
type flight struct {
	n     int
	since time.Time // of the newest
	hold  bool      // its broker may hold it
}

type (
	pullSent struct {
		queue  mq.MessageQueue
		offset int64
		hold   bool
	}
	pullOver struct {
		done event.PullDone
		hold bool
	}
)

func (m *pulling) step(now time.Time, e event.Event) {
	l := m.p.loop
	switch e := e.(type) {
	case pullSent:
		o := l.visited(e.queue)
		o.asked, o.waitsTail = e.offset, e.hold && o.max.OK() && e.offset >= o.max.V
		l.counters.Pulls++
		m.flights[e.queue] = flight{n: m.flights[e.queue].n + 1, since: now, hold: e.hold}
	case pullOver:
		o := l.visited(e.done.Queue)
		held := e.hold && (e.done.Status == mq.NoNewMsg || e.done.Status == mq.Found && o.waitsTail)
		if f := m.flights[e.done.Queue]; f.n > 1 {
			f.n--
			m.flights[e.done.Queue] = f
		} else {
			delete(m.flights, e.done.Queue)
		}
		if e.done.Status != mq.PullFailed {
			o.next = e.done.Next
		}
		l.learned(now, o, e.done, held)
	}
}

func (m *pulling) assigned(_ time.Time, o *owned) { m.p.loop.askCommitted(o) }

func (m *pulling) revoked(time.Time, *owned) {}

func (m *pulling) queuesMoved(_ time.Time, topic string, all, mine []mq.MessageQueue) {
	if tell := m.p.told(); tell != nil {
		l := m.p.loop
		topic, all, mine := l.shown(topic), l.shownQueues(all), l.shownQueues(mine)
		l.crew.inOrder("message queue listener", func(ctx context.Context) { tell(ctx, topic, all, mine) })
	}
}

func (m *pulling) keepsStart() bool { return false }

func (m *pulling) tick(time.Time) {}

func (m *pulling) nextDue() (time.Time, bool) { return time.Time{}, false }

func (m *pulling) stop(time.Time) {}

func (m *pulling) idle() bool { return true }

func (m *pulling) task(q mq.MessageQueue) snapshot.Task {
	if f, out := m.flights[q]; out {
		t := snapshot.Task{State: snapshot.TaskRunning, Since: f.since}
		if f.hold && m.p.loop.clock.Now().Sub(f.since) > shownParkedAfter {
			t.State = snapshot.TaskParked
		}
		return t
	}
	return snapshot.Task{}
}

// shownParkedAfter is how long a pull is out until it counts as held by its broker.
const shownParkedAfter = 200 * time.Millisecond

func (m *pulling) draw(s *snapshot.Snapshot, _ time.Time) {
	s.Group.Kind, s.Group.Limits.MaxReconsume = snapshot.PullKind, m.p.cfg.MaxReconsume
	s.Counters.Consumed = s.Counters.Received // what a pull brings is the application's at once
}

// drawQueue takes out what a queue of a pull consumer does not have: messages are the
// application's at once.
func (m *pulling) drawQueue(q *snapshot.Queue, o *owned) {
	q.Count, q.Bytes, q.Span = snapshot.NA[int](), snapshot.NA[int64](), snapshot.NA[int64]()
	q.CachedMin, q.CachedMax, q.LastTaken = snapshot.NA[int64](), snapshot.NA[int64](), snapshot.NA[time.Time]()
	if !o.lastPull.OK() {
		q.Next = snapshot.UnknownBecause[int64]("not pulled yet")
	}
}

var _ manner = (*pulling)(nil)
