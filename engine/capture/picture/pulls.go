package picture

import (
	"slices"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

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
	if !f.Answered && (f.Why == captureEnds || f.Why == lostAnswer) {
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
	lostAnswer  = "its answer may be among what the capture lost"
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
