package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Defaults of Config, and limits on it.
const (
	DefaultClusterName = "DefaultCluster"
	DefaultBrokerName  = "broker-a"
	DefaultAddr        = "127.0.0.1:0"

	maxBrokers = 64
	maxQueues  = 4096 // per topic
)

// Config describes a cluster. A field's zero means its default.
type Config struct {
	ClusterName string   // default DefaultClusterName
	Brokers     []string // names; default one, DefaultBrokerName

	// NameServerAddr and BrokerAddrs (one for each broker, in their order) are where to
	// listen, host:port; port 0 picks a free one. Default DefaultAddr. Without Listen only
	// loopback addresses are allowed unless AllowRemote is set: nothing here is protected.
	NameServerAddr string
	BrokerAddrs    []string
	AllowRemote    bool

	Listen func(ctx context.Context, network, addr string) (net.Listener, error) // default TCP
	Clock  clock.Clock                                                           // default clock.System
	Rand   *rand.Rand                                                            // chooses queues; default a fixed seed
	Log    *slog.Logger                                                          // default none

	QueuesPerTopic int // of topics made by CreateTopic with 0 queues, 1 to 4096, default 4

	// MaxBytes bounds the memory of stored messages and their indexes, all queues of all
	// brokers together, split evenly among brokers. Beyond it the oldest messages are
	// dropped, counted and told to OnNotice. At least 1 MiB per broker, default 256 MiB.
	MaxBytes int64
	// DelayLevels are the delays of level 1, 2, …: default protocol.DefaultDelayLevels.
	DelayLevels string
	// PullBatchMessages and PullBatchBytes bound one pull answer. Defaults 32 and 256 KiB,
	// which are a broker's for messages in memory.
	PullBatchMessages int
	PullBatchBytes    int
	// PullHoldTick is how often held pulls are looked at without an arrival: default 5 s.
	PullHoldTick time.Duration
	// NoAutoCreateTopic and NoAutoCreateGroup switch off what brokers do by default.
	NoAutoCreateTopic bool
	NoAutoCreateGroup bool
	// NoLongPolling makes brokers hold pulls for one second and not wake them on arrivals.
	NoLongPolling bool
	// ResetByClients makes brokers have members reset the offsets of their group, as those
	// before 5.2.0 did, instead of doing so themselves (Java: useServerSideResetOffset=false).
	ResetByClients bool

	// NoServerLoadBalancing makes brokers give every member all queues when they are asked to
	// allot them (Java: serverLoadBalancerEnable=false).
	NoServerLoadBalancing bool

	// OnNotice is told what an operator should know. It runs on the loop: it must not block
	// and must not call the cluster.
	OnNotice func(Notice)
}

// NoticeKind says what a Notice is about.
type NoticeKind uint8

const (
	// MessagesDropped: the oldest messages went to keep Config.MaxBytes.
	MessagesDropped NoticeKind = iota
	// BrokerStopped and BrokerStarted: by StopBroker and StartBroker.
	BrokerStopped
	BrokerStarted
)

// Notice tells an operator of something that happened inside the cluster.
type Notice struct {
	Kind   NoticeKind
	At     time.Time
	Broker string
	// Queue, From and To are set for MessagesDropped: offsets From up to, not including, To.
	Queue    mq.MessageQueue
	From, To int64
}

// Messages is how many messages a notice is about.
func (n Notice) Messages() int64 { return n.To - n.From }

// withDefaults returns c completed and its delay levels, or all faults joined.
func (c Config) withDefaults() (Config, []time.Duration, error) {
	var faults []error
	fault := func(field string, value any, want string) {
		faults = append(faults, fmt.Errorf("%s is %v: %s", field, value, want))
	}
	setText(&c.ClusterName, DefaultClusterName)
	setText(&c.NameServerAddr, DefaultAddr)
	setText(&c.DelayLevels, protocol.DefaultDelayLevels)
	if len(c.Brokers) == 0 {
		c.Brokers = []string{DefaultBrokerName}
	}
	if len(c.Brokers) > maxBrokers {
		fault("Brokers", len(c.Brokers), fmt.Sprintf("at most %d", maxBrokers))
	}
	if len(c.BrokerAddrs) == 0 {
		for range c.Brokers {
			c.BrokerAddrs = append(c.BrokerAddrs, DefaultAddr)
		}
	}
	if len(c.BrokerAddrs) != len(c.Brokers) {
		fault("BrokerAddrs", len(c.BrokerAddrs), fmt.Sprintf("one for each of the %d brokers", len(c.Brokers)))
	}
	seen := map[string]bool{}
	for _, name := range append([]string{c.ClusterName}, c.Brokers...) {
		if err := mq.ValidateTopic(name); err != nil {
			faults = append(faults, fmt.Errorf("cluster and broker names: %w", err))
		}
		if seen[name] {
			fault("Brokers", name, "give each broker and the cluster a name of its own")
		}
		seen[name] = true
	}
	if c.Listen == nil {
		for _, addr := range append([]string{c.NameServerAddr}, c.BrokerAddrs...) {
			if err := checkLocal(addr, c.AllowRemote); err != nil {
				faults = append(faults, err)
			}
		}
		c.Listen = func(ctx context.Context, network, addr string) (net.Listener, error) {
			return new(net.ListenConfig).Listen(ctx, network, addr)
		}
	}
	setInt(&c.QueuesPerTopic, 4, 1, maxQueues, "QueuesPerTopic", fault)
	setInt(&c.PullBatchMessages, store.DefaultReadCount, 1, 1<<20, "PullBatchMessages", fault)
	setInt(&c.PullBatchBytes, store.DefaultReadBytes, 1, 8<<20, "PullBatchBytes", fault)
	if c.MaxBytes == 0 {
		c.MaxBytes = store.DefaultMaxBytes
	}
	if least := int64(len(c.Brokers)) * store.LeastMaxBytes; c.MaxBytes < least {
		fault("MaxBytes", c.MaxBytes, fmt.Sprintf("at least %d, 1 MiB per broker", least))
	}
	if c.PullHoldTick == 0 {
		c.PullHoldTick = 5 * time.Second
	}
	if c.PullHoldTick < time.Millisecond {
		fault("PullHoldTick", c.PullHoldTick, "at least 1ms")
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(1, 1))
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	levels, err := protocol.ParseDelayLevels(c.DelayLevels)
	if err != nil {
		faults = append(faults, err)
	}
	return c, levels, errors.Join(faults...)
}

func setText(p *string, value string) {
	if *p == "" {
		*p = value
	}
}

func setInt(p *int, value, least, most int, name string, fault func(string, any, string)) {
	if *p == 0 {
		*p = value
	}
	if *p < least || *p > most {
		fault(name, *p, fmt.Sprintf("from %d to %d", least, most))
	}
}

// checkLocal refuses addresses that other machines can reach: the cluster has no access
// control.
func checkLocal(addr string, allowRemote bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w: write host:port", addr, err)
	}
	ip := net.ParseIP(host)
	if allowRemote && (host == "" || ip != nil && ip.IsUnspecified()) {
		return fmt.Errorf("address %s names no interface: give the one address that clients can reach", addr)
	}
	if allowRemote || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("address %s is not a loopback address: other machines could read and write everything; set AllowRemote if that is meant", addr)
}
