package remoting

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// callers is a server that hands out its peers, after one call of the client to it.
func (r *rig) callers(addr string) *Peer {
	r.t.Helper()
	peers := make(chan *Peer, 1)
	r.serve(addr, ServerConfig{Version: 479, Handler: func(_ context.Context, p *Peer, req *Command) {
		select {
		case peers <- p:
		default:
		}
		if req.Code != 1 {
			p.Reply(req, &Command{})
		}
	}})
	if _, err := r.client.Call(r.t.Context(), addr, &Command{}); err != nil {
		r.t.Fatal(err)
	}
	return <-peers
}

func TestServerCallsItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		r := newRig(t, ClientConfig{OnRequest: func(_ context.Context, addr string, req *Command) *Command {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprintf("%s %d %s", addr, req.Code, req.Body))
			if req.Code == 40 {
				return nil
			}
			return &Command{Body: req.Body, Fields: Fields{{"k", "v"}}}
		}})
		p := r.callers(brokerA)
		got, err := p.Call(t.Context(), &Command{Code: 307, Body: []byte("running info?")})
		if err != nil || string(got.Body) != "running info?" || got.Version != 475 || got.Language != Go {
			t.Errorf("%+v, %v", got, err)
		}
		if err := p.Send(&Command{Code: 40}); err != nil {
			t.Error(err)
		}
		if _, err := p.Call(timeout(t, time.Second), &Command{Code: 40}); !errors.Is(err, ErrTimeout) {
			t.Errorf("a handler without a result does not answer: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		if s := strings.Join(seen, "; "); s != "broker-a:10911 307 running info?; broker-a:10911 40 ; broker-a:10911 40 " {
			t.Errorf("%q", s)
		}
	})
}

// Both sides count their requests alike, so the numbers meet; bit 0 of the flag decides.
func TestServerRequestWithTheNumberOfAPendingCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var number atomic.Int32
		r := newRig(t, ClientConfig{OnRequest: func(_ context.Context, _ string, req *Command) *Command {
			number.Store(req.Opaque)
			return &Command{Body: []byte("from the client")}
		}})
		var pending *Command
		ready := make(chan *Peer, 1)
		r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
			pending = req
			ready <- p
		}})
		var got ends
		r.client.Go(brokerA, &Command{}, time.Minute, got.done)
		p := <-ready
		resp, err := p.Call(t.Context(), &Command{})
		if err != nil || string(resp.Body) != "from the client" {
			t.Fatalf("%+v, %v", resp, err)
		}
		if number.Load() != pending.Opaque {
			t.Fatalf("the numbers %d and %d differ, so this shows nothing", number.Load(), pending.Opaque)
		}
		if len(got.all()) != 0 {
			t.Fatal("the client's own call ended")
		}
		p.Reply(pending, &Command{Body: []byte("from the server")})
		if all := got.all(); len(all) != 1 || string(all[0].Cmd.Body) != "from the server" {
			t.Errorf("%+v", all)
		}
	})
}

func TestClientHandlerThatPanicsHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{OnRequest: func(_ context.Context, _ string, req *Command) *Command {
			if req.Code == 220 {
				var none []int
				none[req.Code] = 1
			}
			return &Command{}
		}})
		p := r.callers(brokerA)
		for range 20 {
			got, err := p.Call(t.Context(), &Command{Code: 220})
			if err != nil || got.Code != codeSystemError {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		if got, err := p.Call(t.Context(), &Command{Code: 307}); err != nil || got.Code != 0 {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Error(err)
		}
	})
}

func TestClientWithoutHandlerSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		p := r.callers(brokerA)
		if got, err := p.Call(t.Context(), &Command{Code: 307}); err != nil || got.Code != codeNotSupported {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// FR4 at this layer: a storm of notifications meets slow handlers. The reader goes on, the
// goroutines stay few, and what finds no room is answered.
func TestFR4StormOfRequestsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		r := newRig(t, ClientConfig{OnRequest: func(ctx context.Context, _ string, _ *Command) *Command {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return &Command{}
		}})
		p := r.callers(brokerA)
		before := runtime.NumGoroutine()
		for n := range 1000 {
			if err := p.Send(&Command{Code: 40}); err != nil {
				t.Fatal(err)
			}
			if n == handlers-1 {
				synctest.Wait() // all handlers are at work before the others come
			}
		}
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > before+handlers+5 { // those of the runtime come and go
			t.Errorf("%d goroutines more", n-before)
		}
		if got, err := p.Call(t.Context(), &Command{Code: 307}); err != nil || got.Code != codeSystemBusy {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := r.client.Call(timeout(t, time.Millisecond), brokerA, &Command{}); err != nil {
			t.Errorf("the reader is held up: %v", err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := most.Load(); n != handlers {
			t.Errorf("%d handlers at a time", n)
		}
		if s := r.client.Stats(); s.Requests != 1001 || s.RequestsRefused != 1001-256-handlers {
			t.Errorf("%+v", s)
		}
		if n := runtime.NumGoroutine(); n > before+5 {
			t.Errorf("%d goroutines, %d before the storm", n, before)
		}
	})
}

func TestServerCallEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{OnRequest: func(context.Context, string, *Command) *Command { return nil }})
		p := r.callers(brokerA)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := p.Call(t.Context(), &Command{}); !errors.Is(err, ErrLost) {
				t.Error(err)
			}
		})
		synctest.Wait()
		r.net.CutAll(brokerA)
		wg.Wait()
	})
}

// A request that waits for its handler keeps its bytes while other frames are read.
func TestRequestOfAServerKeepsItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := map[string]int{}
		r := newRig(t, ClientConfig{OnRequest: func(_ context.Context, _ string, req *Command) *Command {
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			seen[string(req.Body)]++
			return nil
		}})
		p := r.callers(brokerA)
		for i := range 100 {
			if err := p.Send(&Command{Code: 220, Body: fmt.Append(nil, "request ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for i := range 100 {
			if seen[fmt.Sprint("request ", i)] != 1 {
				t.Fatalf("request %d was seen %d times", i, seen[fmt.Sprint("request ", i)])
			}
		}
	})
}
