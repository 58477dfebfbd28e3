package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/observer"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
)

// Proxy is one. Make it with New and run it.
type Proxy struct {
	cfg    Config
	chunks chunks
	doors  *doors
	watch  *observer.Observer // nil without a Sink
	count  counters
	ready  chan struct{}
	ln     net.Listener // where clients find their name server; nil before Listen
	group  *lifecycle.Group
	ctx    context.Context //nolint:containedctx // of Run, for listeners that are made later

	mu      sync.Mutex
	said    map[string]time.Time    // notices
	listens map[netip.AddrPort]bool // where we do
}

// New makes a proxy, or says all that is wrong with cfg.
func New(cfg Config) (*Proxy, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Proxy{cfg: cfg, doors: newDoors(), ready: make(chan struct{}), said: make(map[string]time.Time), listens: make(map[netip.AddrPort]bool)}
	if cfg.Sink != nil {
		p.watch = newObserver(p, restFor)
	}
	return p, nil
}

// Ready is closed once clients may come.
func (p *Proxy) Ready() <-chan struct{} { return p.ready }

// Addr is where clients find their name server, once Listen or Run has made that.
func (p *Proxy) Addr() string { return p.ln.Addr().String() }

// Listen makes the address that clients are pointed at; they are served by Run. Run does it where
// it was not done.
func (p *Proxy) Listen(ctx context.Context) error {
	ln, err := p.cfg.ListenFunc(ctx, "tcp", p.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen for clients at %s: %w", p.cfg.Listen, err)
	}
	p.ln = ln
	return nil
}

// Run serves until ctx ends: it then ends all connections, has the observer finish, and returns.
// It runs once.
func (p *Proxy) Run(ctx context.Context) error {
	if p.ln == nil {
		if err := p.Listen(ctx); err != nil {
			return err
		}
	}
	watching, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	if p.watch != nil {
		watching.Go("observer", p.look)
	}
	p.group, p.ctx = lifecycle.NewGroup(ctx)
	p.serve(&door{ln: p.ln, leads: p.cfg.NameServers})
	p.group.Go("unused listeners", func(ctx context.Context) error { return p.doors.sweep(ctx, p.cfg.Clock) })
	close(p.ready)
	err := p.group.Wait()
	if p.watch != nil {
		p.watch.End()
	}
	return errors.Join(err, watching.Wait())
}

// acceptAgain is how long to wait after an accept that failed while the listener lives on, as
// when there are no file descriptors.
const acceptAgain = 50 * time.Millisecond

// serve takes connections at a door until it is closed or the proxy ends.
func (p *Proxy) serve(d *door) {
	p.count.doors.Add(1)
	p.listening(d.ln, true)
	p.group.Go("accept on "+d.ln.Addr().String(), func(ctx context.Context) error {
		defer p.count.doors.Add(-1)
		defer p.listening(d.ln, false)
		defer context.AfterFunc(ctx, func() { _ = d.ln.Close() })() // accept sees it
		for {
			conn, err := d.ln.Accept()
			switch {
			case err == nil:
				d.open.Add(1)
				p.group.Go("connection of "+conn.RemoteAddr().String(), func(ctx context.Context) error {
					defer d.open.Add(-1)
					return p.connect(ctx, d, conn)
				})
			case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
				return nil
			default:
				p.cfg.Log.Warn("accept", "listener", d.ln.Addr().String(), "err", err)
				if clock.Sleep(ctx, p.cfg.Clock, acceptAgain) != nil {
					return nil
				}
			}
		}
	})
}

// connect takes one connection of a client.
func (p *Proxy) connect(ctx context.Context, d *door, client net.Conn) error {
	server, err := p.reach(ctx, d)
	if err != nil {
		resetConn(client)
		if ctx.Err() == nil {
			p.count.refused.Add(1)
			p.notice(Unreachable, err.Error())
			p.refused(d, client, err)
		}
		return nil
	}
	p.count.opened.Add(1)
	p.count.open.Add(1)
	defer p.count.open.Add(-1)
	l := &link{proxy: p, client: client, server: server, rename: p.renamer(client)}
	if p.watch != nil {
		l.view = p.watch.Open(capture.AddrOf(client.RemoteAddr()), capture.AddrOf(server.RemoteAddr()))
	}
	return l.run(ctx)
}

// refusedEvery is how often it is recorded of a server that it can not be reached: clients try again
// some times a second.
const refusedEvery = time.Second

// refused has what is seen tell of a client whose server could not be reached.
func (p *Proxy) refused(d *door, client net.Conn, why error) {
	if p.watch == nil || !d.refusal(p.cfg.Clock.Now()) {
		return
	}
	server, _ := netip.ParseAddrPort(d.leads[0]) // a name is in the words alone
	p.watch.Refused(capture.AddrOf(client.RemoteAddr()), server, strings.ReplaceAll(why.Error(), "\n", "; "))
}

// renamer returns what gives a client the addresses to use for those of brokers.
func (p *Proxy) renamer(client net.Conn) func(addr string) (string, bool) {
	host := p.cfg.Advertise
	if host == "" { // where it has found us, it finds all of us
		host, _, _ = splitAddr(client.LocalAddr().String(), 0) // an address of ours is one
	}
	return func(addr string) (string, bool) {
		port, ok := p.doors.to(p, addr)
		return net.JoinHostPort(host, port), ok
	}
}

// reach connects to where a door leads.
func (p *Proxy) reach(ctx context.Context, d *door) (net.Conn, error) {
	var faults []error
	first := int(d.good.Load())
	for i := range d.leads {
		at := (first + i) % len(d.leads)
		within, cancel := context.WithTimeout(ctx, dialWithin)
		conn, err := p.cfg.Dial(within, "tcp", d.leads[at])
		cancel()
		if err == nil && p.isOurs(conn) {
			_ = conn.Close() // it leads to nobody
			err = errItself
		}
		if err == nil {
			d.good.Store(int32(at))
			return conn, nil
		}
		faults = append(faults, fmt.Errorf("%s can not be reached: %w", d.leads[at], err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(faults...)
}

// errItself says that an address is the proxy's own: each connection would make another one.
var errItself = errors.New("it leads back to this proxy")

// isOurs tells whether a connection that was made ends at one of our own listeners.
func (p *Proxy) isOurs(c net.Conn) bool {
	to, from := capture.AddrOf(c.RemoteAddr()), capture.AddrOf(c.LocalAddr())
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := range p.listens {
		if at == to || at.Port() == to.Port() && at.Addr().IsUnspecified() && from.Addr() == to.Addr() {
			return true
		}
	}
	return false
}

// listening notes where we listen, and where no longer.
func (p *Proxy) listening(ln net.Listener, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if on {
		p.listens[capture.AddrOf(ln.Addr())] = true
	} else {
		delete(p.listens, capture.AddrOf(ln.Addr()))
	}
}

const (
	// sayAgain is how long the same notice is not told again.
	sayAgain = time.Minute
	maxSaid  = 1000
)

// notice tells something, but not the same over and over.
func (p *Proxy) notice(kind NoticeKind, text string) {
	now, key := p.cfg.Clock.Now(), string(kind)+" "+text
	p.mu.Lock()
	last, again := p.said[key]
	again = again && now.Sub(last) < sayAgain
	if !again {
		if len(p.said) >= maxSaid {
			clear(p.said)
		}
		p.said[key] = now
	}
	p.mu.Unlock()
	if !again {
		p.cfg.OnNotice(Notice{kind, text})
	}
}
