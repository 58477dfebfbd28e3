package snapshot

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestBucketsCoverEveryDurationInOrder(t *testing.T) {
	last := 0
	for d := time.Microsecond; d < 10*time.Minute; d += d/50 + 1 {
		i := BucketOf(d)
		if i < last || i >= BucketsCount {
			t.Fatalf("%v is in bucket %d after %d", d, i, last)
		}
		low, high := BucketBounds(i)
		if i < BucketsCount-1 && (d < low-low/1000 || d > high+high/1000) {
			t.Fatalf("%v is in bucket %d, which is %v to %v", d, i, low, high)
		}
		last = i
	}
}

func TestQuantilesAreWithinFivePercent(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	var h Histogram
	var all []time.Duration
	for range 20_000 {
		d := time.Duration(float64(time.Millisecond) * (0.2 + 300*chance.ExpFloat64()*chance.Float64()))
		h.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 0.999} {
		want := all[int(q*float64(len(all)))]
		got := h.Quantile(q)
		if off := float64(got-want) / float64(want); off > 0.05 || off < -0.05 {
			t.Errorf("quantile %v is %v, want %v within 5%%", q, got, want)
		}
	}
}

func TestASummaryOfFewSamplesHasNoQuantiles(t *testing.T) {
	var h Histogram
	for range 19 {
		h.Add(time.Millisecond)
	}
	if l := h.Summary(3); l.Enough || l.P50 != 0 || l.P99 != 0 || l.N != 19 || l.HeldN != 3 {
		t.Errorf("summary of 19 samples is %+v", l)
	}
	h.Add(time.Millisecond)
	if l := h.Summary(0); !l.Enough || l.P50 == 0 || l.Max != time.Millisecond {
		t.Errorf("summary of 20 samples is %+v", l)
	}
}

func TestHistogramsAddUpAndSubtract(t *testing.T) {
	var a, b Histogram
	a.Add(time.Millisecond)
	before := a
	a.Add(time.Second)
	b.Merge(&a)
	b.Add(time.Second)
	if b.N() != 3 || b.Summary(0).Max != time.Second {
		t.Errorf("merged: %d samples, max %v", b.N(), b.Summary(0).Max)
	}
	since := a.Since(&before)
	if since.N() != 1 || since.Quantile(1) < 900*time.Millisecond {
		t.Errorf("since: %d samples, quantile %v", since.N(), since.Quantile(1))
	}
}

// TestBucketsAreThoseOfTheLogarithm: bounds are kept, so that no logarithm is taken for each answer.
func TestBucketsAreThoseOfTheLogarithm(t *testing.T) {
	want := func(d time.Duration) int {
		if d < bucketFloor {
			return 0
		}
		octave := bits.Len64(uint64(d/bucketFloor)) - 1
		low := float64(bucketFloor) * float64(uint64(1)<<octave)
		return min(octave*perOctave+int(math.Log2(float64(d)/low)*perOctave), BucketsCount-1)
	}
	for i := range BucketsCount {
		from, _ := BucketBounds(i)
		for d := max(from-3, 0); d <= from+3; d++ {
			if got := BucketOf(d); got != want(d) {
				t.Errorf("%d ns: bucket %d, want %d", d, got, want(d))
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		if d := time.Duration(rnd.Int64() >> rnd.IntN(63)); BucketOf(d) != want(d) {
			t.Fatalf("%d ns: bucket %d, want %d", d, BucketOf(d), want(d))
		}
	}
}
