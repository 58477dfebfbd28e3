package proxy

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"mqscope/engine/capture/infer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
)

// events keeps what a proxy concluded.
type events struct {
	mu  sync.Mutex
	all []infer.Event
}

func (e *events) Add(ev infer.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) list() []infer.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// of are the facts of one type.
func of[F any](all []infer.Event) (facts []F) {
	for _, e := range all {
		if f, ok := e.Fact.(F); ok {
			facts = append(facts, f)
		}
	}
	return facts
}

// world is an embedded cluster on a network in memory, and a proxy before it.
type world struct {
	net     *memnet.Network
	cluster *embedded.Cluster
	proxy   *Proxy
	events  *events
	notices *notices
	stop    func() // ends the proxy
	facts   *atomic.Int64
}

type notices struct {
	mu  sync.Mutex
	all []Notice
}

func (n *notices) add(x Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, x)
}

func (n *notices) of(kind NoticeKind) (texts []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, x := range n.all {
		if x.Kind == kind {
			texts = append(texts, x.Text)
		}
	}
	return texts
}

const (
	realNames = "127.0.0.1:9876"
	ourNames  = "127.0.0.1:7876"
)

// newWorld starts both; change may change the settings.
func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	w := &world{net: memnet.New(), events: &events{}, notices: &notices{}}
	cluster, err := embedded.New(embedded.Config{
		Listen: w.net.Listen, NameServerAddr: realNames, BrokerAddrs: []string{"127.0.0.1:10911"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.cluster = cluster
	run(t, cluster.Run)
	<-cluster.Ready()
	w.start(t, change...)
	return w
}

// start starts a proxy before what listens at realNames.
func (w *world) start(t testing.TB, change ...func(*Config)) {
	t.Helper()
	cfg := Config{
		NameServers: []string{realNames}, Listen: ourNames, Dial: w.net.Dial, ListenFunc: w.net.Listen,
		Sink: w.events, OnNotice: w.notices.add,
	}
	for _, fn := range change {
		fn(&cfg)
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.proxy = p
	if p.watch != nil {
		p.watch = newObserver(p, 0) // so that all was looked at when nothing moves
	}
	w.stop = run(t, p.Run)
	<-p.Ready()
}

// run runs something until stop, or the end of the test.
func run(t testing.TB, fn func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := fn(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}
