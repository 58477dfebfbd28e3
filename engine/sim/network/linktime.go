package network

import (
	"fmt"

	"mqscope/engine/remoting"
)

// expire ends a call whose time is over, and the connection when nothing comes at all.
func (l *link) expire(n *call) {
	l.miss(n)
	took := l.net.tl.Now().Sub(n.started)
	l.calls.end(n, nil, fmt.Errorf("%s did not answer within %v: %w", l.address.addr, took, remoting.ErrTimeout))
	l.check()
	l.watch()
}

// cancel ends a call without telling it. expired says that its caller had no more time, which
// shows, as an expired call does, that nothing comes.
func (l *link) cancel(n *call, expired bool) {
	if l.calls.take(n.opaque) == nil {
		return
	}
	if expired {
		l.miss(n)
	}
	l.net.tl.After(0, func() {
		l.check()
		l.watch()
	})
}

// miss notes that a call got no answer in its time.
func (l *link) miss(n *call) {
	if l.open && l.unanswered.IsZero() {
		l.unanswered = n.started
		if l.heardAt.After(n.started) {
			l.unanswered = l.heardAt
		}
	}
}

// check gives the connection up when calls expired and nothing came for too long.
func (l *link) check() {
	if l.open && !l.unanswered.IsZero() && l.net.tl.Now().Sub(l.unanswered) >= l.net.cfg.DeadAfter {
		l.address.ended(l, &remoting.LostError{Addr: l.address.addr, Err: errDead})
	}
}

// watch sees to it that the connection is closed when it stays silent without calls.
func (l *link) watch() {
	if l.watching || !l.open || len(l.calls.list) > 0 {
		return
	}
	l.watching = true
	wait := max(l.active.Add(l.net.cfg.IdleAfter).Sub(l.net.tl.Now()), 0)
	l.net.tl.After(wait, l.idle)
}

func (l *link) idle() {
	l.watching = false
	switch {
	case !l.open || len(l.calls.list) > 0:
	case l.net.tl.Now().Sub(l.active) < l.net.cfg.IdleAfter:
		l.watch()
	default:
		l.address.ended(l, errIdle)
	}
}
