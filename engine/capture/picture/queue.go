package picture

import (
	"math"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// maxOpen is how many pulls of one queue are followed at a time: a client has one.
const maxOpen = 16

// queue is what is remembered of one queue as one group uses it.
type queue struct {
	owner string // who began to pull it last, empty when nobody does
	open  []open // pulls that are at the broker, the oldest first
	last  snapshot.Pull
	found time.Time // when messages last came
	freed time.Time // when its lock was last given back
	// refused is when a broker last told somebody that another client has its lock.
	refused time.Time
	rates   rates

	max, committed int64 // -1 when not known
	count          int   // delivered and not committed, -1 when not known

	held, filtered, failures uint64
	lastErr                  string
	detail                   *detail // nil while it was not pulled, or when too many have one
}

// open is a pull that is at the broker.
type open struct {
	Client   string
	Exchange uint64
	Since    time.Time
	MayHold  time.Duration
}

// detail is what only the first queues have, as it takes room.
type detail struct {
	trips   snapshot.Histogram // of all answers that were not held
	pulls   series
	history history
}

func (q queue) clone() queue {
	q.open = slices.Clone(q.open)
	if q.detail != nil {
		d := *q.detail
		d.pulls, d.history.points = d.pulls.clone(), slices.Clone(d.history.points)
		q.detail = &d
	}
	return q
}

func (q *queue) rename(old, now string) {
	if q.owner == old {
		q.owner = now
	}
	for i := range q.open {
		if q.open[i].Client == old {
			q.open[i].Client = now
		}
	}
}

// find returns both sides of a queue, and its group; nil when there is no room for it.
func (m *Memory) find(s *infer.State, name string, id mq.MessageQueue) (*group, *infer.Queue, *queue) {
	sg := s.Groups[name]
	if sg == nil {
		return nil, nil, nil
	}
	sq := sg.Queues[id]
	if sq == nil {
		return nil, nil, nil
	}
	g := m.group(s, name)
	return g, sq, g.queue(sq)
}

func (m *Memory) committed(s *infer.State, e infer.Event, f infer.Committed) {
	g, sq, q := m.find(s, f.Group, f.Queue)
	if q == nil {
		return
	}
	ok := f.Code == protocol.Success
	if ok && sq.Committed.State != snapshot.NotApplicable {
		q.seen(e.At, sq, q.max, f.Offset)
	}
	if f.How == infer.ByAnswer {
		return
	}
	g.each(f.Client, func(c *snapshot.Counters) {
		if ok {
			c.Commits++
		} else {
			c.CommitsFailed++
		}
	})
}

// seen renews the readings of a queue, after the points that were due before them.
func (q *queue) seen(at time.Time, sq *infer.Queue, top, committed int64) {
	if q.detail != nil {
		q.detail.history.upTo(at, q)
	}
	q.max, q.committed = top, committed
	q.count = -1
	if sq.Window.OK() {
		q.count = sq.Window.V
	}
	q.rates.add(at, top, committed)
}

// point is how the queue stands, for its history.
func (q *queue) point(at time.Time) point {
	nan := float32(math.NaN())
	p := point{Count: nan, Lag: nan, Commit: nan, Latency: nan}
	if q.count >= 0 {
		p.Count = float32(q.count)
	}
	if q.max >= 0 && q.committed >= 0 {
		p.Lag = float32(q.max - q.committed)
	}
	if _, out := q.rates.perSecond(at); out.OK() {
		p.Commit = float32(out.V)
	}
	return p
}
