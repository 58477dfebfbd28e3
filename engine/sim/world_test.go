package sim_test

import (
	"fmt"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/sim"
	"mqscope/engine/step"
)

func newWorld(tb testing.TB, cfg sim.Config) *sim.World {
	tb.Helper()
	if cfg.Group == "" {
		cfg.Group = "billing"
	}
	if cfg.Topics == nil {
		cfg.Topics = []sim.Topic{{Name: "orders", Queues: 4, Stored: 50}}
	}
	w, err := sim.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.Close)
	return w
}

// finish runs a world to its end.
func finish(tb testing.TB, w *sim.World) {
	tb.Helper()
	if _, err := w.Run(func(*decision.Decision) bool { return false }); err != nil {
		tb.Fatal(err)
	}
}

func TestAWorldConsumesWhatIsStored(t *testing.T) {
	w := newWorld(t, sim.Config{Limit: time.Minute})
	finish(t, w)
	s := w.Snapshot()
	if s.Counters.Consumed != 200 || w.Since() != time.Minute {
		t.Errorf("%d messages of 200 were consumed in %v", s.Counters.Consumed, w.Since())
	}
	for _, q := range s.Queues {
		want := int64(50)
		if mq.IsRetryTopic(q.ID.Topic) {
			want = 0
		}
		if q.Committed.V != want || q.Task.ID == 0 {
			t.Errorf("%v: committed %d of %d, task %+v", q.ID, q.Committed.V, want, q.Task)
		}
	}
	if broken := w.Broken(); len(broken) > 0 {
		t.Errorf("broken: %v", broken)
	}
}

// busy is a world in which much happens: three members, two brokers, slow and failing handlers,
// members that come and go, changes by hand.
func busy(seed uint64, orderly bool) sim.Config {
	cfg := sim.Config{
		Seed: seed, Group: "billing", Limit: 2 * time.Minute,
		Brokers: []string{"broker-a", "broker-b"},
		Topics:  []sim.Topic{{Name: "orders", Queues: 3, Stored: 40}, {Name: "refunds", Queues: 2, Stored: 5}},
		Others:  []string{"192.0.2.11@billing-2", "192.0.2.12@billing-3"},
		Handler: func(a sim.Attempt) sim.Work {
			return sim.Work{Takes: time.Duration(1+a.Offset%5) * time.Millisecond, Fails: a.Offset%17 == 3 && a.Times < 2}
		},
	}
	cfg.Consumer.Orderly = orderly
	cfg.Script = func(w *sim.World) {
		for n := range 20 {
			w.Sleep(3 * time.Second)
			w.Send(w.Queue("orders", int32(n%3), cfg.Brokers[n%2]), 1+n%4)
			var err error
			switch n {
			case 4:
				err = w.Change(step.MemberLeaves{Name: cfg.Others[1]})
			case 8:
				err = w.Change(step.MemberJoins{Name: "192.0.2.13@billing-4"})
			case 10:
				err = w.Change(step.FailPull{Queue: w.Queue("orders", 0)})
			case 12:
				err = w.Cluster().StopBroker("broker-b")
			case 14:
				err = w.Cluster().StartBroker("broker-b")
			}
			if err != nil {
				panic(err)
			}
		}
	}
	return cfg
}

// kinds are the worlds of busy, each in another manner of consuming.
func kinds(seed uint64) sim.Config {
	cfg := busy(seed, seed%3 == 1)
	cfg.Limit = 30 * time.Second
	if seed%3 == 2 {
		cfg.Scheduled, cfg.Script = pullTask, nil
	}
	return cfg
}

// TestASeedGivesTheSameStepsAlways plays each world twice, once in one go, and once stopped at
// each decision and looked at now and then as a screen does; several at a time, as those that are
// played at once have nothing in common.
func TestASeedGivesTheSameStepsAlways(t *testing.T) {
	const lanes = 4
	hashes := make([]uint64, seeds)
	t.Run("seeds", func(t *testing.T) {
		for lane := range lanes {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				for seed := lane; seed < seeds; seed += lanes {
					hashes[seed] = playTwice(t, uint64(seed))
				}
			})
		}
	})
	different := map[uint64]bool{}
	for _, h := range hashes {
		different[h] = true
	}
	if len(different) < seeds {
		t.Errorf("%d seeds gave %d different runs", seeds, len(different))
	}
}

func playTwice(t *testing.T, seed uint64) uint64 {
	t.Helper()
	cfg := kinds(seed)
	bare := newWorld(t, cfg)
	defer bare.Close()
	finish(t, bare)
	watched := newWorld(t, cfg)
	defer watched.Close()
	for n := 1; ; n++ {
		why, err := watched.Run(func(*decision.Decision) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		if n%97 == 0 {
			watched.Snapshot()
		}
		if why != step.Stopped {
			break
		}
	}
	if bare.Hash() != watched.Hash() || bare.Steps() != watched.Steps() {
		t.Fatalf("seed %d: %d steps, hash %x; looked at, and stopped at each: %d, %x", seed, bare.Steps(), bare.Hash(), watched.Steps(), watched.Hash())
	}
	return bare.Hash()
}

// BenchmarkSteps is what one decision costs, with all that the world does for it.
func BenchmarkSteps(b *testing.B) {
	for _, orderly := range []bool{false, true} {
		b.Run(fmt.Sprintf("orderly=%t", orderly), func(b *testing.B) {
			steps := uint64(0)
			for b.Loop() {
				w := newWorld(b, busy(1, orderly))
				finish(b, w)
				steps += w.Steps()
				w.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}

func TestAScriptDrawsTheSameForASeedAndAConcern(t *testing.T) {
	draw := func(seed uint64, concern string) uint64 {
		return newWorld(t, sim.Config{Seed: seed}).Rand(concern).Uint64()
	}
	first := draw(1, "orders")
	if first != draw(1, "orders") {
		t.Error("the same seed and concern gave another number")
	}
	if first == draw(2, "orders") || first == draw(1, "visits") {
		t.Error("another seed or concern gave the same number")
	}
}

// The clock is moved on when the turn is over that stands still: what one turn decides is decided
// at one time.
func TestTheClockIsMovedOnBetweenTurns(t *testing.T) {
	w := newWorld(t, sim.Config{Limit: time.Hour})
	until := func(l *decision.Line) (at time.Time) {
		t.Helper()
		why, err := w.Run(func(d *decision.Decision) bool { at = d.At; return d.Line == l })
		if err != nil || why != step.Stopped {
			t.Fatalf("%s: %v, %v", l.ID, why, err)
		}
		return at
	}
	if err := w.Change(step.AdvanceClock{By: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if w.Since() != time.Minute {
		t.Errorf("before anything stands still it is %v", w.Since())
	}
	taken := until(decision.PullTaken)
	if err := w.Change(step.AdvanceClock{By: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if touched := until(decision.PullTouched); !touched.Equal(taken) {
		t.Errorf("a turn that began at %v goes on at %v", taken, touched)
	}
	if later := until(decision.PullAnswer); later.Sub(taken) < 10*time.Second {
		t.Errorf("the answer to the pull of %v is there at %v already", taken, later)
	}
}
