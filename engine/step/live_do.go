package step

import (
	"errors"

	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
)

// errLive is why time does not go back on a live cluster, nor is changed.
var errLive = errors.New("only on virtual time: a live cluster goes on by itself")

// Do carries out a command of package command; it says false to any other.
func (l *Live) Do(cmd any) (known bool) {
	known = true
	l.locked(func() orders {
		o, ok := l.do(cmd)
		if known = ok; o.refuse != nil {
			l.hit = snapshot.SchedHit{Step: l.steps, Why: o.refuse.Error()}
		}
		return o
	})
	signal(l.wake)
	return known
}

func (l *Live) do(cmd any) (o orders, known bool) {
	var err error
	switch c := cmd.(type) {
	case command.One:
		l.begin(false)
		return l.one(), true
	case command.Task:
		l.begin(false)
		return l.wholeTurn(), true
	case command.Run:
		return l.run(liveGoal{}), true
	case command.Pause:
		l.stand()
	case command.Until:
		g := liveGoal{task: c.Task}
		if c.Task == 0 {
			g.place, err = ParsePlace(c.Condition)
		}
		if err == nil {
			return l.run(g), true
		}
	case command.Pace:
		l.pace = paced(l.pace, c.Delta)
		if l.passing() {
			return l.letGo(), true
		}
	case command.SetBreakpoint:
		var b *Breakpoint
		if b, err = breakpointOf(c); err == nil {
			l.bps.set(b)
		}
	case command.Toggle:
		err = l.bps.toggle(c.Index, c.Words)
	case command.Delete:
		err = l.bps.delete(c.Index, c.Words)
	case command.Back, command.Goto, command.Change:
		err = errLive
	default:
		return orders{}, false
	}
	return orders{refuse: err}, true
}

// begin ends what went on and forgets why the last move stopped.
func (l *Live) begin(runs bool) {
	l.running, l.goal, l.whole, l.hit, l.broken = runs, liveGoal{}, false, snapshot.SchedHit{}, nil
}

// one shows the next decision of the turn, has it go on at its end, or begins the next turn.
func (l *Live) one() orders {
	if l.open && len(l.ahead) == 0 {
		return l.endTurn()
	}
	l.owed++
	l.show()
	return l.next()
}

// wholeTurn shows all of this turn, or of the next when none is open, and has it go on.
func (l *Live) wholeTurn() orders {
	l.whole = true
	l.show()
	if l.whole && l.open {
		return l.endTurn()
	}
	return l.next()
}

// next begins the next turn, when none has begun and that was not asked for yet.
func (l *Live) next() orders {
	if l.open || l.deciding || l.released {
		return orders{}
	}
	l.released = true
	return orders{release: true}
}

// run lets everything go on, until a breakpoint or a goal.
func (l *Live) run(g liveGoal) orders {
	l.begin(true)
	l.goal, l.owed = g, 0
	if l.pace > 0 {
		return orders{}
	}
	return l.letGo()
}

// tick is a step of a run that has a pace.
func (l *Live) tick() {
	l.locked(func() orders {
		if !l.running || l.pace == 0 {
			return orders{}
		}
		if l.owed > 0 { // none has come yet
			return orders{}
		}
		return l.one()
	})
}
