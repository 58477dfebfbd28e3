package snapshot

import (
	"math"
	"math/bits"
	"time"
)

// Latency buckets grow by a factor of 2^(1/8), 9.05 %: a quantile is wrong by at most half
// of that. Bucket 0 ends at bucketFloor; the last one has no end.
const (
	bucketFloor  = 16 * time.Microsecond
	perOctave    = 8
	octaves      = 24
	BucketsCount = perOctave * octaves // up to 16 µs · 2^24, about 268 s
	minQuantileN = 20
)

// Latency is a summary of round trips in log buckets. It is a value: it may be copied.
type Latency struct {
	N             uint64 // round trips of answers that the broker gave at once
	HeldN         uint64 // answers that the broker held back to wait for messages
	P50, P99, Max time.Duration
	// Enough says that N allows quantiles; below 20 samples P50 and P99 are meaningless.
	Enough bool
}

// Histogram collects round trips. The zero value is empty and ready to use.
type Histogram struct {
	Buckets [BucketsCount]uint32
	n       uint64
	max     time.Duration
}

// Add counts one round trip.
func (h *Histogram) Add(d time.Duration) {
	h.Buckets[BucketOf(d)]++
	h.n++
	h.max = max(h.max, d)
}

// Merge adds o to h.
func (h *Histogram) Merge(o *Histogram) {
	for i, c := range o.Buckets {
		h.Buckets[i] += c
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

// N is how many round trips were counted.
func (h *Histogram) N() uint64 { return h.n }

// BucketOf is the index of the bucket of d.
func BucketOf(d time.Duration) int {
	if d < bucketFloor {
		return 0
	}
	i := min((bits.Len64(uint64(d/bucketFloor))-1)*perOctave, BucketsCount-1)
	for i < BucketsCount-1 && d >= bucketFrom[i+1] {
		i++
	}
	return i
}

// bucketFrom is where each bucket begins: a logarithm for each answer would be a tenth of what the
// loop spends on it.
var bucketFrom = func() (from [BucketsCount]time.Duration) {
	for i := range from {
		from[i] = time.Duration(math.Ceil(float64(bucketFloor) * math.Exp2(float64(i)/perOctave)))
	}
	return from
}()

// BucketBounds are the lower and upper end of bucket i.
func BucketBounds(i int) (low, high time.Duration) {
	at := func(i int) time.Duration {
		return time.Duration(float64(bucketFloor) * math.Exp2(float64(i)/perOctave))
	}
	if i == 0 {
		return 0, at(1)
	}
	return at(i), at(i + 1)
}

// Quantile returns the middle of the bucket that holds the q-th part, 0 when empty.
func (h *Histogram) Quantile(q float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(h.n)))
	rank = max(rank, 1)
	var seen uint64
	for i, c := range h.Buckets {
		seen += uint64(c)
		if seen >= rank {
			low, high := BucketBounds(i)
			return min((low+high)/2, h.max)
		}
	}
	return h.max
}

// Summary returns the figures that screens show. held is how many answers were held back.
func (h *Histogram) Summary(held uint64) Latency {
	l := Latency{N: h.n, HeldN: held, Max: h.max, Enough: h.n >= minQuantileN}
	if l.Enough {
		l.P50, l.P99 = h.Quantile(0.5), h.Quantile(0.99)
	}
	return l
}

// Since returns what h counted after it was equal to earlier. Max stays that of h.
func (h *Histogram) Since(earlier *Histogram) Histogram {
	d := *h
	for i := range d.Buckets {
		d.Buckets[i] -= earlier.Buckets[i]
	}
	d.n -= earlier.n
	return d
}
