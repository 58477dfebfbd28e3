package remoting

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The slot table against a map and a linear search.
func TestCallsEqualAMap(t *testing.T) {
	type open struct {
		id       int
		deadline time.Duration
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := calls{limit: 700}
		model := map[int32]open{}
		ended := []int32{}
		told := 0
		next := 0
		finish := func(done func(Answer)) int {
			told = -1
			done(Answer{})
			return told
		}
		var now time.Duration
		for step := range 20000 {
			now += time.Duration(rng.IntN(3))
			switch k := rng.IntN(10); {
			case k < 5:
				id := next
				deadline := now + time.Duration(rng.IntN(2000))
				opaque, ok := c.add(now, deadline, func(Answer) { told = id })
				if ok != (len(model) < 700) {
					t.Fatalf("seed %d step %d: add is %v with %d calls in flight", seed, step, ok, len(model))
				}
				if !ok {
					continue
				}
				if _, used := model[opaque]; used || opaque <= 0 || opaque&slotMask == oneWaySlot {
					t.Fatalf("seed %d step %d: opaque %d", seed, step, opaque)
				}
				next++
				model[opaque] = open{id, deadline}
			case k < 8:
				opaque, want := int32(0), unknown
				switch rng.IntN(4) {
				case 0:
					opaque = rng.Int32()
					if o, ok := model[opaque]; ok {
						_ = o
						continue
					}
					if _, _, v := c.take(opaque); v == matched {
						t.Fatalf("seed %d step %d: %d matched a call", seed, step, opaque)
					}
					continue
				case 1:
					if len(ended) == 0 {
						continue
					}
					opaque, want = ended[rng.IntN(len(ended))], late
				default:
					for o := range model {
						opaque, want = o, matched
						break
					}
				}
				done, _, v := c.take(opaque)
				if v != want && !(want == unknown && v != matched) {
					t.Fatalf("seed %d step %d: %d is %v, want %v", seed, step, opaque, v, want)
				}
				if v == matched {
					if got := finish(done); got != model[opaque].id {
						t.Fatalf("seed %d step %d: call %d was told for %d", seed, step, got, model[opaque].id)
					}
					delete(model, opaque)
					ended = append(ended, opaque)
				}
			default:
				due := map[int]int32{}
				for o, m := range model {
					if m.deadline <= now {
						due[m.id] = o
					}
				}
				last := time.Duration(-1)
				for {
					done, _, ok := c.expired(now)
					if !ok {
						break
					}
					id := finish(done)
					o, isDue := due[id]
					if !isDue || model[o].deadline < last {
						t.Fatalf("seed %d step %d: call %d expired out of turn", seed, step, id)
					}
					last = model[o].deadline
					delete(due, id)
					delete(model, o)
					ended = append(ended, o)
				}
				if len(due) > 0 {
					t.Fatalf("seed %d step %d: %d calls did not expire", seed, step, len(due))
				}
			}
			if len(c.heap) != len(model) {
				t.Fatalf("seed %d step %d: %d in flight, want %d", seed, step, len(c.heap), len(model))
			}
		}
	}
}

func TestSlotIsUsedAgainOnlyAfterAllOthers(t *testing.T) {
	c := calls{limit: maxCalls}
	seen := map[int32]bool{}
	for range firstSlots {
		opaque, _ := c.add(0, 1, func(Answer) {})
		c.take(opaque)
		if seen[opaque&slotMask] {
			t.Fatalf("slot %d came back early", opaque&slotMask)
		}
		seen[opaque&slotMask] = true
	}
}

func TestGenerationStartsAgainAfterItsLast(t *testing.T) {
	c := calls{limit: 1}
	for n := range maxGeneration*firstSlots + 10 {
		opaque, ok := c.add(0, 1, func(Answer) {})
		if !ok || opaque < 1<<slotBits {
			t.Fatalf("call %d has opaque %d, %v", n, opaque, ok)
		}
		if _, _, v := c.take(opaque); v != matched {
			t.Fatalf("call %d: %v", n, v)
		}
	}
}

func TestCallsFillTheTable(t *testing.T) {
	c := calls{limit: maxCalls}
	for n := range maxCalls {
		opaque, ok := c.add(0, time.Duration(maxCalls-n), func(Answer) {})
		if !ok || opaque&slotMask == oneWaySlot {
			t.Fatalf("call %d has opaque %d, %v", n, opaque, ok)
		}
	}
	if _, ok := c.add(0, 1, func(Answer) {}); ok {
		t.Error("one more was taken")
	}
}
