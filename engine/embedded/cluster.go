package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// ErrNotRunning says that the cluster has not been run yet or has ended.
var ErrNotRunning = errors.New("embedded cluster is not running")

// Cluster is a name server and brokers on a network: the shell around a State. Run owns all
// its goroutines.
type Cluster struct {
	cfg   Config
	clock clock.Clock
	state *State
	inbox inbox
	ready chan struct{}

	mu      sync.Mutex
	started bool
	over    bool // no loop owns the state
	group   *lifecycle.Group
	ns      *node
	nodes   map[string]*node
}

// New checks cfg; the error joins all its faults.
func New(cfg Config) (*Cluster, error) {
	cfg, _, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("embedded cluster: %w", err)
	}
	state, err := NewState(cfg)
	if err != nil {
		return nil, err
	}
	c := &Cluster{
		cfg: cfg, clock: cfg.Clock, state: state,
		inbox: inbox{wake: make(chan struct{}, 1)},
		ready: make(chan struct{}), over: true, nodes: map[string]*node{},
	}
	c.ns = newNode(c, nil, "name server", cfg.NameServerAddr)
	for i, b := range state.brokers {
		c.nodes[b.Name] = newNode(c, b, b.Name, cfg.BrokerAddrs[i])
	}
	return c, nil
}

// Run listens and serves until ctx ends or a listener fails, and returns when everything it
// started has ended. It may be called once.
func (c *Cluster) Run(ctx context.Context) error {
	c.mu.Lock()
	if c.started {
		c.mu.Unlock()
		return errors.New("embedded cluster: Run was called before")
	}
	c.started, c.over = true, false
	c.mu.Unlock()

	g, _ := lifecycle.NewGroup(ctx)
	c.mu.Lock()
	c.group = g
	c.mu.Unlock()
	c.state.ask = c.askClient
	g.Go("loop of the embedded cluster", c.loop)
	g.Go("start of the embedded cluster", func(ctx context.Context) error {
		if err := c.startAll(ctx); err != nil {
			return err
		}
		close(c.ready)
		return nil
	})
	return g.Wait()
}

// startAll listens everywhere and starts all brokers.
func (c *Cluster) startAll(ctx context.Context) error {
	if err := c.startNode(ctx, c.ns); err != nil {
		return err
	}
	for _, name := range c.cfg.Brokers {
		if err := c.startNode(ctx, c.nodes[name]); err != nil {
			return err
		}
	}
	return nil
}

// Ready is closed when the name server and all brokers can be reached and are routed.
func (c *Cluster) Ready() <-chan struct{} { return c.ready }

// loop owns the state: it steps it with what comes and what is due.
func (c *Cluster) loop(ctx context.Context) error {
	defer c.endLoop()
	timer := c.clock.NewTimer(time.Hour)
	defer timer.Stop()
	var jobs []job
	for {
		next := c.state.Advance(c.clock.Now())
		var due <-chan time.Time
		if !next.IsZero() {
			timer.Reset(max(next.Sub(c.clock.Now()), 0))
			due = timer.C()
		}
		select {
		case <-c.inbox.wake:
		case <-due:
		case <-ctx.Done():
			return nil
		}
		jobs = c.inbox.take(jobs)
		now := c.clock.Now()
		for i := range jobs {
			c.step(now, &jobs[i])
		}
	}
}

func (c *Cluster) step(now time.Time, j *job) {
	switch {
	case j.do != nil:
		c.state.now = now
		j.do()
	case j.cmd == nil:
		if j.broker == nil {
			c.state.Closed(now, "", j.peer)
		} else {
			c.state.Closed(now, j.broker.Name, j.peer)
		}
	default:
		c.state.handle(now, j.broker, j.peer, j.cmd)
	}
}

// endLoop hands the state to whoever asks next, and carries out the functions that waited.
func (c *Cluster) endLoop() {
	rest := c.inbox.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for i := range rest {
		if rest[i].do != nil {
			rest[i].do()
		}
	}
}

// Inspect calls fn on the loop, where it may read and change the state, and returns when it
// has. Without a loop, before Run and after its end, fn is called here. fn must not call the
// Cluster.
func (c *Cluster) Inspect(fn func(*State)) {
	c.mu.Lock()
	alone := c.over
	c.mu.Unlock()
	done := make(chan struct{})
	if !alone && c.inbox.put(job{do: func() { defer close(done); fn(c.state) }}) {
		<-done
		return
	}
	// The mutex stands for the loop: whoever holds it owns the state.
	c.mu.Lock()
	defer c.mu.Unlock()
	fn(c.state)
}

// Intercept lets fn see each request of a code before the cluster does (AnyCode: of every
// code), also those that brokers send. The first function whose verdict is not Pass decides.
// It may be called at any time; remove takes fn out again.
func (c *Cluster) Intercept(code int32, fn InterceptFunc) (remove func()) {
	return c.state.Intercept(code, fn)
}

// NameServerAddr is where the name server listens; before Ready what the configuration says.
func (c *Cluster) NameServerAddr() string { return c.ns.address() }

// BrokerAddr is where a broker listens; before Ready what the configuration says, empty for
// an unknown name.
func (c *Cluster) BrokerAddr(name string) string {
	if n := c.nodes[name]; n != nil {
		return n.address()
	}
	return ""
}
