package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// world is a test bubble with an in-memory network. Whatever is started in it must end with
// it: a goroutine that is left fails the test.
type world struct {
	t   *testing.T
	ctx context.Context
	net *memnet.Network
	wg  sync.WaitGroup
}

// bubble runs fn in virtual time and ends everything that was started in w after it.
func bubble(t *testing.T, fn func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &world{t: t, ctx: ctx, net: memnet.New()}
		fn(w)
		cancel()
		w.wg.Wait()
	})
}

func (w *world) goRun(fn func() error) {
	w.wg.Go(func() {
		if err := fn(); err != nil {
			w.t.Errorf("ended with %v", err)
		}
	})
}

// handler answers one request; nil is no answer.
type handler func(req *remoting.Command) *remoting.Command

// fake is a name server or broker that answers by a script and remembers what it got.
type fake struct {
	w    *world
	addr string
	stop context.CancelFunc

	mu    sync.Mutex
	on    map[protocol.RequestCode]handler
	seen  []*remoting.Command
	at    []time.Time
	peers []*remoting.Peer
}

// serve starts a server; what it has no handler for it answers with success.
func (w *world) serve(addr string) *fake {
	w.t.Helper()
	f := &fake{w: w, addr: addr, on: map[protocol.RequestCode]handler{}}
	f.start()
	return f
}

func (f *fake) start() {
	f.w.t.Helper()
	ctx, stop := context.WithCancel(f.w.ctx)
	f.stop = stop
	ln, err := f.w.net.Listen(ctx, "tcp", f.addr)
	if err != nil {
		f.w.t.Fatal(err)
	}
	s := remoting.NewServer(remoting.ServerConfig{Version: 479, Language: remoting.Java, Handler: f.handle})
	f.w.goRun(func() error { return s.Serve(ctx, ln) })
}

func (f *fake) handle(_ context.Context, p *remoting.Peer, req *remoting.Command) {
	f.mu.Lock()
	f.seen = append(f.seen, req)
	f.at = append(f.at, time.Now())
	known := false
	for _, old := range f.peers {
		known = known || old == p
	}
	if !known {
		f.peers = append(f.peers, p)
	}
	fn := f.on[protocol.RequestCode(req.Code)]
	f.mu.Unlock()
	resp := &remoting.Command{}
	if fn != nil {
		resp = fn(req)
	}
	if resp != nil {
		p.Reply(req, resp)
	}
}

// answer sets the handler of a request code.
func (f *fake) answer(code protocol.RequestCode, fn handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[code] = fn
}

// got returns the requests of a code so far.
func (f *fake) got(code protocol.RequestCode) []*remoting.Command {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*remoting.Command
	for _, r := range f.seen {
		if r.Code == int32(code) {
			out = append(out, r)
		}
	}
	return out
}

// times returns when the requests of a code came.
func (f *fake) times(code protocol.RequestCode) []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []time.Time
	for n, r := range f.seen {
		if r.Code == int32(code) {
			out = append(out, f.at[n])
		}
	}
	return out
}

func (f *fake) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen, f.at = nil, nil
}

func (f *fake) lastPeer() *remoting.Peer {
	f.w.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.peers) == 0 {
		f.w.t.Fatalf("nobody connected to %s", f.addr)
	}
	return f.peers[len(f.peers)-1]
}

func code(c protocol.ResponseCode, remark string) handler {
	return func(*remoting.Command) *remoting.Command {
		return &remoting.Command{Code: int32(c), Remark: remark}
	}
}

func fields(h protocol.Header) handler {
	return func(*remoting.Command) *remoting.Command { return &remoting.Command{Fields: protocol.Encode(h)} }
}

func silent(*remoting.Command) *remoting.Command { return nil }

// decode reads the header of a request.
func decode[H any, P interface {
	*H
	protocol.Header
}](t *testing.T, req *remoting.Command) H {
	t.Helper()
	var h H
	if err := protocol.Decode(req.Fields, P(&h)); err != nil {
		t.Fatal(err)
	}
	return h
}

// names makes f a name server with these routes, which may be changed by calling it again.
func (f *fake) names(routes map[string]protocol.TopicRouteData) {
	f.answer(protocol.GetRouteInfoByTopic, func(req *remoting.Command) *remoting.Command {
		var h protocol.GetRouteInfoRequest
		if err := protocol.Decode(req.Fields, &h); err != nil {
			f.w.t.Error(err)
		}
		r, ok := routes[h.Topic]
		if !ok {
			return &remoting.Command{Code: int32(protocol.TopicNotExist), Remark: "No topic route info in name server for the topic: " + h.Topic}
		}
		return &remoting.Command{Body: r.EncodeStandard()}
	})
}

