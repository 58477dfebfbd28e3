package sim_test

import (
	"testing"

	"mqscope/engine/decision"
)

// TestNothingIsBrokenInBusyWorlds looks after each decision for what must always hold.
func TestNothingIsBrokenInBusyWorlds(t *testing.T) {
	for seed := range uint64(30) {
		cfg := busy(seed, seed%3 == 1)
		if seed%3 == 2 {
			cfg.Scheduled, cfg.Script = pullTask, nil
		}
		w := newWorld(t, cfg)
		_, err := w.Run(func(d *decision.Decision) bool {
			if broken := w.Broken(); len(broken) > 0 {
				t.Errorf("seed %d, step %d at %v, %s: %v", seed, w.Steps(), w.Since(), decision.Words(d), broken)
				return true
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
}
