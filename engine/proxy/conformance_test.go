package proxy

import (
	"context"
	"testing"
	"testing/synctest"

	"mqscope/engine/conformance"
	"mqscope/engine/embedded"
	"mqscope/engine/remoting"
)

// startClient runs a client for a check.
func startClient(t testing.TB) func(cfg remoting.ClientConfig) (*remoting.Client, func()) {
	return func(cfg remoting.ClientConfig) (*remoting.Client, func()) {
		c := remoting.NewClient(cfg)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := c.Run(ctx); err != nil {
				t.Errorf("client: %v", err)
			}
		}()
		return c, func() { cancel(); <-ended }
	}
}

// seenAt is the address at which clients find a broker that is at addr.
func seenAt(p *Proxy) func(addr string) string {
	return func(addr string) string {
		port, ok := p.doors.to(p, addr)
		if !ok {
			return addr
		}
		return "127.0.0.1:" + port
	}
}

// TestTheConformanceSuitePassesThrough runs each check on a fresh cluster behind a proxy.
func TestTheConformanceSuitePassesThrough(t *testing.T) {
	for _, check := range conformance.Checks() {
		t.Run(check.ID+" "+check.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				check.Run(&conformance.Env{
					TB: t, NameServer: w.proxy.Addr(), Dial: w.net.Dial, Start: startClient(t), Unique: check.ID,
					Seen: seenAt(w.proxy),
					Expire: func(topic string, queue int32, offset int64) {
						w.cluster.Inspect(func(s *embedded.State) {
							for _, b := range s.Brokers() {
								b.Trim(topic, queue, offset)
							}
						})
					},
				})
				if s := w.proxy.Stats(); s.FromClients.Frames == 0 {
					t.Errorf("nothing came through: %+v", s)
				}
			})
		})
	}
}
