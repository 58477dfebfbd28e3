package picture

import (
	"slices"
	"time"

	"mqscope/engine/snapshot"
)

const (
	rateOver  = 10 * time.Second // rates are those of the last seconds
	rateKeeps = 12               // samples, at most one a second

	historyStep = 5 * time.Second
	historyLong = 120 // points: ten minutes
)

// rates keeps samples of two offsets that only grow: the end of a queue and what is committed.
type rates struct {
	samples [rateKeeps]sample
	n       int
}

// sample is what was known at the end of one second, -1 where nothing was.
type sample struct{ At, Max, Committed int64 }

func (r *rates) add(at time.Time, top, committed int64) {
	sec := at.Unix()
	if r.n > 0 {
		if last := &r.samples[(r.n-1)%rateKeeps]; last.At >= sec {
			last.Max, last.Committed = top, committed
			return
		}
	}
	r.samples[r.n%rateKeeps] = sample{sec, top, committed}
	r.n++
}

// perSecond returns the two rates at a moment, unknown before there are two samples.
func (r *rates) perSecond(at time.Time) (in, out snapshot.Val[float64]) {
	per := func(of func(*sample) int64) snapshot.Val[float64] {
		if r.n < 2 || of(&r.samples[(r.n-1)%rateKeeps]) < 0 {
			return snapshot.UnknownBecause[float64]("no two readings yet")
		}
		now, from := of(&r.samples[(r.n-1)%rateKeeps]), at.Unix()-int64(rateOver/time.Second)
		var first *sample
		for i := r.n - 1; i >= max(r.n-rateKeeps, 0); i-- {
			s := &r.samples[i%rateKeeps]
			if of(s) < 0 {
				break
			}
			if first = s; s.At <= from {
				break
			}
		}
		secs := at.Unix() - max(first.At, from)
		switch {
		case secs <= 0:
			return snapshot.UnknownBecause[float64]("no two readings yet")
		case now < of(first):
			return snapshot.UnknownBecause[float64]("the offset went back")
		}
		return snapshot.Of(float64(now-of(first))/float64(secs), at)
	}
	return per(func(s *sample) int64 { return s.Max }), per(func(s *sample) int64 { return s.Committed })
}

// history is the points behind sparklines, one each five seconds of the capture's clock.
type history struct {
	points []point // newest last
	next   int64   // number of the step whose end gives the next point; 0 before the first
	recent snapshot.Histogram
}

// point is one sample; NaN is no data. Commit is in messages/s, Latency in ms.
type point struct{ Count, Lag, Commit, Latency float32 }

func stepAt(t time.Time) int64 { return t.Unix() / int64(historyStep/time.Second) }

func startOf(step int64) time.Time { return time.Unix(step*int64(historyStep/time.Second), 0).UTC() }

// upTo adds the points of the steps that ended before at, in which q did not change.
func (h *history) upTo(at time.Time, q *queue) {
	now := stepAt(at)
	if h.next == 0 {
		h.next = now
	}
	h.next = max(h.next, now-historyLong)
	for ; h.next < now; h.next++ {
		p := q.point(startOf(h.next + 1))
		if h.recent.N() > 0 {
			p.Latency = float32(h.recent.Quantile(0.99).Seconds() * 1000)
			h.recent = snapshot.Histogram{}
		}
		h.points = append(h.points, p)
	}
	if over := len(h.points) - historyLong; over > 0 {
		h.points = slices.Delete(h.points, 0, over)
	}
}

// picture is the history up to at; it changes nothing.
func (h *history) picture(at time.Time, q *queue) snapshot.History {
	c := *h
	c.points = slices.Clone(h.points)
	c.upTo(at, q)
	out := snapshot.History{Step: historyStep}
	for _, p := range c.points {
		out.Count, out.Lag = append(out.Count, float64(p.Count)), append(out.Lag, float64(p.Lag))
		out.Commit, out.Latency = append(out.Commit, float64(p.Commit)), append(out.Latency, float64(p.Latency))
	}
	return out
}
