package schedule

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mqscope/engine/event"
)

// TestS2RequestsOfAllQueuesStandInOneLine compares the turns with an obvious model of
// PullMessageService: one line, in which the requests of all queues stand by their due times
// and then by when they came; each leaves it for its turn and comes back when it is put back.
func TestS2RequestsOfAllQueuesStandInOneLine(t *testing.T) {
	type place struct {
		due time.Duration
		id  int32
	}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := New()
		var line []place         // in the order they came
		var out []int32          // had their turn, not back yet
		gone := map[int32]bool{} // given up
		now := time.Duration(0)
		turns, served := 0, map[int32]int{}
		step := func(e event.Event) {
			t.Helper()
			slices.SortStableFunc(line, func(a, b place) int { return cmp.Compare(a.due, b.due) })
			var want []int32
			for len(line) > 0 && line[0].due <= now {
				want, line = append(want, line[0].id), line[1:]
			}
			var got []int32
			for _, a := range s.Step(start.Add(now), e) {
				got = append(got, a.(Turn).Request.Queue.QueueID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %T at %v: turns %v, want %v", seed, e, now, got, want)
			}
			for _, id := range got {
				served[id]++
			}
			turns += len(got)
			out = append(out, got...)
		}
		const queues = 20
		for id := range int32(queues) {
			delay := time.Duration(rng.IntN(3)) * ms
			line = append(line, place{now + delay, id})
			step(assigned(id, uint64(id)+1, delay))
		}
		for range 4000 {
			switch n := rng.IntN(100); {
			case n < 30 || len(out) == 0:
				now += time.Duration(rng.IntN(3)) * ms
				step(event.Tick{})
			case n == 30 && len(gone) < queues/2: // a request of a queue that was given up dies, wherever it is
				id := int32(rng.IntN(queues))
				gone[id] = true
				line = slices.DeleteFunc(line, func(p place) bool { return p.id == id })
				out = slices.DeleteFunc(out, func(o int32) bool { return o == id })
				step(event.QueueRevoked{Queue: q(id), Epoch: uint64(id) + 1})
			default:
				i := rng.IntN(len(out))
				id := out[i]
				out = slices.Delete(out, i, i+1)
				delay := []time.Duration{0, 0, 20 * ms, 50 * ms}[rng.IntN(4)]
				line = append(line, place{now + delay, id})
				step(back(id, uint64(id)+1, 100, delay, event.CauseNone))
			}
		}
		for id := range int32(queues) {
			if !gone[id] && served[id] < turns/(2*queues) {
				t.Errorf("seed %d: queue %d had %d of %d turns", seed, id, served[id], turns)
			}
		}
		if turns < 1000 || len(gone) == 0 {
			t.Errorf("seed %d: %s", seed, fmt.Sprint(turns, " turns, given up ", len(gone)))
		}
		for id := range int32(queues) { // the end: all are given up
			line, out = nil, nil
			step(event.QueueRevoked{Queue: q(id), Epoch: uint64(id) + 1})
		}
		if at, ok := s.NextDue(); ok {
			t.Errorf("seed %d: something is due at %v after the end", seed, at)
		}
	}
}
