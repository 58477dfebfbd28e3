package mq

import (
	"math/rand/v2"
	"testing"
)

func TestLastIsWhatTheMapHas(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	m, last := map[MessageQueue]*int{}, Last[*int]{}
	some := func() MessageQueue {
		return MessageQueue{Topic: string(rune('a' + rnd.IntN(2))), BrokerName: "b", QueueID: int32(rnd.IntN(3))}
	}
	for range 10_000 {
		q := some()
		switch rnd.IntN(8) {
		case 0:
			m[q] = new(int)
			last.Forget()
		case 1:
			delete(m, q)
			last.Forget()
		}
		for range rnd.IntN(3) + 1 {
			want, there := m[q]
			if got, ok := last.Of(m, q); got != want || ok != there {
				t.Fatalf("%v: %p, %v, want %p, %v", q, got, ok, want, there)
			}
		}
	}
}
