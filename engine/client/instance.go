package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

// ServiceState is the life of an instance (Java: ServiceState).
type ServiceState uint8

const (
	CreateJust  ServiceState = iota // Run was not called yet
	StartFailed                     // Run is starting, or could not
	Running
	ShutdownAlready
)

// String returns Java's name of the state.
func (s ServiceState) String() string {
	return [...]string{"CREATE_JUST", "START_FAILED", "RUNNING", "SHUTDOWN_ALREADY"}[s]
}

// Instance is one client of a cluster (Java: MQClientInstance). Its methods may be called
// from any goroutine. Those that talk to servers return ErrNotRunning after Run has ended;
// before it has begun they wait for it.
type Instance struct {
	cfg     Config
	clock   clock.Clock
	log     *slog.Logger
	net     Network
	servers *nameServers
	later   *later
	ids     *protocol.UniqueIDs
	stacks  stacks

	decisions *decision.Recorder

	running    chan struct{} // closed when calls may begin
	ended      chan struct{} // closed when they must not any more
	beating    chan struct{} // has one token, taken while heartbeats are written and sent
	wakeRoutes chan struct{}
	wakeBeats  chan struct{}

	mu        sync.Mutex
	state     ServiceState
	rng       *rand.Rand
	table     *route.Table
	questions uint64             // route questions asked so far
	flights   map[string]*flight // route questions being asked, by topic
	topics    map[string]*topicState
	groups    map[string]*group
	links     map[string]*link // by broker address
	producers map[string]struct{}
	out       []notice // not delivered yet, in order
	telling   bool     // someone is delivering
}

// New checks cfg and returns an instance that Run brings to life. The error names every
// field at fault and what to write instead.
func New(cfg Config) (*Instance, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	seed := func() *rand.Rand { return rand.New(rand.NewPCG(cfg.Rand.Uint64(), cfg.Rand.Uint64())) }
	i := &Instance{
		cfg: cfg, clock: cfg.Clock, log: cfg.Log, decisions: cfg.Decisions,
		rng:        seed(),
		servers:    newNameServers(cfg.NameServers, cfg.Rand.IntN(len(cfg.NameServers))),
		later:      newLater(cfg.Clock),
		ids:        protocol.NewUniqueIDs(hostOf(cfg.ClientID), cfg.Rand.IntN(1<<16), cfg.Rand.Uint32()),
		running:    make(chan struct{}),
		ended:      make(chan struct{}),
		beating:    make(chan struct{}, 1),
		wakeRoutes: make(chan struct{}, 1),
		wakeBeats:  make(chan struct{}, 1),
		table:      route.NewTable(cfg.Route),
		flights:    map[string]*flight{},
		topics:     map[string]*topicState{},
		groups:     map[string]*group{},
		links:      map[string]*link{},
		producers:  map[string]struct{}{mq.InnerProducerGroup: {}},
	}
	i.beating <- struct{}{}
	i.net = cfg.connect(remoting.ClientConfig{
		Dial: cfg.Dial, Clock: cfg.Clock, Rand: seed(), Limits: cfg.Limits, Log: cfg.Log,
		Language: remoting.Go, Version: protocol.ClientVersion,
		Hooks: cfg.RPCHooks, OnRequest: i.onRequest, OnState: i.onState,
	})
	return i, nil
}

// Run keeps routes fresh, sends heartbeats and owns the connections until ctx ends; it
// returns when every goroutine it started has ended. It needs no server to be there: what
// cannot be reached is tried again. An instance runs once, else ErrAlreadyRun.
func (i *Instance) Run(ctx context.Context) error {
	i.mu.Lock()
	if i.state != CreateJust {
		i.mu.Unlock()
		return ErrAlreadyRun
	}
	i.state = StartFailed
	i.mu.Unlock()

	g, _ := lifecycle.NewGroup(ctx)
	g.Go("connections", i.net.Run)
	g.Go("route refresh", i.routeLoop)
	g.Go("heartbeats", i.heartbeatLoop)
	g.Go("late answers", i.later.run)
	i.setState(Running)
	close(i.running)
	err := g.Wait()
	i.setState(ShutdownAlready)
	close(i.ended)
	i.later.close()
	return err
}

