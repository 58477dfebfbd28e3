package engine

import (
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// driver is who moves the pulls of a Live.
type driver struct {
	holds  func() bool
	turned func(open bool)
}

func (d driver) Holds() bool      { return d.holds() }
func (d driver) Turned(open bool) { d.turned(open) }

// Drive has a person move the pulls, see consumer.Driver. It may be called before Run: no pull is
// made then that was not let through.
func (l *Live) Drive(holds func() bool, turned func(open bool)) { l.push.Drive(driver{holds, turned}) }

// Release gives a pull that is held its turn, see consumer.Push.
func (l *Live) Release(q mq.MessageQueue) { l.push.Release(q) }

// CarryOn does what was decided in the turn that is open, see consumer.Push.
func (l *Live) CarryOn() { l.push.CarryOn() }

// WatchDecisions has all that the consumer decides told to s, nil for nobody.
func (l *Live) WatchDecisions(s decision.Sink) { l.push.WatchDecisions(s) }

// Refuse tells in the event stream why something that a person asked for is not done.
func (l *Live) Refuse(why string) {
	l.push.Note(event.Entry{Level: event.Warn, Source: "engine", What: "not done: " + why})
}
