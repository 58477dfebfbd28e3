package step

import (
	"context"
	"sync"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/invariant"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Consumer is a consumer on a live cluster whose pulls a person moves. What it is asked for it
// does in the order in which it is asked, and none of it waits.
type Consumer interface {
	// Run consumes until ctx ends, then leaves cleanly.
	Run(ctx context.Context) error
	Snapshot() *snapshot.Snapshot
	Updates() <-chan struct{}
	// WatchDecisions has all decisions told to s.
	WatchDecisions(s decision.Sink)
	// Drive has holds asked whether a pull whose time has come waits for its release, and whether
	// nothing follows for now from what was decided in a turn; turned is told when all was decided
	// in one, and whether it stays open. Neither waits.
	Drive(holds func() bool, turned func(open bool))
	// Release gives a pull that is held its turn, with the zero queue the one whose time came
	// first, or else the next whose time comes. An open turn is carried on before.
	Release(q mq.MessageQueue)
	// CarryOn does what was decided in the turn that is open, and has those go on that nobody
	// holds any more.
	CarryOn()
	// Refuse tells in the event stream why something is not done.
	Refuse(why string)
}

// LiveConfig is what a Live steps.
type LiveConfig struct {
	Consumer Consumer
	// Group is what is driven, for the header.
	Group string
	// Clock is that of the consumer. Default clock.System.
	Clock clock.Clock
	// Breakpoints are set at the beginning.
	Breakpoints []*Breakpoint
}

// Live steps the pulls of a consumer on a live cluster, where real time goes on outside. It sees
// all decisions as they are made, but for those in a turn of a pull that a person holds: the turn
// is decided as a whole and stays open, its decisions are shown one by one, and what follows from
// them is done at last.
//
// Its methods may be called from any goroutine, Run once.
type Live struct {
	config  LiveConfig
	updates chan struct{}
	wake    chan struct{} // of who keeps the pace

	mu    sync.Mutex
	start time.Time
	steps uint64
	past  memory
	bps   breakpoints
	marks marks
	hit   snapshot.SchedHit

	checker *invariant.Checker
	broken  []snapshot.Breach // by decisions, since the last move began

	trace    liveTrace
	ahead    []decision.Decision // of the turn: decided, not shown yet
	deciding bool                // a turn is being decided
	open     bool                // one was, and nothing was done of it

	running  bool
	pace     time.Duration
	goal     liveGoal // of a run
	owed     int      // decisions of a turn that are to be shown as soon as they are made
	whole    bool     // all of a turn are, and then it goes on
	released bool     // a pull was released that has not had its turn yet
}

// NewLive returns a Live that holds all pulls from the first on.
func NewLive(c LiveConfig) *Live {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	l := &Live{config: c, checker: invariant.New(), updates: make(chan struct{}, 1), wake: make(chan struct{}, 1), start: c.Clock.Now()}
	for _, b := range c.Breakpoints {
		l.bps.set(b)
	}
	return l
}

// passing tells whether pulls go on by themselves. A run that has a pace is made of single steps.
func (l *Live) passing() bool { return l.running && l.pace == 0 }

// orders are what the consumer is asked for once nothing is locked any more.
type orders struct {
	carryOn, release bool
	refuse           error
}

// locked calls fn alone and then gives the orders that it returns.
func (l *Live) locked(fn func() orders) {
	o := func() orders {
		l.mu.Lock()
		defer l.mu.Unlock()
		return fn()
	}()
	if o.carryOn {
		l.config.Consumer.CarryOn()
	}
	if o.release {
		l.config.Consumer.Release(mq.MessageQueue{})
	}
	if o.refuse != nil {
		l.config.Consumer.Refuse(o.refuse.Error())
	}
	signal(l.updates)
}

func (l *Live) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.passing()
}

// turned hears that all was decided in a turn.
func (l *Live) turned(open bool) {
	l.locked(func() orders {
		l.deciding, l.open = false, open
		switch {
		case !open: // it was done already, whatever a person thought meanwhile
			l.showAll()
		case l.passing():
			return l.letGo()
		case l.whole && len(l.ahead) == 0:
			return l.endTurn()
		}
		return orders{}
	})
}

// Decided is a decision of the consumer, of any part of it.
func (l *Live) Decided(d *decision.Decision) {
	l.locked(func() orders {
		l.judge(d)
		if d.Line == decision.PullTaken {
			l.showAll()
			l.trace = liveTrace{task: d.Task, queue: d.Queue}
			l.deciding, l.open, l.released = true, false, false
		}
		mine := l.trace.has(d)
		switch {
		case mine && l.deciding:
			l.ahead = append(l.ahead, *d)
			l.show()
			return orders{}
		case mine && d.Then.Do == decision.Die && l.open:
			l.showAll()
			l.made(d, true)
			return l.endTurn() // there is nothing left that it could go on with
		}
		if l.made(d, mine) {
			l.stand()
		}
		return orders{}
	})
}

// show shows what is ahead of the turn, as far as somebody wants to see it now.
func (l *Live) show() {
	for len(l.ahead) > 0 && (l.passing() || l.owed > 0 || l.whole) {
		l.showOne()
	}
}

func (l *Live) showOne() {
	d := l.ahead[0]
	l.ahead = l.ahead[1:]
	stops := l.made(&d, true)
	l.owed = max(0, l.owed-1)
	if stops {
		l.stand()
	}
}

// showAll shows all that is ahead, of a turn that can not be stopped any more.
func (l *Live) showAll() {
	for len(l.ahead) > 0 {
		l.showOne()
	}
}

// stand holds everything from now on.
func (l *Live) stand() { l.running, l.goal, l.owed, l.whole = false, liveGoal{}, 0, false }

// endTurn has what was decided in the open turn done.
func (l *Live) endTurn() orders {
	l.open, l.whole, l.owed = false, false, 0
	return orders{carryOn: true}
}

// letGo shows what is ahead and lets go of what is held, unless a breakpoint is in between.
func (l *Live) letGo() orders {
	l.show()
	if !l.passing() {
		return orders{}
	}
	l.open, l.released = false, false
	return orders{carryOn: true}
}