// RunAround runs fn on the running instance, which outlives ctx until fn has returned. Its error is
// fn's, else Run's.
func (i *Instance) RunAround(ctx context.Context, fn func(ctx context.Context) error) error {
	after, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	group, _ := lifecycle.NewGroup(after)
	group.Go("client", i.Run)
	err := lifecycle.Guard(ctx, "consumer", fn)
	end()
	if waitErr := group.Wait(); err == nil {
		err = waitErr
	}
	return err
}

// Ready is closed once Run has begun.
func (i *Instance) Ready() <-chan struct{} { return i.running }

// ServiceState tells where in its life the instance is.
func (i *Instance) ServiceState() ServiceState {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state
}

func (i *Instance) setState(s ServiceState) {
	i.mu.Lock()
	i.state = s
	i.mu.Unlock()
	i.decisions.Fact(decision.InstanceState, nowhere, s.String(), [6]int64{})
	i.log.Info("client instance", "state", s.String(), "client_id", i.cfg.ClientID)
}

// WatchDecisions has what this instance decides go to s, nil for nobody. A sink that holds it up
// holds up its connections.
func (i *Instance) WatchDecisions(s decision.Sink) { i.decisions.Watch(s) }

// nowhere is the queue of decisions that are about none.
var nowhere mq.MessageQueue

// ClientID is the id that brokers know this instance by.
func (i *Instance) ClientID() string { return i.cfg.ClientID }

// await returns when the instance is running.
func (i *Instance) await(ctx context.Context) error {
	select {
	case <-i.ended:
		return ErrNotRunning
	default:
	}
	if clock.Wait(ctx, i.clock, clock.Waits{First: i.running}) == clock.Ended {
		return fmt.Errorf("%w: %w", ErrNotRunning, ctx.Err())
	}
	return nil
}

// live tells whether requests can be sent now.
func (i *Instance) live() bool {
	select {
	case <-i.ended:
		return false
	default:
	}
	select {
	case <-i.running:
		return true
	default:
		return false
	}
}

// over is why a caller's patience has ended. A call may end by its own timer an instant
// before the context says the same.
func (i *Instance) over(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if at, ok := ctx.Deadline(); ok && !i.clock.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return nil
}

func (i *Instance) intN(n int) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.rng.IntN(n)
}

// call sends one request and waits at most timeout for its answer, whatever the code.
func (i *Instance) call(ctx context.Context, addr string, req *remoting.Command, timeout time.Duration) (*remoting.Command, error) {
	return i.callAt(ctx, addr, addr, req, timeout)
}

// callBroker is call for requests that may take a broker's second port.
func (i *Instance) callBroker(ctx context.Context, addr string, req *remoting.Command, timeout time.Duration) (*remoting.Command, error) {
	return i.callAt(ctx, addr, i.lane(addr), req, timeout)
}

// callAt sends to a server that is known as addr and reached at another address.
func (i *Instance) callAt(ctx context.Context, addr, at string, req *remoting.Command, timeout time.Duration) (*remoting.Command, error) {
	if err := i.await(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := clock.WithTimeout(ctx, i.clock, timeout)
	defer cancel()
	cmd, err := i.net.Call(ctx, at, req)
	return cmd, i.closedWhy(addr, err)
}

// closedWhy tells the end of an address from that of the instance: a call to a broker that
// left all routes, or to a name server taken off the list, was lost.
func (i *Instance) closedWhy(addr string, err error) error {
	if !errors.Is(err, remoting.ErrClosed) {
		return err
	}
	i.mu.Lock()
	_, known := i.table.NameOf(addr)
	i.mu.Unlock()
	if known || slices.Contains(i.servers.all(), addr) {
		return err
	}
	return &remoting.LostError{Addr: addr, Err: err}
}

// ask is call for requests to brokers whose only good answer is success.
func (i *Instance) ask(ctx context.Context, addr string, req *remoting.Command, timeout time.Duration) (*remoting.Command, error) {
	cmd, err := i.callBroker(ctx, addr, req, timeout)
	if err != nil {
		return nil, err
	}
	if err := answered(cmd, addr); err != nil {
		return nil, err
	}
	return cmd, nil
}

// request makes a command of a typed header.
func request(code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	req := &remoting.Command{Code: int32(code), Body: body}
	if h != nil {
		req.Fields = protocol.Encode(h)
	}
	return req
}

// hostOf is the IP address that a client id begins with, invalid when it begins with a name.
func hostOf(clientID string) netip.Addr {
	host, _, _ := strings.Cut(clientID, "@")
	ip, _ := netip.ParseAddr(strings.Trim(host, "[]"))
	return ip
}
