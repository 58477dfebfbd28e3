package sim_test

import (
	"testing"
	"time"

	"mqscope/engine/sim"
	"mqscope/engine/step"
)

// BenchmarkBack100000 goes 100,000 decisions back in a whole world, from somewhere else each time:
// at most 50 ms are allowed. The checkpoints are made before, as while a person looks.
func BenchmarkBack100000(b *testing.B) {
	cfg := sim.Config{
		Seed: 1, Group: "billing", Topics: []sim.Topic{{Name: "orders", Queues: 4}}, Limit: 24 * 365 * time.Hour,
		Script: func(w *sim.World) {
			for n := int32(0); ; n++ {
				w.Sleep(100 * time.Millisecond)
				w.Send(w.Queue("orders", n%4), 3)
			}
		},
	}
	s, err := step.New(func() (step.World, error) { return sim.New(cfg) })
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ms := 0.0
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		if err := s.Goto(200_000 + uint64(i)*7919%50_000); err != nil {
			b.Fatal(err)
		}
		for more := true; more; {
			if more, err = s.Tend(10_000); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		began := time.Now()
		if err := s.Back(100_000); err != nil {
			b.Fatal(err)
		}
		ms = max(ms, float64(time.Since(began).Microseconds())/1000)
	}
	b.ReportMetric(ms, "ms/slowest")
}

// BenchmarkHour is an hour of three members that have nothing to consume: rebalances, heartbeats,
// routes, held pulls.
func BenchmarkHour(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, sim.Config{
			Seed: 1, Topics: []sim.Topic{{Name: "orders", Queues: 8}}, Limit: time.Hour,
			Others: []string{"192.0.2.11@billing-2", "192.0.2.12@billing-3"},
		})
		finish(b, w)
		b.ReportMetric(float64(w.Steps()), "steps")
		w.Close()
	}
}
