package network

import (
	"errors"
	"time"

	"mqscope/engine/remoting"
)

// address is one address from the first request for it until it is forgotten, idle or no
// longer wanted: connecting → up → (lost) backoff → connecting …
type address struct {
	net     *net
	addr    string
	link    *link // takes requests: while first connecting and while up
	dialled *link // is being connected, or was last
	up      bool
	gone    bool
	tries   int
	asked   time.Time // last
	since   time.Time
	err     error // why it is not up
	retryAt time.Time
}

func newAddress(n *net, addr string) *address {
	now := n.tl.Now()
	a := &address{net: n, addr: addr, asked: now, since: now}
	a.link = newLink(a)
	a.dial(a.link)
	return a
}

// ask returns the link for one more request.
func (a *address) ask() (*link, error) {
	a.asked = a.net.tl.Now()
	if a.link == nil {
		return nil, &remoting.UnreachableError{Addr: a.addr, RetryAt: a.retryAt, Err: a.err}
	}
	return a.link, nil
}

// dial connects l; there and back is a round trip.
func (a *address) dial(l *link) {
	a.dialled = l
	a.retryAt = time.Time{}
	a.net.tl.After(2*a.net.cluster.cfg.Latency, func() {
		if a.gone {
			return
		}
		p := a.net.cluster.accept(a.addr, l.receive)
		if p == nil {
			a.ended(l, &remoting.UnreachableError{Addr: a.addr, Err: errRefused})
			return
		}
		a.link, a.up, a.err, a.since = l, true, nil, a.net.tl.Now()
		a.net.cfg.Log.Info("connected", "addr", a.addr)
		l.accepted(p)
		a.tell()
		l.flush()
	})
}

// ended says that l is over: its calls are told, then the address goes on without it.
func (a *address) ended(l *link, err error) {
	l.end(err)
	if a.gone || a.dialled != l {
		return
	}
	if errors.Is(l.why, errIdle) {
		a.leave(nil)
		return
	}
	if l.useful {
		a.tries = 0
	}
	wait := a.net.backoff(a.tries)
	a.tries++
	a.lost(cause(err), wait)
	a.net.tl.After(wait, a.again)
}

// cause is what is behind a LostError or UnreachableError.
func cause(err error) error {
	if e, ok := errors.AsType[*remoting.LostError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*remoting.UnreachableError](err); ok {
		return e.Err
	}
	return err
}

// lost notes that there is no connection and when the next dial is due.
func (a *address) lost(err error, wait time.Duration) {
	now := a.net.tl.Now()
	if a.up || a.err == nil {
		a.since = now
	}
	a.link, a.up, a.err, a.retryAt = nil, false, err, now.Add(wait)
	a.net.cfg.Log.Warn("not connected", "addr", a.addr, "retry_in", wait, "err", err)
	a.tell()
}

// again dials once more, unless nobody has asked for the address lately.
func (a *address) again() {
	switch {
	case a.gone:
	case a.net.tl.Now().Sub(a.asked) >= a.net.cfg.WantedFor:
		a.leave(a.err)
	default:
		a.dial(newLink(a))
	}
}

// close ends the address from this side.
func (a *address) close() {
	if a.gone {
		return
	}
	if l := a.link; l != nil {
		l.end(remoting.ErrClosed)
	}
	a.leave(nil)
}

// leave ends the address; whoever asks next finds a new one.
func (a *address) leave(err error) {
	replaced := a.net.drop(a)
	a.link, a.up, a.gone, a.err, a.since, a.retryAt = nil, false, true, err, a.net.tl.Now(), time.Time{}
	a.net.cfg.Log.Info("connection given up", "addr", a.addr)
	if !replaced {
		a.tell()
	}
}

func (a *address) tell() {
	if f := a.net.cfg.OnState; f != nil {
		f(a.snapshot())
	}
}

func (a *address) snapshot() remoting.AddrState {
	s := remoting.AddrState{Addr: a.addr, Up: a.up, Err: a.err, RetryAt: a.retryAt, Since: a.since}
	if a.link != nil {
		if s.InFlight = len(a.link.calls.list); s.InFlight > 0 {
			s.OldestCall = a.net.tl.Now().Sub(a.link.calls.list[0].started)
		}
	}
	return s
}

// backoff is how long to wait after so many tries that brought nothing: doubling from the
// base to the maximum, varied by up to a fifth, as remoting's.
func (n *net) backoff(tries int) time.Duration {
	d := n.cfg.BackoffMax
	if tries < 20 {
		d = min(n.cfg.BackoffBase<<tries, d)
	}
	return time.Duration(float64(d) * (0.8 + 0.4*n.cfg.Rand.Float64()))
}
