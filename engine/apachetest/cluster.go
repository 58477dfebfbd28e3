package apachetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	startPatience = 2 * time.Minute  // a broker on a busy two-core machine
	stopPatience  = 60 * time.Second // a broker may need 40 s after SIGTERM
)

// Options are what a cluster is started with; the zero value is testdata/apache/broker.conf.
type Options struct {
	BrokerConf []string // more lines of broker.conf, "name=value"; they win
}

// Cluster is a running name server and broker. Its methods may be called from several
// goroutines, except StartBroker, StopBroker and KillBroker: these are for a test that no
// other one runs beside.
type Cluster struct {
	NameServer  string // address
	Broker      string // address
	BrokerName  string // "broker-a"
	ClusterName string // "DefaultCluster"
	Folder      string // holds stores, configuration and logs; gone after the tests

	script string
	names  *process
	broker *process // nil while stopped

	mu      sync.Mutex
	members []*JavaConsumer
	further []*FurtherBroker
}

// shared is the cluster of this test binary. It is a package variable because TestMain and
// the tests it runs have no other place in common. Its lock is held over a start on
// purpose: whoever comes meanwhile waits for that one.
var shared struct {
	sync.Mutex
	on      bool // Main is running
	cluster *Cluster
	err     error
	opts    Options
}

// Main runs a package's tests and ends the cluster they shared. It is itself what
// goleak.VerifyTestMain takes.
type Main struct {
	M interface{ Run() int }
}

// Run runs the tests and returns their exit code.
func (m Main) Run() int {
	shared.Lock()
	shared.on = true
	shared.Unlock()
	code := m.M.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster != nil {
		shared.cluster.end()
	}
	shared.on, shared.cluster, shared.err = false, nil, nil
	return code
}

// Start returns a running cluster, or skips or fails the test as doc.go says. Under Main it
// is the one cluster of the test binary, so topics and groups need names of their own, and
// every Start must ask for the same Options.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.on {
		c, err := start(t.Context(), o)
		if err != nil {
			give(t, err)
		}
		t.Cleanup(c.end)
		return c
	}
	if shared.cluster == nil && shared.err == nil {
		shared.opts = o
		shared.cluster, shared.err = start(t.Context(), o)
	}
	if shared.err != nil {
		give(t, shared.err)
	}
	if !slices.Equal(shared.opts.BrokerConf, o.BrokerConf) {
		t.Fatalf("the shared cluster was started with %q, not %q: use one set of options in a package", shared.opts.BrokerConf, o.BrokerConf)
	}
	return shared.cluster
}

// Open returns a running cluster to a program that is no test, and fetches the jars first if
// they are missing; what the environment says of tests does not count. Close ends it.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	script, _, err := resolved(ctx, true)
	if err != nil {
		return nil, err
	}
	return startAnywhere(ctx, script, o)
}

// Close ends a cluster that Open returned, at once, and removes its folder.
func (c *Cluster) Close() { c.end() }

// Jars returns the folder with Apache's jars in lib and the programs around them in classes,
// for a program that is no test; it fetches them first if they are missing.
func Jars(ctx context.Context) (string, error) {
	_, dir, err := resolved(ctx, true)
	return dir, err
}

func start(ctx context.Context, o Options) (*Cluster, error) {
	script, err := ready(ctx)
	if err != nil {
		return nil, err
	}
	return startAnywhere(ctx, script, o)
}

// startAnywhere tries three sets of ports: another program may take one between choice and
// use.
func startAnywhere(ctx context.Context, script string, o Options) (c *Cluster, err error) {
	for range 3 {
		if c, err = startOnce(ctx, script, o); err == nil {
			return c, nil
		}
		if !errors.Is(err, errEnded) {
			break
		}
	}
	return nil, err
}

func startOnce(ctx context.Context, script string, o Options) (*Cluster, error) {
	folder, err := os.MkdirTemp("", "mqscope-apache-")
	if err != nil {
		return nil, err
	}
	port, err := freePorts()
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		NameServer: local(port + 5), Broker: local(port), BrokerName: "broker-a", ClusterName: "DefaultCluster",
		Folder: folder, script: script,
	}
	if err := c.startBoth(ctx, port, o); err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) startBoth(ctx context.Context, port int, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	names, err := c.spawn("namesrv", strconv.Itoa(port+5))
	if err != nil {
		return err
	}
	c.names = names
	err = c.until(ctx, names, func(ctx context.Context) error {
		_, err := ask(ctx, c.NameServer, getBrokerClusterInfo, nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("start the name server: %w", err)
	}
	return c.startBroker(ctx, append([]string{strconv.Itoa(port), c.NameServer}, o.BrokerConf...)...)
}

// StartBroker starts the broker again on the data it had, and returns when it answers and
// its route is at the name server. It does nothing while the broker runs.
func (c *Cluster) StartBroker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	// Its configuration file is there already, with ports and options.
	return c.startBroker(ctx, "-", "-")
}

func (c *Cluster) startBroker(ctx context.Context, args ...string) error {
	if c.broker != nil {
		return nil
	}
	broker, err := c.spawn("broker", args...)
	if err != nil {
		return err
	}
	c.broker = broker
	return c.answers(ctx, broker, c.Broker)
}

// answers returns when a broker that was started answers and is known to the name server.
func (c *Cluster) answers(ctx context.Context, broker *process, addr string) error {
	err := c.until(ctx, broker, func(ctx context.Context) error {
		if _, err := ask(ctx, addr, getBrokerRuntimeInfo, nil); err != nil {
			return err
		}
		return c.hasRoute(ctx, addr, getBrokerClusterInfo, nil)
	})
	if err != nil {
		return fmt.Errorf("start the broker at %s: %w", addr, err)
	}
	return nil
}

// KillBroker ends the broker at once, as by kill -9. Its data stays.
func (c *Cluster) KillBroker() error {
	if c.broker == nil {
		return nil
	}
	err := c.broker.kill()
	c.broker = nil
	return err
}

// StopBroker ends the broker by SIGTERM and returns when it has ended, 5 to 40 s later.
func (c *Cluster) StopBroker(ctx context.Context) error {
	if c.broker == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	err := c.broker.stop(ctx)
	c.broker = nil
	return err
}

// BrokerLog returns what broker and name server wrote, for a failing test's report.
func (c *Cluster) BrokerLog() string {
	return tail(filepath.Join(c.Folder, "broker.out")) + tail(filepath.Join(c.Folder, "broker", "broker.log"))
}

// end kills everything and removes the folder.
func (c *Cluster) end() {
	c.mu.Lock()
	members, further := c.members, c.further
	c.members, c.further = nil, nil
	c.mu.Unlock()
	for _, m := range members {
		m.Kill()
	}
	for _, b := range further {
		_ = b.Kill() // it may have ended by itself
	}
	for _, p := range []*process{c.broker, c.names} {
		if p != nil {
			_ = p.kill() // it may have ended by itself
		}
	}
	c.broker, c.names = nil, nil
	if os.Getenv(envKeep) == "1" {
		fmt.Fprintln(os.Stderr, "apachetest: kept", c.Folder)
		return
	}
	_ = os.RemoveAll(c.Folder)
}
