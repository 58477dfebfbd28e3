package conformance_test

import (
	"context"
	"os"
	"testing"
	"testing/synctest"

	"mqscope/engine/conformance"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/remoting"
)

// start runs a client for a check.
func start(t *testing.T) func(cfg remoting.ClientConfig) (*remoting.Client, func()) {
	return func(cfg remoting.ClientConfig) (*remoting.Client, func()) {
		c := remoting.NewClient(cfg)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := c.Run(ctx); err != nil {
				t.Errorf("client: %v", err)
			}
		}()
		return c, func() { cancel(); <-ended }
	}
}

// TestEmbedded runs each check on a fresh cluster of its own, in virtual time.
func TestEmbedded(t *testing.T) {
	for _, check := range conformance.Checks() {
		t.Run(check.ID+" "+check.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { onEmbedded(t, check) })
		})
	}
}

func onEmbedded(t *testing.T, check conformance.Check) {
	network := memnet.New()
	cluster, err := embedded.New(embedded.Config{
		Listen: network.Listen, NameServerAddr: "127.0.0.1:9876", BrokerAddrs: []string{"127.0.0.1:10911"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- cluster.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-cluster.Ready()
	check.Run(&conformance.Env{
		TB: t, NameServer: cluster.NameServerAddr(), Dial: network.Dial, Start: start(t), Unique: check.ID,
		Expire: func(topic string, queue int32, offset int64) {
			cluster.Inspect(func(s *embedded.State) {
				for _, b := range s.Brokers() {
					b.Trim(topic, queue, offset)
				}
			})
		},
	})
}

// TestRealBroker runs the checks on the cluster whose name server MQSCOPE_NAMESRV names. Its
// broker needs default settings and brokerIP1 within reach; its topics and groups stay.
func TestRealBroker(t *testing.T) {
	nameServer := os.Getenv("MQSCOPE_NAMESRV")
	if nameServer == "" {
		t.Log("no real broker was checked: set MQSCOPE_NAMESRV to the host:port of a name server")
		return
	}
	for _, check := range conformance.Checks() {
		t.Run(check.ID+" "+check.Name, func(t *testing.T) {
			t.Parallel()
			onReal(t, check, nameServer)
		})
	}
}
