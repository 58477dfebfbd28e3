package ledger_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestALedgerOfAMillionMessages is one long storm in each mode, with all that may go wrong.
// MQSCOPE_LEDGER is the number of messages of each; without it the test is left out, as it
// takes its time.
func TestALedgerOfAMillionMessages(t *testing.T) {
	text := os.Getenv("MQSCOPE_LEDGER")
	if text == "" {
		t.Skip("MQSCOPE_LEDGER is not set: give it the number of messages, for example 1000000")
	}
	messages, err := strconv.Atoi(text)
	if err != nil || messages < 1000 {
		t.Fatalf("MQSCOPE_LEDGER is %q: give it a number of messages, at least 1000", text)
	}
	for _, orderly := range []bool{false, true} {
		p := newPlan(1, orderly, messages)
		p.storm = 6 * time.Minute
		for _, on := range p.families() {
			*on = true
		}
		t.Run(fmt.Sprint(p), func(t *testing.T) { keepsPromises(t, p) })
	}
}
