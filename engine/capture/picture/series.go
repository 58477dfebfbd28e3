package picture

import (
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

const (
	slotFor    = 10 * time.Second
	slotsKept  = 60 // ten minutes
	recentSpan = slotFor * slotsKept / 2
)

// trip is how one pull went.
type trip struct {
	took                       time.Duration
	held, failed, silent, flow bool
}

func tripOf(f infer.PullDone) trip {
	return trip{
		took: f.RoundTrip, held: f.Held, failed: !f.Answered || f.Status == mq.PullFailed, silent: !f.Answered,
		flow: f.Answered && (f.Code == protocol.FlowControl || f.Code == protocol.SystemBusy),
	}
}

func (d *detail) add(at time.Time, t trip) {
	d.pulls.add(at, t)
	if !t.failed && !t.held {
		d.trips.Add(t.took)
		d.history.recent.Add(t.took)
	}
}

// series is what the pulls of one broker or queue did over the last ten minutes. Quantiles come
// from two histograms that take turns: they are those of the last five to ten minutes.
type series struct {
	slots   []slot // with a pull, newest last
	first   int64  // number of the first slot ever: time since the epoch / slotFor
	recent  [2]snapshot.Histogram
	turned  time.Time
	worst   time.Duration
	worstAt time.Time
	held    uint64
}

// slot is one stretch of ten seconds.
type slot struct {
	number int64
	pulls  snapshot.Slot
}

func (p series) clone() series {
	p.slots = slices.Clone(p.slots)
	return p
}

func slotNumber(t time.Time) int64 { return t.Unix() / int64(slotFor/time.Second) }

func (p *series) add(at time.Time, t trip) {
	s := p.slotAt(at)
	switch {
	case t.flow:
		s.FlowControl++
	case t.silent:
		s.Timeouts++
	case t.failed:
		s.Exceptions++
	case t.held:
		s.Held++
		p.held++
		s.HeldTime = max(s.HeldTime, t.took)
	default:
		s.Heat[snapshot.HeatClass(t.took)]++
		s.Max = max(s.Max, t.took)
		if at.Sub(p.turned) > recentSpan {
			p.recent[1], p.recent[0] = p.recent[0], snapshot.Histogram{}
			p.turned, p.worst = at, 0
		}
		p.recent[0].Add(t.took)
		if t.took > p.worst {
			p.worst, p.worstAt = t.took, at
		}
	}
}

func (p *series) slotAt(at time.Time) *snapshot.Slot {
	n := slotNumber(at)
	if len(p.slots) == 0 {
		p.first, p.turned = n, at
	}
	if k := len(p.slots); k == 0 || p.slots[k-1].number < n {
		if k == slotsKept {
			p.slots = slices.Delete(p.slots, 0, 1)
		}
		p.slots = append(p.slots, slot{number: n})
	}
	return &p.slots[len(p.slots)-1].pulls
}

// picture is the series up to at; slots without a pull are empty.
func (p *series) picture(at time.Time) snapshot.Series {
	n := slotNumber(at)
	out := snapshot.Series{Step: slotFor, Until: time.Unix((n+1)*int64(slotFor/time.Second), 0).UTC()}
	if len(p.slots) == 0 {
		return out
	}
	from := max(p.first, n-slotsKept+1)
	if from <= n {
		out.Slots = make([]snapshot.Slot, n-from+1)
	}
	for _, s := range p.slots {
		if s.number >= from && s.number <= n {
			out.Slots[s.number-from] = s.pulls
		}
	}
	both := p.recent[0]
	both.Merge(&p.recent[1])
	out.Total, out.WorstAt = both.Summary(p.held), p.worstAt
	out.Buckets = slices.Clone(both.Buckets[:])
	return out
}
