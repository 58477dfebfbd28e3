package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// Timeouts of calls that differ from Config.CallTimeout (Java: RemoteBrokerOffsetStore,
// MQAdminImpl, DefaultMQPushConsumerImpl.sendMessageBack).
const (
	offsetTimeout   = 5 * time.Second
	adminTimeout    = 6 * time.Second
	sendBackTimeout = 5 * time.Second
	sendTimeout     = 3 * time.Second
)

// Config is how an Instance finds its cluster. Zero fields but NameServers and ClientID have
// defaults.
type Config struct {
	NameServers []string // host:port each, at least one
	ClientID    string   // unique among all clients of the cluster; see ClientID
	UnitName    string   // put behind ClientID, as in "ip@instance@unit"; may be empty

	// VIPChannel sends what is no pull, heartbeat or goodbye to the second port of brokers,
	// two below the first, where pulls do not hold it up (Java: vipChannelEnabled, off by
	// default as there).
	VIPChannel bool

	// Dial opens connections, default net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Connect makes the network that requests go over, default remoting.NewClient.
	Connect func(remoting.ClientConfig) Network

	Clock  clock.Clock  // default clock.System
	Rand   *rand.Rand   // chooses servers, brokers and queues; default a random seed
	Log    *slog.Logger // default discards
	Limits remoting.Limits
	// Decisions is told what is decided; default one that nobody watches, see WatchDecisions.
	Decisions *decision.Recorder
	// RPCHooks see each request and its answer (Java: the RPCHook that consumers are made with).
	RPCHooks []remoting.RPCHook
	// Route bounds what a name server may say, and where it may send us.
	Route route.Limits

	RouteInterval     time.Duration // between route refreshes, default 30 s: pollNameServerInterval
	HeartbeatInterval time.Duration // default 30 s: heartbeatBrokerInterval
	CallTimeout       time.Duration // of calls that have no timeout of their own, default 3 s: mqClientApiTimeout
}

// withDefaults checks c and returns it with normal addresses and without zeros. The error
// joins all faults.
func (c Config) withDefaults() (Config, error) {
	var errs []error
	servers, err := normalServers(c.NameServers)
	if err != nil {
		errs = append(errs, err)
	}
	c.NameServers = servers
	if strings.TrimSpace(c.ClientID) == "" {
		errs = append(errs, errors.New("client id is blank: make one with client.ClientID"))
	}
	if unit := strings.TrimSpace(c.UnitName); unit != "" {
		c.ClientID, c.UnitName = c.ClientID+"@"+unit, ""
	}
	for _, d := range []struct {
		name string
		v    *time.Duration
		def  time.Duration
	}{
		{"route interval", &c.RouteInterval, 30 * time.Second},
		{"heartbeat interval", &c.HeartbeatInterval, 30 * time.Second},
		{"call timeout", &c.CallTimeout, 3 * time.Second},
	} {
		if *d.v < 0 {
			errs = append(errs, fmt.Errorf("%s is %v: it must be above 0", d.name, *d.v))
		}
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.Decisions == nil {
		c.Decisions = decision.NewRecorder(c.ClientID, c.Clock.Now)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(errs...)
}

// normalServers checks a name server list and drops repetitions.
func normalServers(list []string) ([]string, error) {
	if len(list) == 0 {
		return nil, errors.New("no name server given: give host:port, the port is 9876 unless changed")
	}
	var out []string
	var errs []error
	seen := map[string]bool{}
	for _, addr := range list {
		normal, err := route.NormalAddr(strings.TrimSpace(addr))
		if err != nil {
			errs = append(errs, fmt.Errorf("name server %q: %w; write host:port, the port is 9876 unless changed", addr, err))
			continue
		}
		if !seen[normal] {
			seen[normal] = true
			out = append(out, normal)
		}
	}
	return out, errors.Join(errs...)
}

// ParseNameServers splits a list as it stands in NAMESRV_ADDR: host:port;host:port. Commas
// and blanks separate too. Of an endpoint URL (http://…/host:port) the part behind the last
// slash counts (Java: NameServerAddressUtils).
func ParseNameServers(text string) ([]string, error) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ',' || r == ' ' })
	for i, p := range parts {
		if strings.HasPrefix(p, "http://") || strings.HasPrefix(p, "https://") {
			parts[i] = p[strings.LastIndexByte(p, '/')+1:]
		}
	}
	return normalServers(parts)
}

// ClientID is the id of a client: ip@instance, then @unit when there is one; an IPv6 address
// stands in brackets (Java: ClientConfig.buildMQClientId). instance should differ between
// processes of one host, as pid#start-time does, unless broadcasting offsets are to be found
// again after a restart.
func ClientID(ip, instance, unit string) string {
	if addr, err := netip.ParseAddr(ip); err == nil && addr.Is6() && !addr.Is4In6() {
		ip = "[" + ip + "]"
	}
	id := ip + "@" + instance
	if strings.TrimSpace(unit) != "" {
		id += "@" + unit
	}
	return id
}
