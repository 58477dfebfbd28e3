package snapshot

import "time"

// Classes of round trips in a heat map: below 5, 20, 100 and 500 ms, and above.
const HeatClasses = 5

// HeatClass is the class of one round trip.
func HeatClass(d time.Duration) int {
	for i, limit := range [...]time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond} {
		if d < limit {
			return i
		}
	}
	return HeatClasses - 1
}

// Slot is what pulls did in one stretch of time.
type Slot struct {
	Heat        [HeatClasses]uint32 // answers by class of round trip, holds left out
	Held        uint32              // answers that the broker held back to wait for messages
	HeldTime    time.Duration       // the longest of them
	P50, P99    time.Duration       // 0 below 20 answers
	Max         time.Duration
	Timeouts    uint32
	Exceptions  uint32
	FlowControl uint32 // refusals with FLOW_CONTROL (215) or SYSTEM_BUSY (2)
}

// N is how many answers are in the heat classes.
func (s Slot) N() uint32 {
	var n uint32
	for _, c := range s.Heat {
		n += c
	}
	return n
}

// Series is the pulls of one broker or queue over the last ten minutes.
type Series struct {
	Step  time.Duration // of one slot, 10 s
	Until time.Time     // end of the last slot, which is still being filled
	Slots []Slot        // newest last, at most 60
	Total Latency       // of all slots
	// Buckets are the answers of all slots by log bucket (see BucketBounds); nil when not kept.
	Buckets []uint32
	WorstAt time.Time // when Total.Max was
}
