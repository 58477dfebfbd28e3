package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/conformance"
	"mqscope/engine/protocol"
)

// slack is for a machine that has other things to do.
const slack = 2 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	// Checks wait for brokers and compute next to nothing, so more may run than there are cores.
	if err := flag.Set("test.parallel", "24"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(apachetest.Main{M: m}.Run())
}

// TestApache runs the checks on a broker of Apache's with default settings and small files. The
// few that wait for more than a minute are left to TestRealBroker.
func TestApache(t *testing.T) {
	c := apachetest.Start(t, apachetest.Options{BrokerConf: []string{"enablePropertyFilter=false"}})
	run := func(t *testing.T, check conformance.Check) {
		onReal(t, check, c.NameServer, func(e *conformance.Env) {
			e.Slack = slack
			e.EnableSQL = func() { set(e, c, "enablePropertyFilter=true") }
			e.Expire = func(_ string, _ int32, _ int64) { expireAll(e, c) }
		})
	}
	t.Run("together", func(t *testing.T) {
		for _, check := range conformance.Checks() {
			if check.Alone() || check.Long() {
				continue
			}
			t.Run(check.ID+" "+check.Name, func(t *testing.T) {
				t.Parallel()
				run(t, check)
			})
		}
	})
	for _, check := range conformance.Checks() {
		if check.Alone() {
			t.Run(check.ID+" "+check.Name, func(t *testing.T) { run(t, check) })
		}
	}
}

// expireAll has the broker lose all messages that it has: they are pushed out of the file that
// is written to, and files that are not are deleted, ten seconds later and not in the broker's
// first minute.
func expireAll(e *conformance.Env, c *apachetest.Cluster) {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.Context(), 2*time.Minute)
	defer cancel()
	const fileBytes = 16 << 20 // mappedFileSizeCommitLog of testdata/apache/broker.conf
	const size = 4000          // larger ones are compressed
	if _, err := c.Produce(ctx, apachetest.Load{Topic: "conformance_filler", Count: fileBytes/size + 200, Size: size, Batch: 200, Queues: 1}); err != nil {
		e.Fatalf("fill a file: %v", err)
	}
	set(e, c, "fileReservedTime=0")
	e.Client().Want(0, c.Broker, protocol.DeleteExpiredCommitLog, nil, nil)
}

// set changes a setting of the broker.
func set(e *conformance.Env, c *apachetest.Cluster, line string) {
	e.Helper()
	e.Client().Want(0, c.Broker, protocol.UpdateBrokerConfig, nil, []byte(line))
}

// onReal runs a check on a cluster of real servers.
func onReal(t *testing.T, check conformance.Check, nameServer string, change ...func(*conformance.Env)) {
	e := &conformance.Env{
		TB: t, NameServer: nameServer, Dial: new(net.Dialer).DialContext, Start: start(t),
		Unique: fmt.Sprintf("%s_%x", check.ID, time.Now().Unix()),
	}
	for _, fn := range change {
		fn(e)
	}
	check.Run(e)
}
