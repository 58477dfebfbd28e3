package remoting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestServerRequestsAreHandledInOrderAndAnsweredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var order []string
		r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
			order = append(order, string(req.Body))
			// The request is kept beyond the handler, as a long poll is.
			time.AfterFunc(time.Second, func() { p.Reply(req, &Command{Body: req.Body}) })
		}})
		var got ends
		var want []string
		for i := range 100 {
			body := fmt.Sprint(i) + strings.Repeat("x", i*10)
			want = append(want, body)
			r.client.Go(brokerA, &Command{Body: []byte(body)}, time.Minute, got.done)
		}
		time.Sleep(2 * time.Second)
		all := got.all()
		if diff := cmp.Diff(want, order); diff != "" || len(all) != 100 {
			t.Errorf("%d answers\n%s", len(all), diff)
		}
		seen := map[string]bool{}
		for _, a := range all {
			seen[string(a.Cmd.Body)] = true
		}
		if len(seen) != 100 {
			t.Errorf("%d different answers", len(seen))
		}
	})
}

func TestServerAnswersWithItsOwnEncoding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		asked := make(chan *Command, 1)
		r.serve(brokerA, ServerConfig{Serialize: RocketMQ, Version: 479, Handler: func(ctx context.Context, p *Peer, req *Command) {
			resp := &Command{Code: req.Code, Opaque: 99, Fields: Fields{{"a", "1"}}}
			p.Reply(req, resp)
			if resp.Opaque != 99 || resp.Flag != 0 {
				t.Errorf("the answer was changed: %+v", resp)
			}
			if err := p.Send(&Command{Code: 200050}); err != nil {
				t.Error(err)
			}
		}})
		r.client.cfg.OnRequest = func(_ context.Context, _ string, req *Command) *Command { asked <- req; return nil }
		for code, want := range map[int32]SerializeType{0: RocketMQ, -1000: RocketMQ, 200050: JSON} {
			got, err := r.client.Call(t.Context(), brokerA, &Command{Code: code})
			if err != nil || got.Serialize != want || got.Code != code || got.Version != 479 {
				t.Errorf("code %d: %+v, %v", code, got, err)
			}
			if req := <-asked; req.Code != 200050 || !req.IsOneWay() || req.Serialize != JSON {
				t.Errorf("%+v", req)
			}
		}
	})
}

func TestServerHandlerThatPanicsIsAnsweredAndTheConnectionStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Log: slog.New(slog.NewTextHandler(&log, nil)), Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 1 {
				panic("no such queue")
			}
			p.Reply(req, &Command{Body: fmt.Append(nil, p.ID())})
		}})
		got, err := r.client.Call(t.Context(), brokerA, &Command{Code: 1, Body: []byte("secret")})
		if err != nil || got.Code != codeSystemError {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil || string(got.Body) != "1" {
			t.Errorf("%+v, %v", got, err)
		}
		if s := log.String(); !strings.Contains(s, "no such queue") || !strings.Contains(s, "server_test.go") || strings.Contains(s, "secret") {
			t.Errorf("the log says %s", s)
		}
	})
}

func TestServerWithoutHandlerSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{})
		got, err := r.client.Call(t.Context(), brokerA, &Command{Code: 4711, Body: []byte("x")})
		if err != nil || got.Code != codeNotSupported || !strings.Contains(got.Remark, "4711") {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestServerAnswerThatCannotBeWrittenBecomesAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
			p.Reply(req, &Command{Body: make([]byte, 17<<20)})
		}})
		got, err := r.client.Call(t.Context(), brokerA, &Command{})
		if err != nil || got.Code != codeSystemError || !strings.Contains(got.Remark, "Limits.FrameBytes") {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestServerClosesClientsThatDoNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		closed := 0
		_, _ = r.serve(brokerA, ServerConfig{Limits: Limits{PendingBytes: 1 << 20}, OnClose: func(*Peer) { closed++ },
			Handler: func(_ context.Context, p *Peer, req *Command) {
				for range 200 {
					p.Reply(req, &Command{Body: make([]byte, 10<<10)})
				}
			}})
		c, err := r.net.Dial(t.Context(), "tcp", brokerA)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		b, _ := AppendFrame(nil, &Command{}, Limits{})
		c.Write(b)
		synctest.Wait()
		if closed != 1 {
			t.Errorf("%d connections closed", closed)
		}
	})
}

