package consumer

import (
	"sync/atomic"
	"time"

	"mqscope/engine/snapshot"
)

// unreadFor is how long a snapshot that nobody read stays before a newer one is built all
// the same: a consumer that nobody watches builds one in five seconds, not ten a second.
const unreadFor = 5 * time.Second

// unreadRecorded is that of a consumer that is recorded: what its queues hold in detail is read, and
// so recorded, for its snapshots.
const unreadRecorded = 500 * time.Millisecond

// outlet hands snapshots to whoever draws: a slot with the latest one and a wake-up of size
// one. A slow reader skips, it never slows the loop.
type outlet struct {
	latest  atomic.Pointer[snapshot.Snapshot]
	unread  atomic.Bool
	updates chan struct{}
	taken   chan struct{}
	check   atomic.Pointer[func([]snapshot.Breach)] // see Push.Check
}

func newOutlet() *outlet {
	o := &outlet{updates: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
	o.latest.Store(&snapshot.Snapshot{})
	return o
}

func (o *outlet) put(s *snapshot.Snapshot) (skipped bool) {
	o.latest.Store(s)
	skipped = o.unread.Swap(true)
	select {
	case o.updates <- struct{}{}:
	default:
	}
	return skipped
}

func (o *outlet) take() *snapshot.Snapshot {
	s := o.latest.Load()
	if o.unread.Swap(false) {
		select {
		case o.taken <- struct{}{}:
		default:
		}
	}
	return s
}

// Latest is Snapshot for somebody who does not draw: no newer one is made because of it.
func (p *Push) Latest() *snapshot.Snapshot { return p.loop.out.latest.Load() }

// nextPublish is when the next snapshot is due, if anything changed.
func (m *membership) nextPublish() (time.Time, bool) {
	if !m.dirty {
		return time.Time{}, false
	}
	if m.out.unread.Load() {
		every := unreadFor
		if m.in.records() {
			every = unreadRecorded
		}
		return m.builtAt.Add(max(every, m.pictureEvery)), true
	}
	return m.builtAt.Add(m.pictureEvery), true
}

func (m *membership) publish(now time.Time) {
	if due, ok := m.nextPublish(); m.in.flag(ok && !due.After(now)) {
		m.publishNow(now)
	}
}

func (m *membership) publishNow(now time.Time) {
	m.dirty = false
	m.builtAt = now
	s := m.kind.picture(now)
	s.Wall = m.in.wall(now)
	if m.in.flag(m.out.put(s)) {
		m.counters.SnapshotsSkipped++
	}
	m.in.act(actPublish, int64(m.seq))
	if l, ok := m.kind.(*loop); ok {
		l.checked()
	}
}
