package consumer

import (
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/pull"
)

// Driver lets a person move the pulls of a consumer on a live cluster. Everything else goes on by
// itself: heartbeats, rebalance, locks, listeners, offsets.
type Driver interface {
	// Holds is asked when a pull's time comes, and again between what is decided in its turn and
	// what follows from that. While it says true the pull stays where it is until Release, or
	// CarryOn. It must not wait.
	Holds() bool
	// Turned is told when all was decided in a turn, and whether it stays open: nothing follows
	// from that before CarryOn, or the next Release. It must not wait either.
	Turned(open bool)
}

// Drive has d decide which pulls go on, nil nobody: what was held goes on then.
func (p *Push) Drive(d Driver) { p.loop.inbox.post(driven{d, d != nil}) }

// Release gives a pull that is held its turn; with the zero queue the one whose time came first, or
// else the next whose time comes. While another turn is open that is carried on first.
func (p *Push) Release(q mq.MessageQueue) { p.loop.inbox.post(released{q}) }

// CarryOn does what was decided in the turn that is open, if one is.
func (p *Push) CarryOn() { p.loop.inbox.post(carriedOn{}) }

type (
	driven struct {
		by Driver `pack:"-"`
		on bool
	}
	released  struct{ queue mq.MessageQueue }
	carriedOn struct{}
)

// drive is what a person holds.
type drive struct {
	by   Driver `pack:"-"`
	open *openTurn
}

// drives passes what a driver says through inputs; in a remake there is none.
type drives struct {
	Driver
	in *inputs
}

func (d drives) Holds() bool {
	if d.in.remakes() {
		return d.in.flag(false)
	}
	return d.in.flag(d.Driver.Holds())
}

func (d drives) Turned(open bool) {
	if !d.in.remakes() {
		d.Driver.Turned(open)
	}
}

// openTurn is a turn that was decided, and nothing of it was done yet.
type openTurn struct {
	o       *owned
	task    uint64
	actions []pull.Action
}

func (d *drive) on() bool { return d.by != nil }

func (d *drive) holds() bool { return d.by != nil && d.by.Holds() }

// driveStep carries out what whoever drives wants.
func (l *loop) driveStep(now time.Time, e event.Event) {
	switch e := e.(type) {
	case driven:
		l.drivenBy(e.by, e.on)
	case released:
		l.carryOn(now)
		l.scheduleStep(now, event.PullReleased{Queue: e.queue})
	case carriedOn:
		l.carryOn(now)
	}
	if !l.drive.holds() {
		l.carryOn(now)
	}
	l.scheduleStep(now, event.Tick{})
}

// drivenBy has d hold pulls from now on, if on.
func (l *loop) drivenBy(d Driver, on bool) {
	l.drive.by, l.schedule.Holds = nil, nil
	if on {
		l.drive.by = drives{d, l.in}
		l.schedule.Holds = l.drive.by.Holds
	}
}

// openOr leaves a turn open, if it is held, else it does what was decided.
func (l *loop) openOr(now time.Time, o *owned, task uint64, actions []pull.Action) {
	open := l.drive.holds() && l.drive.open == nil
	if open {
		l.drive.open = &openTurn{o, task, slices.Clone(actions)}
		l.schedule.Open(o.id, o.epoch)
	}
	l.drive.turned(open)
	if !open {
		l.follow(now, o, actions)
	}
}

func (d *drive) turned(open bool) {
	if d.by != nil {
		d.by.Turned(open)
	}
}

// carryOn does what was decided in the open turn. If its queue was given up meanwhile the request
// has ended with it.
func (l *loop) carryOn(now time.Time) {
	open := l.drive.open
	if open == nil {
		return
	}
	l.drive.open = nil
	o := open.o
	if l.live(o.id, o.epoch) != o || o.leaving != nil {
		return
	}
	l.schedule.GoesOn(now, o.id, o.epoch)
	for _, a := range open.actions {
		if a, ok := a.(pull.Send); ok && a.Commit > 0 && a.Commit < l.committable(o) {
			o.sent = sentOffset{} // it goes back at the broker: the newer one is sent anew
		}
	}
	l.follow(now, o, open.actions)
}

// attempted says that requests which a person holds are not lost: else the rebalance would give
// their queues up as not pulled for too long, and take them again.
func (l *loop) attempted(now time.Time) {
	if !l.drive.on() {
		return
	}
	if open := l.drive.open; open != nil {
		l.rebalance.Attempted(now, open.o.id)
	}
	for _, q := range l.order {
		if l.schedule.Held(q) {
			l.rebalance.Attempted(now, q)
		}
	}
}
