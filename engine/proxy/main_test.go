package proxy

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"mqscope/engine/apachetest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Checks wait for brokers and compute next to nothing, so more may run than there are cores.
	if err := flag.Set("test.parallel", "24"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	goleak.VerifyTestMain(apachetest.Main{M: m})
}
