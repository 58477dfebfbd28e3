package ledger_test

import (
	"fmt"
	"testing"

	"mqscope/engine/ledger"
)

// TestALedgerOfRandomRuns has members join, leave, die, and lose their network, brokers
// restart and answer badly, listeners fail, panic and take their time: whatever happens, the
// books are in order at the end, and not much more comes again than it did before.
func TestALedgerOfRandomRuns(t *testing.T) {
	for _, mode := range []struct {
		orderly  bool
		repeated int64 // by all seeds together, as seen at most
	}{{false, 105_000}, {true, 1_750}} {
		repeated := int64(0)
		for seed := range uint64(2) {
			p := newPlan(seed, mode.orderly, 20_000)
			t.Run(fmt.Sprint(p), func(t *testing.T) { repeated += keepsPromises(t, p).Repeated })
		}
		if repeated > 2*mode.repeated {
			t.Errorf("orderly %t: %d messages came again, over twice the %d seen before", mode.orderly, repeated, mode.repeated)
		}
	}
}

// keepsPromises runs a plan, which is named when it fails.
func keepsPromises(t *testing.T, p plan) ledger.Report {
	t.Helper()
	faults, report := storm(t, p)
	for _, f := range faults {
		t.Errorf("%v: %v", p, f)
	}
	t.Log(report)
	return report
}
