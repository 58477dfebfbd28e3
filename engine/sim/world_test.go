package sim_test

import (
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/sim"
)

func world(t *testing.T, cfg sim.Config) *sim.World {
	t.Helper()
	if cfg.Group == "" {
		cfg.Group = "billing"
	}
	if cfg.Topics == nil {
		cfg.Topics = []sim.Topic{{Name: "orders", Queues: 4, Stored: 50}}
	}
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestAWorldConsumesWhatIsStored(t *testing.T) {
	w := world(t, sim.Config{Limit: time.Minute})
	n := 0
	why, err := w.Run(func(d *decision.Decision) bool {
		n++
		if n < 60 {
			t.Log(d.At.Sub(sim.Start()), decision.Words(d))
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	s := w.Snapshot()
	t.Log(why, w.Steps(), w.Since(), s.Counters)
	for _, q := range s.Queues {
		t.Log(q.ID, q.State, q.Committed, q.Next, q.Task)
	}
	for _, e := range s.Events.Entries {
		t.Log(e)
	}
	t.Fail()
}