func TestServerEndsConnectionsThatSendBadFramesAndNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		s, _ := r.serve(brokerA, ServerConfig{Handler: echo})
		for _, bad := range []string{"\xff\xff\xff\xff", "\x00\x00\x00\x00", "GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x08\x00\x00\x00\x04{}{}"} {
			c, err := r.net.Dial(t.Context(), "tcp", brokerA)
			if err != nil {
				t.Fatal(err)
			}
			good, _ := AppendFrame(nil, &Command{Opaque: 5}, Limits{})
			c.Write(good)
			if resp := receive(c); resp == nil || resp.Opaque != 5 {
				t.Fatalf("%+v", resp)
			}
			c.Write([]byte(bad))
			if rest, _ := io.ReadAll(c); len(rest) != 0 {
				t.Errorf("%q was answered with %q", bad, rest)
			}
			c.Close()
			if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
				t.Errorf("another client: %v", err)
			}
		}
		if n := s.Stats().BadFrames; n != 4 {
			t.Errorf("%d bad frames counted", n)
		}
	})
}

func TestServerServesOneByteAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		c, err := r.net.Dial(t.Context(), "tcp", brokerA)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for i := range int32(5) {
			b, _ := AppendFrame(nil, &Command{Opaque: i, Body: []byte("piece by piece")}, Limits{})
			for j := range b {
				c.Write(b[j : j+1])
				synctest.Wait()
			}
			if resp := receive(c); resp == nil || resp.Opaque != i || string(resp.Body) != "piece by piece" {
				t.Fatalf("%+v", resp)
			}
		}
	})
}

func TestServerClosesIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{IdleAfter: time.Hour})
		var mu sync.Mutex
		var gone []time.Time
		closed := func() []time.Time {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(gone)
		}
		r.serve(brokerA, ServerConfig{Handler: echo, OnClose: func(*Peer) {
			mu.Lock()
			defer mu.Unlock()
			gone = append(gone, time.Now())
		}})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		last := time.Now()
		time.Sleep(119 * time.Second)
		if len(closed()) != 0 {
			t.Fatal("closed early")
		}
		time.Sleep(2 * time.Second)
		if at := closed(); len(at) != 1 || at[0].Sub(last) != 120*time.Second {
			t.Errorf("closed %v, last used %v", at, last)
		}
	})
}

func TestServerEndLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var peers []*Peer
		closed := map[uint64]int{}
		var mu sync.Mutex
		_, stop := r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, _ *Command) {
			mu.Lock()
			defer mu.Unlock()
			peers = append(peers, p)
		}, OnClose: func(p *Peer) {
			mu.Lock()
			defer mu.Unlock()
			closed[p.ID()]++
		}})
		var got ends
		r.client.Go(brokerA, &Command{}, time.Hour, got.done)
		synctest.Wait()
		stop()
		if all := got.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrLost) {
			t.Errorf("%v", all)
		}
		if diff := cmp.Diff(map[uint64]int{peers[0].ID(): 1}, closed); diff != "" {
			t.Error(diff)
		}
		// What comes late does no harm.
		peers[0].Reply(&Command{}, &Command{})
		peers[0].Close()
		if err := peers[0].Send(&Command{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if _, err := peers[0].Call(t.Context(), &Command{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}

func TestServerListenerThatFailsIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		ln := r.listen(brokerA)
		done := make(chan error, 1)
		go func() { done <- NewServer(ServerConfig{}).Serve(context.Background(), &shaky{Listener: ln}) }()
		time.Sleep(time.Second)
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Errorf("after accepts that failed for a while: %v", err)
		}
		ln.Close()
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the listener was closed by others: %v", err)
		}
	})
}

// shaky fails the first accepts, as when there are no file descriptors.
type shaky struct {
	net.Listener
	n int
}

func (s *shaky) Accept() (net.Conn, error) {
	if s.n++; s.n < 5 {
		return nil, errors.New("too many open files")
	}
	return s.Listener.Accept()
}
