package consumer

import (
	"math"
	"time"

	"mqscope/engine/snapshot"
)

// Rates are taken over the last rateWindow samples, one a second.
const (
	sampleEvery = time.Second
	rateWindow  = 10
	// historyEvery samples make one point of the history: 120 points are ten minutes.
	historyEvery  = 5
	historyPoints = 120
)

// rates keeps the last samples of two counters that only grow: what came into a queue at its
// broker (the max offset) and what we finished (the offset that may be committed).
type rates struct {
	in, out [rateWindow + 1]int64
	at      [rateWindow + 1]time.Time
	n       int // samples taken
}

func (r *rates) add(now time.Time, in, out int64) {
	i := r.n % len(r.in)
	r.in[i], r.out[i], r.at[i] = in, out, now
	r.n++
}

// perSecond returns the two rates, unknown before there are two samples.
func (r *rates) perSecond() (in, out snapshot.Val[float64]) {
	if r.n < 2 {
		return snapshot.UnknownBecause[float64]("no two samples yet"), snapshot.UnknownBecause[float64]("no two samples yet")
	}
	newest := (r.n - 1) % len(r.in)
	oldest := 0
	if r.n > len(r.in) {
		oldest = r.n % len(r.in)
	}
	secs := r.at[newest].Sub(r.at[oldest]).Seconds()
	if secs <= 0 {
		return in, out
	}
	per := func(s *[rateWindow + 1]int64) snapshot.Val[float64] {
		return snapshot.Of(float64(s[newest]-s[oldest])/secs, r.at[newest])
	}
	return per(&r.in), per(&r.out)
}

// history is the rings behind sparklines, one point each five seconds. It is made when the
// first point is: a queue that nobody owned for five seconds costs nothing.
type history struct {
	points *[4][historyPoints]float32 // count, lag, commit/s, p99 in ms
	n      int
	last   snapshot.Histogram // at the last point, to see only what came since
}

const (
	histCount = iota
	histLag
	histCommit
	histLatency
)

func (h *history) add(count int, lag snapshot.Val[int64], commit snapshot.Val[float64], rt *snapshot.Histogram) {
	if h.points == nil {
		h.points = new([4][historyPoints]float32)
	}
	i := h.n % historyPoints
	nan := float32(math.NaN())
	p := h.points
	p[histCount][i], p[histLag][i], p[histCommit][i], p[histLatency][i] = float32(count), nan, nan, nan
	if lag.OK() {
		p[histLag][i] = float32(lag.V)
	}
	if commit.OK() {
		p[histCommit][i] = float32(commit.V)
	}
	since := rt.Since(&h.last)
	if since.N() > 0 {
		p[histLatency][i] = float32(since.Quantile(0.99).Seconds() * 1000)
	}
	h.last = *rt
	h.n++
}

// copy returns the rings in order of time.
func (h *history) copy() snapshot.History {
	out := snapshot.History{Step: historyEvery * sampleEvery}
	if h.points == nil {
		return out
	}
	from := max(0, h.n-historyPoints)
	for k, dst := range []*[]float64{&out.Count, &out.Lag, &out.Commit, &out.Latency} {
		for i := from; i < h.n; i++ {
			*dst = append(*dst, float64(h.points[k][i%historyPoints]))
		}
	}
	return out
}
