package remoting

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"mqscope/engine/memnet"
)

const brokerA, brokerB = "broker-a:10911", "broker-b:10911"

// rig is a client and the network around it, inside a bubble.
type rig struct {
	t      *testing.T
	net    *memnet.Network
	client *Client
	stop   context.CancelFunc // ends the client

	mu     sync.Mutex
	states []AddrState
}

func newRig(t *testing.T, cfg ClientConfig) *rig {
	t.Helper()
	r := &rig{t: t, net: memnet.New()}
	if cfg.Dial == nil {
		cfg.Dial = r.net.Dial
	}
	cfg.OnState = func(s AddrState) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.states = append(r.states, s)
	}
	r.client = NewClient(cfg)
	r.stop = runs(t, r.client.Run)
	return r
}

// runs starts run; the test fails when it returns an error, and waits for it.
func runs(t *testing.T, run func(context.Context) error) (stop context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// serve runs a server at addr.
func (r *rig) serve(addr string, cfg ServerConfig) (*Server, context.CancelFunc) {
	r.t.Helper()
	s := NewServer(cfg)
	ln := r.listen(addr)
	return s, runs(r.t, func(ctx context.Context) error { return s.Serve(ctx, ln) })
}

func (r *rig) listen(addr string) net.Listener {
	r.t.Helper()
	ln, err := r.net.Listen(context.Background(), "tcp", addr)
	if err != nil {
		r.t.Fatal(err)
	}
	return ln
}

// script runs fn with each connection made to addr, one after the other, and closes it when
// fn returns.
func (r *rig) script(addr string, fn func(n int, c net.Conn)) {
	r.t.Helper()
	ln := r.listen(addr)
	var all sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	all.Go(func() {
		for n := 0; ; n++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			fn(n, c)
			c.Close()
		}
	})
	r.t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
}

// receive reads one command from c; nil at its end.
func receive(c io.Reader) *Command {
	var n [4]byte
	if _, err := io.ReadFull(c, n[:]); err != nil {
		return nil
	}
	b := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(c, b); err != nil {
		return nil
	}
	cmd, err := DecodeFrame(b, Limits{})
	if err != nil {
		return nil
	}
	return cmd
}

// answer is the frame that answers req with a body.
func answer(req *Command, body string) []byte {
	b, err := AppendFrame(nil, &Command{Opaque: req.Opaque, Flag: flagResponse, Body: []byte(body)}, Limits{})
	if err != nil {
		panic(err)
	}
	return b
}

// echo answers with the request's fields and body.
func echo(_ context.Context, p *Peer, req *Command) {
	p.Reply(req, &Command{Remark: "echo", Fields: req.Fields, Body: req.Body})
}

// ends collects the ends of calls.
type ends struct {
	mu   sync.Mutex
	list []Answer
}

func (e *ends) done(a Answer) {
	if a.Cmd != nil && a.Cmd.Body != nil {
		a.Keep()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, a)
}

// all returns what has ended once nothing moves.
func (e *ends) all() []Answer {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Answer(nil), e.list...)
}
