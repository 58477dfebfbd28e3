//go:build planted

package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"mqscope/engine/internal/plant"
	"mqscope/engine/ledger"
)

// TestTheLedgerCatchesEachPlantedBug switches bugs of other clients on, one after the other:
// within a few seeds the check that is meant for it finds each, and with none of them the
// same runs are in order.
func TestTheLedgerCatchesEachPlantedBug(t *testing.T) {
	const tries = 8
	for _, bug := range []struct {
		name    string
		plant   *bool
		orderly bool
		needs   func(*plan) // families of faults without which it does not show
		check   ledger.Check
	}{
		{"commits at the maximum", &plant.CommitAtMax, false, nil, ledger.CommitSafety},
		{"ignores the result of a send-back", &plant.IgnoreSendBack, false, func(p *plan) { p.sendBacks = true }, ledger.CommitSafety},
		{"drops the tail of a batch", &plant.DropTail, false, nil, ledger.AtLeastOnce},
		{"does not wait before it unlocks", &plant.SkipUnlockWait, true, func(p *plan) { p.leaves, p.slow = true, true }, ledger.Order},
		{"takes an offset that can not be read for 0", &plant.OffsetErrorIsZero, false, func(p *plan) { p.questions = true }, ledger.Repetition},
		{"drops its queues on an empty list", &plant.DropOnEmptyList, false, nil, ledger.Liveness},
		{"uses a buffer again too early", &plant.ReuseBufferEarly, false, nil, ledger.NothingInvented},
		{"counts cached bytes at their release", &plant.CountAtRelease, true, nil, ledger.Resource},
	} {
		t.Run(bug.name, func(t *testing.T) {
			for seed := range uint64(tries) {
				p := newPlan(seed, bug.orderly, 4000)
				if bug.needs != nil {
					bug.needs(&p)
				}
				if faults, _ := storm(t, p); len(faults) > 0 {
					t.Errorf("%v: without a bug: %v", p, faults)
				}
				*bug.plant, p.broken = true, true
				faults, report := storm(t, p)
				*bug.plant = false
				if i := slices.IndexFunc(faults, func(f ledger.Fault) bool { return f.Check == bug.check }); i >= 0 {
					t.Logf("%v: %v; checks that failed: %v", p, faults[i], checksOf(faults))
					return
				}
				t.Logf("%v: not caught, checks that failed: %v; %v", p, checksOf(faults), report)
			}
			t.Errorf("no fault of check %d, %s, in %d seeds", bug.check, bug.check, tries)
		})
	}
}

// checksOf are the different checks that faults are of.
func checksOf(faults []ledger.Fault) (list []string) {
	for _, f := range faults {
		list = append(list, fmt.Sprint(f.Check))
	}
	return slices.Compact(list)
}
