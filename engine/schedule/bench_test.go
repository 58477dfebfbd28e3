package schedule

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// BenchmarkRound is one pull seen from here, its sending and its coming back, while 4,095
// other requests are held by their brokers.
func BenchmarkRound(b *testing.B) {
	s, now := New(), start
	for id := range int32(4096) {
		s.Step(now, assigned(id, uint64(id)+1, 0))
		s.Step(now, sent(id, uint64(id)+1))
	}
	s.Step(now.Add(time.Second), event.Tick{})
	var names [4096]mq.MessageQueue
	for id := range names {
		names[id] = q(int32(id))
	}
	b.ReportAllocs()
	id := 0
	for b.Loop() {
		now = now.Add(time.Microsecond)
		epoch := uint64(id) + 1
		s.Step(now, event.PutBack{Queue: names[id], Epoch: epoch, Next: 200})
		s.Step(now, event.PullSent{Queue: names[id], Epoch: epoch, Hold: 15 * time.Second})
		id = (id + 1) % len(names)
	}
}

// BenchmarkWakeBroker wakes the half of 4,096 delayed requests that wait for one broker.
func BenchmarkWakeBroker(b *testing.B) {
	s, now := New(), start
	for id := range int32(4096) {
		s.Step(now, assigned(id, uint64(id)+1, 0))
		s.Step(now, back(id, uint64(id)+1, 100, time.Hour, event.CauseException))
	}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Microsecond)
		for _, a := range s.Step(now, event.Woken{BrokerName: "b1"}) {
			r := a.(Turn).Request
			s.Step(now, event.PutBack{Queue: r.Queue, Epoch: r.Epoch, Next: 100, Delay: time.Hour})
		}
	}
}
