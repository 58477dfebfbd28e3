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
)

// slack is for a machine that has other things to do.
const slack = 2 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	// Checks wait for brokers and compute next to nothing, so all may run at once.
	if err := flag.Set("test.parallel", "100"); err != nil {
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
			e.Expire = func(_ string, _ int32, _ int64) { expireAll(t, c) }
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
func expireAll(t *testing.T, c *apachetest.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const fileBytes = 16 << 20 // mappedFileSizeCommitLog of testdata/apache/broker.conf
	const size = 4000          // larger ones are compressed
	if _, err := c.Produce(ctx, apachetest.Load{Topic: "conformance_filler", Count: fileBytes/size + 200, Size: size, Batch: 200, Queues: 1}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"updateBrokerConfig", "-b", c.Broker, "-k", "fileReservedTime", "-v", "0"},
		{"deleteExpiredCommitLog", "-b", c.Broker},
	} {
		if _, err := c.Admin(ctx, args...); err != nil {
			t.Fatal(err)
		}
	}
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
