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
	rates rates

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

func (m *Memory) pullSent(s *infer.State, e infer.Event, f infer.PullSent) {
	g, sq, q := m.find(s, f.Group, f.Queue)
	if q == nil {
		return
	}
	g.lite = g.lite || f.Lite
	if len(q.open) >= maxOpen {
		q.open = slices.Delete(q.open, 0, 1)
	}
	q.open = append(q.open, open{Client: f.Client, Exchange: f.Exchange, Since: e.At, MayHold: f.MayHold})
	q.seen(e.At, sq, q.max, q.committed)
}

func (m *Memory) pullDone(s *infer.State, e infer.Event, f infer.PullDone) {
	g, sq, q := m.find(s, f.Group, f.Queue)
	if q == nil {
		return
	}
	for i := range q.open {
		if q.open[i].Exchange == f.Exchange {
			q.open = slices.Delete(q.open, i, i+1)
			break
		}
	}
	if q.detail == nil && m.detailed < maxDetailed {
		m.detailed++
		q.detail = &detail{}
	}
	if !f.Answered && f.Why == captureEnds {
		return // nobody knows how it went on
	}
	if !f.Answered && !pulls(sq, f.Client) {
		return // it left, and its last pull with it
	}
	passed := q.answered(e, f)
	top := q.max
	if f.Answered && f.Status != mq.PullFailed {
		top = f.Max
	}
	q.seen(e.At, sq, top, q.committed)
	trip := tripOf(f)
	if q.detail != nil {
		q.detail.add(e.At, trip)
	}
	if b := m.broker(g, f.Queue.BrokerName); b != nil {
		b.add(e.At, trip)
	}
	g.each(f.Client, func(c *snapshot.Counters) {
		c.Pulls++
		c.Received += uint64(len(f.Offsets))
		c.Filtered += passed
		if trip.failed {
			c.PullsFailed++
		}
	})
}

// What package capture says of requests that outlive the capture, or their connection.
const (
	captureEnds = "the capture ends"
	connEnds    = "the connection was closed"
)

// pulls tells whether a client pulls the queue.
func pulls(sq *infer.Queue, client string) bool {
	return slices.ContainsFunc(sq.Pullers, func(p infer.Puller) bool { return p.Client == client })
}

// answered takes what an answer tells of its queue, and returns how many offsets the broker
// passed over.
func (q *queue) answered(e infer.Event, f infer.PullDone) (passed uint64) {
	q.last = snapshot.Pull{
		At: e.At, Status: f.Status.String(), Offset: f.Offset, Next: f.Next, Count: len(f.Offsets), Took: f.RoundTrip, Held: f.Held,
	}
	switch {
	case !f.Answered:
		q.failures++
		q.lastErr = "no answer: " + cut(f.Why, 200)
		return 0
	case f.Status == mq.PullFailed:
		q.failures++
		q.lastErr = f.Code.String() + ": " + cut(f.Remark, 200)
		return 0
	}
	q.lastErr = ""
	if f.Status == mq.Found {
		q.found = e.At
	}
	if f.Held {
		q.held++
	}
	n := f.Next - f.Offset - int64(len(f.Offsets))
	if (f.Status == mq.Found || f.Status == mq.NoMatchedMsg) && !f.Cut && n > 0 {
		q.filtered += uint64(n)
		return uint64(n)
	}
	return 0
}

// broker are the pulls of a group at one broker; nil when there are too many.
func (m *Memory) broker(g *group, name string) *series {
	b := g.brokers[name]
	if b == nil && m.series < maxSeries {
		m.series++
		b = &series{}
		put(&g.brokers, name, b)
	}
	return b
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

func (m *Memory) popped(s *infer.State, e infer.Event, f infer.Popped) {
	id := mq.MessageQueue{Topic: f.Topic, BrokerName: f.Broker, QueueID: f.QueueID}
	g, sq, q := m.find(s, f.Group, id)
	if q == nil {
		return
	}
	g.pop = true
	if q.detail == nil && m.detailed < maxDetailed {
		m.detailed++
		q.detail = &detail{}
	}
	p := infer.PullDone{Answered: true, Status: mq.Found, Code: f.Code, RoundTrip: f.RoundTrip}
	if f.Code != protocol.Success {
		p.Status = mq.NoNewMsg
		if f.Code != protocol.PollingTimeout && f.Code != protocol.PullNotFound {
			p.Status = mq.PullFailed
		}
	}
	p.Held = f.Code == protocol.PollingTimeout
	q.answered(e, p)
	q.last.Count = f.Count
	q.seen(e.At, sq, -1, -1)
	trip := tripOf(p)
	if q.detail != nil {
		q.detail.add(e.At, trip)
	}
	if b := m.broker(g, f.Broker); b != nil {
		b.add(e.At, trip)
	}
	g.each(f.Client, func(c *snapshot.Counters) {
		c.Pulls++
		c.Received += uint64(f.Count)
		if trip.failed {
			c.PullsFailed++
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
