package consumer

import (
	"errors"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

const (
	slotFor    = 10 * time.Second
	slotsKept  = 60 // ten minutes
	recentSpan = slotFor * slotsKept / 2
)

// pullSeries is what the pulls of one broker or queue did over the last ten minutes. It is
// made with the first pull. Quantiles come from two histograms that take turns, so they are
// those of the last five to ten minutes.
type pullSeries struct {
	slots   [slotsKept]slot
	first   int64 // number of the oldest slot that may be kept: time since the epoch / slotFor
	last    int64
	recent  [2]snapshot.Histogram
	turned  time.Time
	worst   time.Duration
	worstAt time.Time
	held    uint64
}

// slot is one stretch of ten seconds.
type slot struct {
	number     int64
	heat       [snapshot.HeatClasses]uint16
	held       uint16
	timeouts   uint16
	exceptions uint16
	flow       uint16
	max        time.Duration
	heldMax    time.Duration
}

func slotNumber(t time.Time) int64 { return t.UnixNano() / int64(slotFor) }

// add counts one pull.
func (p *pullSeries) add(now time.Time, e *event.PullDone, held bool) {
	s := p.slotAt(now)
	switch {
	case e.Status == mq.PullFailed && (e.Code == int32(protocol.FlowControl) || e.Code == int32(protocol.SystemBusy)):
		count(&s.flow)
	case e.Status == mq.PullFailed && errors.Is(e.Err, remoting.ErrTimeout):
		count(&s.timeouts)
	case e.Status == mq.PullFailed:
		count(&s.exceptions)
	case held:
		count(&s.held)
		p.held++
		s.heldMax = max(s.heldMax, e.Took)
	default:
		p.answered(now, s, e.Took)
	}
}

func (p *pullSeries) answered(now time.Time, s *slot, took time.Duration) {
	count(&s.heat[snapshot.HeatClass(took)])
	s.max = max(s.max, took)
	if now.Sub(p.turned) > recentSpan {
		p.recent[1], p.recent[0] = p.recent[0], snapshot.Histogram{}
		p.turned = now
		p.worst = 0
	}
	p.recent[0].Add(took)
	if took > p.worst {
		p.worst, p.worstAt = took, now
	}
}

// count adds one and stays at the most that fits: a heat map needs no more.
func count(n *uint16) {
	if *n < ^uint16(0) {
		*n++
	}
}

func (p *pullSeries) slotAt(now time.Time) *slot {
	n := slotNumber(now)
	s := &p.slots[n%slotsKept]
	if s.number != n {
		*s = slot{number: n}
	}
	if p.first == 0 {
		p.first, p.turned = n, now
	}
	p.last = max(p.last, n)
	return s
}

// picture is the series up to now; slots without a pull are empty.
func (p *pullSeries) picture(now time.Time) snapshot.Series {
	n := slotNumber(now)
	out := snapshot.Series{Step: slotFor, Until: time.Unix(0, (n+1)*int64(slotFor))}
	for i := max(p.first, n-slotsKept+1); i <= n; i++ {
		s := &p.slots[i%slotsKept]
		if s.number != i {
			out.Slots = append(out.Slots, snapshot.Slot{})
			continue
		}
		shown := snapshot.Slot{
			Held: uint32(s.held), HeldTime: s.heldMax, Max: s.max, Timeouts: uint32(s.timeouts),
			Exceptions: uint32(s.exceptions), FlowControl: uint32(s.flow),
		}
		for class, c := range s.heat {
			shown.Heat[class] = uint32(c)
		}
		out.Slots = append(out.Slots, shown)
	}
	both := p.recent[0]
	both.Merge(&p.recent[1])
	out.Total, out.WorstAt = both.Summary(p.held), p.worstAt
	out.Buckets = append([]uint32(nil), both.Buckets[:]...)
	return out
}

// pullsOf is the series of a broker.
func (m *membership) pullsOf(broker string) *pullSeries {
	p := m.brokers[broker]
	if p == nil {
		p = &pullSeries{}
		m.brokers[broker] = p
	}
	return p
}

// pictureSeries has the pulls of every broker and of watched queues.
func (m *membership) pictureSeries(s *snapshot.Snapshot, now time.Time) {
	s.BrokerPulls, s.QueuePulls = map[string]snapshot.Series{}, map[mq.MessageQueue]snapshot.Series{}
	for name, p := range m.brokers {
		s.BrokerPulls[name] = p.picture(now)
	}
	for q := range m.watched {
		if o := m.queues[q]; o != nil {
			s.QueuePulls[q] = o.series.picture(now)
		}
	}
}
