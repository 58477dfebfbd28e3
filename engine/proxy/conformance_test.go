package proxy

import (
	"context"
	"slices"
	"sync/atomic"
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

// sameAs compares what was concluded while it happened with what packets of it tell.
func (w *world) sameAs(t testing.TB, packets *tap) {
	t.Helper()
	if t.Skipped() {
		return
	}
	if s := w.proxy.Stats(); s.FromClients.Frames == 0 || s.Unseen > 0 {
		t.Errorf("nothing came through, or not all was looked at: %+v", s)
	}
	seen, told := factsOf(w.events.list()), factsOf(packets.events(t))
	w.facts.Add(int64(len(seen)))
	if !slices.Equal(seen, told) {
		t.Errorf("%d facts, packets tell %d", len(seen), len(told))
		for _, f := range seen {
			if !slices.Contains(told, f) {
				t.Errorf("not in packets: %.300s", f)
			}
		}
		for _, f := range told {
			if !slices.Contains(seen, f) {
				t.Errorf("not seen: %.300s", f)
			}
		}
	}
}

// TestTheConformanceSuitePassesThrough runs each check on a fresh cluster behind a proxy. What the
// proxy concludes of it is what a capture of the same traffic tells.
func TestTheConformanceSuitePassesThrough(t *testing.T) {
	var facts atomic.Int64
	t.Run("checks", func(t *testing.T) { allChecks(t, &facts) })
	if facts.Load() < 1000 {
		t.Errorf("only %d facts were compared", facts.Load())
	}
}

func allChecks(t *testing.T, facts *atomic.Int64) {
	for _, check := range conformance.Checks() {
		t.Run(check.ID+" "+check.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var packets *tap
				w := newWorld(t, func(c *Config) {
					packets = newTap(c.Dial)
					c.Dial = packets.Dial
				})
				w.facts = facts
				t.Cleanup(func() { // when the clients have ended, before the proxy does
					synctest.Wait()
					w.sameAs(t, packets)
				})
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
			})
		})
	}
}
