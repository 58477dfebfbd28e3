package remoting

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Everything once over real sockets: many callers, big and small bodies, both directions.
func TestOverTCP(t *testing.T) {
	s := NewServer(ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
		if req.Code == 40 {
			if err := p.Send(&Command{Code: 40}); err != nil {
				t.Error(err)
			}
		}
		echo(ctx, p, req)
	}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	stopServer := runs(t, func(ctx context.Context) error { return s.Serve(ctx, ln) })
	notified := make(chan string, 1)
	c := NewClient(ClientConfig{OnRequest: func(_ context.Context, addr string, _ *Command) *Command {
		notified <- addr
		return nil
	}})
	stopClient := runs(t, c.Run)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				body := make([]byte, i*i*100)
				for j := range body {
					body[j] = byte(g + i + j)
				}
				got, err := c.Call(t.Context(), addr, &Command{Body: body})
				if err != nil || string(got.Body) != string(body) {
					t.Errorf("%d bytes: %v", len(body), err)
					return
				}
			}
		})
	}
	wg.Wait()
	if _, err := c.Call(t.Context(), addr, &Command{Code: 40}); err != nil {
		t.Error(err)
	}
	if from := <-notified; from != addr {
		t.Errorf("a request came from %s", from)
	}
	stopServer()
	if _, err := c.Call(t.Context(), addr, &Command{}); err == nil {
		t.Error("an answer of a server that has ended")
	}
	c.Go(addr, &Command{}, time.Minute, func(Answer) {})
	stopClient()
}
