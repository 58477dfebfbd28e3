package proxy

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
)

const (
	// maxDoors is how many addresses of brokers are listened for; those of a cluster are few.
	maxDoors = 1024
	// keepUnused is how long a listener stays that no answer names and no client uses; a client
	// asks for routes every 30 s.
	keepUnused = 10 * time.Minute
	// vipBelow is how far below its port a broker has its VIP channel (MixAll.brokerVIPChannel).
	vipBelow = 2
	// portTries is how often a pair of free ports is looked for.
	portTries = 200
)

// door is one listener and where it leads.
type door struct {
	ln    net.Listener
	leads []string     // addresses, tried in this order
	good  atomic.Int32 // of leads, the one that was reached last
	open  atomic.Int32 // connections

	mu      sync.Mutex
	refused time.Time // when it was recorded last that none of leads could be reached
}

// refusal tells whether it is to be recorded again that nobody could be reached.
func (d *door) refusal(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.refused.IsZero() && now.Sub(d.refused) < refusedEvery {
		return false
	}
	d.refused = now
	return true
}

// entry is both listeners of one address of a broker.
type entry struct {
	port      string
	main, vip *door // vip may be nil
	named     time.Time
}

func (e *entry) unused() bool {
	return e.main.open.Load() == 0 && (e.vip == nil || e.vip.open.Load() == 0)
}

func (e *entry) close() {
	_ = e.main.ln.Close() // its accept loop sees it
	if e.vip != nil {
		_ = e.vip.ln.Close()
	}
}

// doors are the listeners for brokers.
type doors struct {
	making chan struct{} // of size one: who makes listeners

	mu     sync.Mutex
	byAddr map[string]*entry
}

func newDoors() *doors {
	return &doors{making: make(chan struct{}, 1), byAddr: make(map[string]*entry)}
}

func (d *doors) find(addr string, now time.Time) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.byAddr[addr]
	if e != nil {
		e.named = now
	}
	return e
}

// to returns the port that leads to a broker's address, false if none can.
func (d *doors) to(p *Proxy, addr string) (port string, ok bool) {
	now := p.cfg.Clock.Now()
	if e := d.find(addr, now); e != nil {
		return e.port, true
	}
	_, n, err := splitAddr(addr, 1)
	if err != nil {
		return "", false // no address
	}
	d.making <- struct{}{}
	defer func() { <-d.making }()
	if e := d.find(addr, now); e != nil { // somebody was faster
		return e.port, true
	}
	if d.count() >= maxDoors && !d.drop(now, 0) {
		p.notice(NotRewritten, fmt.Sprintf("more than %d addresses of brokers are in use: clients go to %s past the proxy", maxDoors, addr))
		return "", false
	}
	e, err := p.makeEntry(addr, n)
	if err != nil {
		p.notice(NotRewritten, "clients go to "+addr+" past the proxy: "+err.Error())
		return "", false
	}
	e.named = now
	d.mu.Lock()
	d.byAddr[addr] = e
	d.mu.Unlock()
	p.notice(BrokerFound, addr+" is at port "+e.port)
	return e.port, true
}

func (d *doors) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.byAddr)
}

// drop closes listeners that were not used for so long, and tells whether there was one.
func (d *doors) drop(now time.Time, unused time.Duration) bool {
	d.mu.Lock()
	var gone []*entry
	for addr, e := range d.byAddr {
		if e.unused() && now.Sub(e.named) >= unused {
			delete(d.byAddr, addr)
			gone = append(gone, e)
		}
	}
	d.mu.Unlock()
	for _, e := range gone {
		e.close()
	}
	return len(gone) > 0
}

// sweep drops what is not used until ctx ends.
func (d *doors) sweep(ctx context.Context, c clock.Clock) error {
	for clock.Sleep(ctx, c, time.Minute) == nil {
		d.drop(c.Now(), keepUnused)
	}
	return ctx.Err()
}

// makeEntry listens for a broker at two ports that lie as its own do.
func (p *Proxy) makeEntry(addr string, port int) (*entry, error) {
	host := addr[:len(addr)-len(strconv.Itoa(port))]
	e := &entry{main: &door{leads: []string{addr}}}
	if port > vipBelow {
		e.vip = &door{leads: []string{host + strconv.Itoa(port-vipBelow)}}
	}
	if err := p.listenPair(e); err != nil {
		return nil, err
	}
	p.serve(e.main)
	if e.vip != nil {
		p.serve(e.vip)
	}
	return e, nil
}

// listenPair looks for two free ports that lie two apart.
func (p *Proxy) listenPair(e *entry) error {
	host, _, err := splitAddr(p.cfg.Listen, 0)
	if err != nil {
		return err
	}
	var failed error
	for try := range portTries {
		want := 0
		if p.cfg.FirstPort > 0 {
			if want = p.cfg.FirstPort + try; want > 65535 {
				break
			}
		}
		ln, err := p.cfg.ListenFunc(p.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(want)))
		if err != nil {
			failed = err
			continue
		}
		_, got, err := splitAddr(ln.Addr().String(), 1)
		if err == nil && e.vip != nil {
			e.vip.ln, err = p.cfg.ListenFunc(p.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(got-vipBelow)))
		}
		if err != nil {
			failed = err
			_ = ln.Close() // nobody knows of it
			continue
		}
		e.main.ln, e.port = ln, strconv.Itoa(got)
		return nil
	}
	return fmt.Errorf("no two free ports that lie %d apart: %w", vipBelow, failed)
}
