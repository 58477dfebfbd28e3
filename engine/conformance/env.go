package conformance

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// TB is what a check says its result to; *testing.T is one.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	Cleanup(func())
	Context() context.Context
}

// Check is one row of broker.md §12.
type Check struct {
	ID   string // C22
	Name string // a sentence
	Run  func(e *Env)
}

// Long tells of a check that waits for longer than a minute.
func (c Check) Long() bool {
	switch c.ID {
	case "C33", "C38", "X09", "X30":
		return true
	}
	return false
}

// Alone tells of a check that switches something of the broker or takes messages of all topics
// away.
func (c Check) Alone() bool { return c.ID == "C16" || c.ID == "C17" || c.ID == "C58" }

// Env is where a check runs.
type Env struct {
	TB
	NameServer string
	Dial       func(ctx context.Context, network, addr string) (net.Conn, error)
	// Start returns a client that runs until stop, which waits for its end.
	Start func(cfg remoting.ClientConfig) (c *remoting.Client, stop func())
	// Unique is put into all names, so that checks may run again on the same broker.
	Unique string
	// Slack is added to whatever may last only so long, on a machine that others use too.
	Slack time.Duration
	// EnableSQL has the broker compile SQL92, which is off by default. nil: this can not be
	// done here, and checks that need it are skipped; so it is with Expire.
	EnableSQL func()
	// Expire has the broker lose the messages of a queue below an offset, which is its next
	// one.
	Expire func(topic string, queue int32, offset int64)
	// Seen is the address at which clients are told to find a broker that registered another
	// one, where something stands between. nil: they are told the one that it registered.
	Seen func(addr string) string

	broker  protocol.BrokerData
	names   int
	clients int
}

// Broker is the address of the master of the first broker.
func (e *Env) Broker() string {
	e.Helper()
	if e.broker.Addrs == nil {
		c := e.Client()
		info, err := protocol.DecodeClusterInfo(c.Want(0, e.NameServer, protocol.GetBrokerClusterInfo, nil, nil).Body)
		if err != nil {
			e.Fatalf("cluster info: %v", err)
		}
		for _, b := range info.BrokerAddrTable {
			if b.Addrs[mq.MasterID] != "" && (e.broker.Addrs == nil || b.BrokerName < e.broker.BrokerName) {
				e.broker = b
			}
		}
		if e.broker.Addrs == nil {
			e.Fatalf("the name server knows no master")
		}
	}
	return e.broker.Addrs[mq.MasterID]
}

// seen is where clients find what registered addr.
func (e *Env) seen(addr string) string {
	if e.Seen == nil {
		return addr
	}
	return e.Seen(addr)
}

// Name makes a fresh topic or group name.
func (e *Env) Name(kind string) string {
	e.names++
	return kind + strconv.Itoa(e.names) + "_" + e.Unique
}

// Sleep waits.
func (e *Env) Sleep(d time.Duration) {
	if err := clock.Sleep(e.Context(), clock.System{}, d); err != nil {
		e.Fatalf("%v", err)
	}
}

// Within tells whether a time span is what is expected, Slack apart.
func (e *Env) Within(what string, got, least, most time.Duration) {
	e.Helper()
	if got < least || got > most+e.Slack {
		e.Errorf("%s took %v, want %v to %v and %v", what, got, least, most, e.Slack)
	}
}

// Client is a client with connections of its own.
type Client struct {
	e    *Env
	ID   string
	c    *remoting.Client
	Got  chan *remoting.Command // requests that brokers sent
	Stop func()
}

// Client makes one; it ends with the check, or by Stop.
func (e *Env) Client() *Client {
	e.clients++
	c := &Client{e: e, ID: fmt.Sprintf("10.0.0.%d@%s", e.clients, e.Unique), Got: make(chan *remoting.Command, 1000)}
	c.c, c.Stop = e.Start(remoting.ClientConfig{
		Dial: e.Dial, Version: protocol.ClientVersion, Language: remoting.Go,
		OnRequest: func(_ context.Context, _ string, req *remoting.Command) *remoting.Command {
			c.Got <- req
			return nil
		},
	})
	e.Cleanup(c.Stop)
	return c
}

// Call sends a request and waits for the answer.
func (c *Client) Call(addr string, code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	c.e.Helper()
	cmd := &remoting.Command{Code: int32(code), Body: body}
	if h != nil {
		cmd.Fields = protocol.Encode(h)
	}
	return c.CallRaw(addr, cmd)
}

// CallRaw sends a command as it is.
func (c *Client) CallRaw(addr string, cmd *remoting.Command) *remoting.Command {
	c.e.Helper()
	ctx, cancel := context.WithTimeout(c.e.Context(), 40*time.Second)
	defer cancel()
	resp, err := c.c.Call(ctx, addr, cmd)
	if err != nil {
		c.e.Fatalf("%v to %s: %v", protocol.RequestCode(cmd.Code), addr, err)
	}
	return resp
}

// Want calls and ends the check if the code is another one.
func (c *Client) Want(want protocol.ResponseCode, addr string, code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	c.e.Helper()
	resp := c.Call(addr, code, h, body)
	if got := protocol.ResponseCode(resp.Code); got != want {
		c.e.Fatalf("%v answered %v (%s), want %v", code, got, resp.Remark, want)
	}
	return resp
}

// Later calls without waiting; nil comes when there is no answer.
func (c *Client) Later(addr string, code protocol.RequestCode, h protocol.Header) <-chan *remoting.Command {
	got := make(chan *remoting.Command, 1)
	c.c.Go(addr, &remoting.Command{Code: int32(code), Fields: protocol.Encode(h)}, 40*time.Second, func(a remoting.Answer) {
		a.Keep()
		got <- a.Cmd
	})
	return got
}

// OneWay sends a request that wants no answer.
func (c *Client) OneWay(addr string, code protocol.RequestCode, h protocol.Header, body []byte) {
	c.e.Helper()
	if err := c.c.OneWay(addr, &remoting.Command{Code: int32(code), Fields: protocol.Encode(h), Body: body}); err != nil {
		c.e.Fatalf("%v: %v", code, err)
	}
}

// Notices counts the requests 40 for a group that come within d, and Slack.
func (c *Client) Notices(group string, d time.Duration) int {
	n := 0
	ctx, cancel := context.WithTimeout(c.e.Context(), d+c.e.Slack)
	defer cancel()
	for {
		select {
		case req := <-c.Got:
			if name, _ := req.Fields.Get("consumerGroup"); protocol.RequestCode(req.Code) == protocol.NotifyConsumerIDsChanged && name == group {
				n++
			}
		case <-ctx.Done():
			return n
		}
	}
}
