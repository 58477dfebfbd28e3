package ledger_test

import (
	"fmt"
	"testing"

	"mqscope/engine/ledger"
)

// TestALedgerOfRandomRuns has members join, leave, die, and lose their network, brokers
// restart and answer badly, listeners fail, panic and take their time: whatever happens, the
// books are in order at the end.
func TestALedgerOfRandomRuns(t *testing.T) {
	for seed := range uint64(2) {
		for _, orderly := range []bool{false, true} {
			p := newPlan(seed, orderly, 20_000)
			t.Run(fmt.Sprint(p), func(t *testing.T) { keepsPromises(t, p) })
		}
	}
}

func keepsPromises(t *testing.T, p plan) ledger.Report {
	t.Helper()
	faults, report := storm(t, p)
	for _, f := range faults {
		t.Errorf("%v: %v", p, f)
	}
	t.Logf("%+v", p)
	t.Log(report)
	return report
}
