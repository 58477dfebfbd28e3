package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/clock"
)

// Sink gets what is concluded from the traffic, on the observer's goroutine, in order. While it
// does not return, nothing is watched; nobody waits for it else.
type Sink interface{ Add(infer.Event) }

// Config says what a Proxy does. A field's zero means its default.
type Config struct {
	// NameServers are the real ones, host:port, in the order in which they are tried.
	NameServers []string
	// Listen is where clients find their name server, host:port; port 0 picks a free one. Brokers
	// are listened for on the same host. Default 127.0.0.1:9876.
	Listen string
	// Advertise is the host that clients are told to find brokers at. Default the one at which
	// the client has found the name server.
	Advertise string
	// FirstPort is where ports for brokers are looked for, upwards; 0 takes what the system gives.
	FirstPort int
	// Sink gets the events; without one nothing is watched.
	Sink Sink
	// QueueBytes is how much may wait for the observer. Default 32 MiB.
	QueueBytes int
	// OnNotice is told what the person who runs the proxy should know. It must not block.
	OnNotice func(Notice)

	Dial       func(ctx context.Context, network, addr string) (net.Conn, error)     // default TCP
	ListenFunc func(ctx context.Context, network, addr string) (net.Listener, error) // default TCP
	Clock      clock.Clock                                                           // default clock.System
	Log        *slog.Logger                                                          // default none
}

// NoticeKind sorts notices.
type NoticeKind string

// Kinds of notices.
const (
	BrokerFound   NoticeKind = "broker"      // an address of a broker was named first; clients are told another
	Unreachable   NoticeKind = "unreachable" // a server can not be reached
	PassedBlindly NoticeKind = "blind"       // a connection that is none of frames, such as TLS
	NotRewritten  NoticeKind = "as it is"    // an answer whose addresses could not be rewritten
	Behind        NoticeKind = "behind"      // the observer did not keep up: a gap
)

// Notice is one of them. Its text may have text from the network in it.
type Notice struct {
	Kind NoticeKind
	Text string
}

const (
	defaultListen = "127.0.0.1:9876"
	defaultQueue  = 32 << 20
	// dialWithin is what Java's clients give a connect (connectTimeoutMillis).
	dialWithin = 3 * time.Second
)

func (c Config) withDefaults() (Config, error) {
	var faults []error
	fault := func(field, value, want string) { faults = append(faults, fmt.Errorf("%s %q: %s", field, value, want)) }
	if len(c.NameServers) == 0 {
		fault("NameServers", "", "name at least one host:port")
	}
	if c.Listen == "" {
		c.Listen = defaultListen
	}
	if _, _, err := splitAddr(c.Listen, 0); err != nil {
		fault("Listen", c.Listen, err.Error())
	}
	for _, a := range c.NameServers {
		if _, _, err := splitAddr(a, 1); err != nil {
			fault("NameServers", a, err.Error())
		}
		if a == c.Listen {
			fault("NameServers", a, "the proxy itself listens there: it would talk to itself")
		}
	}
	if !fitsAnswer(c.Advertise) {
		fault("Advertise", c.Advertise, "a host name or an IP address is allowed")
	}
	if c.FirstPort < 0 || c.FirstPort > 65535 {
		fault("FirstPort", strconv.Itoa(c.FirstPort), "0 to 65535 is allowed")
	}
	c.fill()
	return c, errors.Join(faults...)
}

func (c *Config) fill() {
	if c.QueueBytes <= 0 {
		c.QueueBytes = defaultQueue
	}
	if c.OnNotice == nil {
		c.OnNotice = func(Notice) {}
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if c.ListenFunc == nil {
		c.ListenFunc = new(net.ListenConfig).Listen
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// splitAddr splits host:port at the last colon, as Java does, and wants a port of at least low.
func splitAddr(addr string, low int) (host string, port int, err error) {
	i := strings.LastIndexByte(addr, ':')
	if i <= 0 {
		return "", 0, errors.New("host:port is wanted")
	}
	port, err = strconv.Atoi(addr[i+1:])
	if err != nil || port < low || port > 65535 || addr[i+1] == '+' {
		return "", 0, fmt.Errorf("%q is no port from %d to 65535", addr[i+1:], low)
	}
	host = strings.TrimSuffix(strings.TrimPrefix(addr[:i], "["), "]")
	return host, port, nil
}

// fitsAnswer tells whether a host can stand in JSON text as it is.
func fitsAnswer(host string) bool {
	return !strings.ContainsFunc(host, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_:%", r))
	})
}