// routeOf is the route of a topic with n queues on each broker; brokers are "name=addr", or
// "name=master,slave".
func routeOf(n int32, brokers ...string) protocol.TopicRouteData {
	var r protocol.TopicRouteData
	for _, b := range brokers {
		name, addrs, _ := strings.Cut(b, "=")
		d := protocol.BrokerData{BrokerName: name, Cluster: "c", Addrs: map[int64]string{}}
		for id, a := range strings.Split(addrs, ",") {
			if a != "" {
				d.Addrs[int64(id)] = a
			}
		}
		r.BrokerDatas = append(r.BrokerDatas, d)
		r.QueueDatas = append(r.QueueDatas, protocol.QueueData{BrokerName: name, Perm: 6, ReadQueueNums: n, WriteQueueNums: n})
	}
	return r
}

const (
	ns1 = "ns1:9876"
	ns2 = "ns2:9876"
	ba  = "ba:10911"
	bb  = "bb:10911"
)

// oneBroker is a name server that knows T on the broker a.
func (w *world) oneBroker() (ns, a *fake) {
	ns = w.serve(ns1)
	ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
	return ns, w.serve(ba)
}

// twoBrokers is a name server with topic T on a and b, and both brokers.
func (w *world) twoBrokers() (ns, a, b *fake) {
	ns = w.serve(ns1)
	ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb)})
	return ns, w.serve(ba), w.serve(bb)
}

// client starts an instance whose name servers are ns1 unless cfg says otherwise.
func (w *world) client(cfg Config) *Instance {
	w.t.Helper()
	i, _ := w.stoppable(cfg)
	return i
}

func (w *world) stoppable(cfg Config) (*Instance, context.CancelFunc) {
	w.t.Helper()
	if cfg.NameServers == nil {
		cfg.NameServers = []string{ns1}
	}
	if cfg.ClientID == "" {
		cfg.ClientID = "10.1.2.9@test"
	}
	cfg.Dial = w.net.Dial
	cfg.Rand = rand.New(rand.NewPCG(1, 2))
	i, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(w.ctx)
	w.goRun(func() error { return i.Run(ctx) })
	<-i.Ready()
	return i, stop
}

// listener is a registered group that keeps what it is told.
type listener struct {
	mu     sync.Mutex
	events []event.Event
	subs   []protocol.SubscriptionData
}

func (w *world) register(i *Instance, group string, topics ...string) *listener {
	w.t.Helper()
	l := &listener{}
	for _, topic := range topics {
		s, err := protocol.ParseSubscription(topic, "*", 1700000000000)
		if err != nil {
			w.t.Fatal(err)
		}
		l.subs = append(l.subs, s)
	}
	if err := i.Register(l.registration(group)); err != nil {
		w.t.Fatal(err)
	}
	return l
}

// joined is a client with a group G that consumes T.
func (w *world) joined() (*Instance, *listener) {
	w.t.Helper()
	i := w.client(Config{})
	return i, w.register(i, "G", "T")
}

func (l *listener) registration(group string) Registration {
	return Registration{
		Group: group, From: mq.FromFirstOffset,
		Subscriptions: func() []protocol.SubscriptionData {
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.subs
		},
		Notify: func(e event.Event) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.events = append(l.events, e)
		},
	}
}

// told returns the events of type E so far and forgets them.
func told[E event.Event](l *listener) []E {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []E
	var rest []event.Event
	for _, e := range l.events {
		if one, ok := e.(E); ok {
			out = append(out, one)
		} else {
			rest = append(rest, e)
		}
	}
	l.events = rest
	return out
}

// wantTold checks how many events of type E there were since the last look.
func wantTold[E event.Event](t *testing.T, l *listener, n int) {
	t.Helper()
	if all := told[E](l); len(all) != n {
		t.Errorf("told %d times of %T, want %d: %+v", len(all), *new(E), n, all)
	}
}

// last is the newest event of type E.
func last[E event.Event](t *testing.T, l *listener) E {
	t.Helper()
	all := told[E](l)
	if len(all) == 0 {
		t.Fatalf("no %T was told", *new(E))
	}
	return all[len(all)-1]
}

func within(w *world, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(w.ctx, d)
	w.t.Cleanup(cancel)
	return ctx
}

func queue(broker string, id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "T", BrokerName: broker, QueueID: id}
}

var errRefused = errors.New("connection refused")
