package network

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/embedded"
	"mqscope/engine/remoting"
)

// Cluster is a name server and brokers on the network. Its methods may be called on the
// simulation's one thread at any time; what an InterceptFunc calls takes effect after the step.
type Cluster struct {
	cfg   Config
	tl    Timeline
	state *embedded.State
	nodes []*node // the name server, then the brokers

	lastPeer uint64
	lastPort int // of clients

	steps    []func(now time.Time) // that wait for the one being made
	stepping bool
	due      time.Time // when the timeline steps the state, zero when nothing is due
	armed    uint64    // counts what was given to the timeline for that; the last one counts
	cancel   func()    // of the last one, nil when nothing is due
}

// firstPort is where the ports of clients begin.
const firstPort = 40000

// node is one listening address.
type node struct {
	cluster *Cluster
	broker  string // name, empty for the name server
	addr    string
	open    bool
	peers   []*peer // in the order of their coming
}

// New makes a cluster whose name server and brokers all run.
func New(cfg Config) (*Cluster, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	state, err := embedded.NewState(cfg.Cluster)
	if err != nil {
		return nil, err
	}
	c := &Cluster{cfg: cfg, tl: cfg.Timeline, state: state, lastPort: firstPort}
	state.AskBy(func(p embedded.Peer, req *remoting.Command, timeout time.Duration, done func(*remoting.Command, error)) {
		p.(*peer).ask(req, timeout, done)
	})
	c.nodes = append(c.nodes, &node{cluster: c, addr: cfg.Cluster.NameServerAddr, open: true})
	for i, b := range state.Brokers() {
		c.nodes = append(c.nodes, &node{cluster: c, broker: b.Name, addr: cfg.Cluster.BrokerAddrs[i]})
		if err := c.StartBroker(b.Name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// step makes one step of the state, or has it follow the one being made, and sees to it that
// the next is made when something is due.
func (c *Cluster) step(fn func(now time.Time)) {
	c.steps = append(c.steps, fn)
	if c.stepping {
		return
	}
	c.stepping = true
	defer func() { c.stepping = false }()
	now := c.tl.Now()
	next := c.state.Advance(now)
	for len(c.steps) > 0 {
		do := c.steps[0]
		c.steps = c.steps[1:]
		do(now)
		next = c.state.Advance(now)
	}
	c.arm(now, next)
}

// arm has the timeline step the state at its next due time.
func (c *Cluster) arm(now, next time.Time) {
	if next.Equal(c.due) {
		return
	}
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	c.due = next
	c.armed++
	if next.IsZero() {
		return
	}
	this := c.armed
	c.cancel = c.tl.After(max(next.Sub(now), 0), func() {
		if this == c.armed {
			c.due, c.cancel = time.Time{}, nil
			c.step(func(time.Time) {})
		}
	})
}

// Inspect calls fn, which may read and change the state; only read it while a step is being
// made, as when something halts in an InterceptFunc.
func (c *Cluster) Inspect(fn func(*embedded.State)) {
	if c.stepping {
		fn(c.state)
		return
	}
	c.step(func(time.Time) { fn(c.state) })
}

// Intercept is State.Intercept.
func (c *Cluster) Intercept(code int32, fn embedded.InterceptFunc) (remove func()) {
	return c.state.Intercept(code, fn)
}

// CreateTopic makes a topic with so many queues on each broker, or changes their number.
func (c *Cluster) CreateTopic(name string, queues int) {
	c.Inspect(func(s *embedded.State) {
		for _, b := range s.Brokers() {
			b.SetQueues(name, int32(queues), int32(queues))
		}
	})
}

// StartBroker makes a stopped broker serve again, at its old address and with its data.
func (c *Cluster) StartBroker(name string) error {
	n := c.node(name)
	if n == nil || n.open {
		return fmt.Errorf("start broker %s: there is none of that name, or it is running", name)
	}
	n.open = true
	c.step(func(now time.Time) { c.state.StartBroker(now, name, n.addr) })
	return nil
}

// StopBroker ends a broker as a kill does: the name server forgets it at once, all its
// connections end, held pulls are not answered. Its data stay.
func (c *Cluster) StopBroker(name string) error {
	n := c.node(name)
	if n == nil || !n.open {
		return fmt.Errorf("stop broker %s: there is none of that name, or it is not running", name)
	}
	c.step(func(now time.Time) { c.state.StopBroker(now, name) })
	n.shut()
	return nil
}

// StopNameServer closes the name server's port and connections; it keeps its tables, which
// the brokers go on writing to. StartNameServer opens the port again.
func (c *Cluster) StopNameServer() { c.nodes[0].shut() }

// StartNameServer makes a stopped name server serve again.
func (c *Cluster) StartNameServer() { c.nodes[0].open = true }

// NameServerAddr is where clients reach the name server.
func (c *Cluster) NameServerAddr() string { return c.nodes[0].addr }

// BrokerAddr is where clients reach a broker, empty for an unknown name.
func (c *Cluster) BrokerAddr(name string) string {
	if n := c.node(name); n != nil {
		return n.addr
	}
	return ""
}

// node returns a broker's, nil if there is none.
func (c *Cluster) node(broker string) *node {
	for _, n := range c.nodes[1:] {
		if n.broker == broker {
			return n
		}
	}
	return nil
}

// Connect makes what carries the requests of one client; it serves as client.Config.Connect.
// cfg.Clock must be on the cluster's Timeline, cfg.Dial is not used.
func (c *Cluster) Connect(cfg remoting.ClientConfig) client.Network { return newNet(c, cfg) }

// accept makes the server's end of a connection to addr, unless nobody listens there.
func (c *Cluster) accept(addr string, deliver func(parcel)) *peer {
	i := slices.IndexFunc(c.nodes, func(n *node) bool { return n.addr == addr && n.open })
	if i < 0 {
		return nil
	}
	c.lastPeer++
	c.lastPort++
	from := fmt.Sprintf("127.0.0.1:%d", c.lastPort)
	n := c.nodes[i]
	p := &peer{node: n, id: c.lastPeer, addr: from, calls: calls{tl: c.tl}}
	p.down = pipe{cfg: &c.cfg, from: addr, to: from, deliver: deliver}
	n.peers = append(n.peers, p)
	return p
}

// shut closes the port and all connections.
func (n *node) shut() {
	n.open = false
	for _, p := range slices.Clone(n.peers) {
		p.Close()
	}
}

func (n *node) drop(p *peer) {
	n.peers = slices.DeleteFunc(n.peers, func(o *peer) bool { return o == p })
}
