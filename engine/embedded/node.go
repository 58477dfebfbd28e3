package embedded

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"mqscope/engine/remoting"
)

// node is one listening address of a Cluster: the name server or a broker.
type node struct {
	broker *Broker // nil: the name server
	name   string
	server *remoting.Server

	mu   sync.Mutex
	addr string // of the configuration, then the one that was given
	stop context.CancelFunc
	done chan struct{} // not nil while serving; closed at its end
}

func newNode(c *Cluster, b *Broker, name, addr string) *node {
	n := &node{broker: b, name: name, addr: addr}
	n.server = remoting.NewServer(remoting.ServerConfig{
		Clock:    c.cfg.Clock,
		Log:      c.cfg.Log,
		Version:  brokerVersion,
		Language: remoting.Java,
		Limits:   remoting.Limits{PendingBytes: pendingBytes},
		Handler: func(_ context.Context, p *remoting.Peer, req *remoting.Command) {
			if !c.inbox.put(job{broker: b, peer: p, cmd: req}) {
				p.Reply(req, &remoting.Command{Code: codeSystemBusy, Remark: "[OVERLOAD]system busy, start flow control for a while"})
			}
		},
		OnClose: func(p *remoting.Peer) { c.inbox.put(job{broker: b, peer: p}) },
	})
	return n
}

const (
	codeSystemBusy = 2
	// pendingBytes is how much may wait for one client: many pulls may be answered before
	// it reads.
	pendingBytes = 128 << 20
)

func (n *node) address() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.addr
}

// startNode listens and, once the state knows of it, serves.
func (c *Cluster) startNode(ctx context.Context, n *node) error {
	n.mu.Lock()
	addr, running := n.addr, n.done != nil
	n.mu.Unlock()
	if running {
		return fmt.Errorf("start %s: it is running", n.name)
	}
	ln, err := c.cfg.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen for %s on %s: %w", n.name, addr, err)
	}
	started := false
	c.Inspect(func(s *State) {
		if c.over { // run here, without a loop
			return
		}
		started = true
		c.serve(n, ln)
		if n.broker != nil {
			s.StartBroker(c.clock.Now(), n.name, ln.Addr().String())
		}
	})
	if !started {
		_ = ln.Close()
		return fmt.Errorf("start %s: %w", n.name, ErrNotRunning)
	}
	return nil
}

// serve takes connections of ln until stopNode or the end of the cluster. It runs on the
// loop, so the group has not ended; requests come after whatever the loop does now.
func (c *Cluster) serve(n *node, ln net.Listener) {
	c.mu.Lock()
	g := c.group
	c.mu.Unlock()
	stopped, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	g.Go("serve "+n.name, func(ctx context.Context) error {
		defer close(done)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(stopped, cancel)()
		return n.server.Serve(ctx, ln)
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addr, n.stop, n.done = ln.Addr().String(), stop, done
}

// stopNode closes the listener and all connections and waits for that.
func (n *node) stopNode() {
	n.mu.Lock()
	stop, done := n.stop, n.done
	n.mu.Unlock()
	if done == nil {
		return
	}
	stop()
	<-done
	n.mu.Lock()
	defer n.mu.Unlock()
	n.done, n.stop = nil, nil
}

// StartBroker makes a stopped broker serve again, at its old address and with its data.
func (c *Cluster) StartBroker(name string) error {
	n := c.nodes[name]
	if n == nil {
		return fmt.Errorf("start broker %s: there is none of that name", name)
	}
	return c.startNode(context.Background(), n)
}

// StopBroker ends a broker as a kill does: the name server forgets it at once, its port and
// all its connections are closed, held pulls are not answered. Its data stay.
func (c *Cluster) StopBroker(name string) error {
	n := c.nodes[name]
	if n == nil {
		return fmt.Errorf("stop broker %s: there is none of that name", name)
	}
	stopped := false
	c.Inspect(func(s *State) {
		if s.Broker(name).Running {
			s.StopBroker(c.clock.Now(), name)
			stopped = true
		}
	})
	if !stopped {
		return fmt.Errorf("stop broker %s: it is not running", name)
	}
	n.stopNode()
	return nil
}

// StopNameServer closes the name server's port and connections; it keeps its tables, which
// its own brokers go on writing to. StartNameServer opens the port again.
func (c *Cluster) StopNameServer() { c.ns.stopNode() }

// StartNameServer makes a stopped name server serve again at its old address.
func (c *Cluster) StartNameServer() error { return c.startNode(context.Background(), c.ns) }

// askClient sends a request to a client and hands the answer to done on the loop.
func (c *Cluster) askClient(p Peer, req *remoting.Command, timeout time.Duration, done func(*remoting.Command, error)) {
	peer, ok := p.(*remoting.Peer)
	if !ok {
		done(nil, ErrNotRunning)
		return
	}
	c.mu.Lock()
	g := c.group
	c.mu.Unlock()
	g.Go("question to "+p.Addr(), func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		resp, err := peer.Call(ctx, req)
		c.inbox.put(job{do: func() { done(resp, err) }})
		return nil
	})
}
