package rebalance

import (
	"fmt"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// listPatience is how long a pass waits for member lists: longer than any call takes.
const listPatience = 30 * time.Second

// pass is the state of the service that makes passes (Java: RebalanceService).
type pass struct {
	begun    bool // a first pass was wanted
	wanted   bool // one more pass, as soon as allowed
	why      string
	running  bool
	pending  int // topics whose member list, or assignment, is awaited
	started  time.Time
	next     time.Time // of the next pass when none is wanted
	balanced bool

	added, given int    // queues, in the pass that runs
	note         string // the first trouble of the pass
	ended        time.Time
	said         string
}

// want asks for a pass. Wishes that come before it starts lead to one pass together.
func (r *Rebalance) want(now time.Time, why string) {
	p := &r.pass
	r.Decisions.Fact(decision.RebalanceWanted, nowhere, why, [6]int64{int64(max(0, r.earliest().Sub(now)))})
	if !p.wanted {
		p.wanted, p.why = true, why
	}
	p.begun = true
}

// NextDue is when Step wants a Tick; false when never.
func (r *Rebalance) NextDue() (time.Time, bool) {
	at, ok := r.passDue()
	if due, has := r.locksDue(); has && (!ok || due.Before(at)) {
		return due, true
	}
	return at, ok
}

// passDue is when a pass is due to start, or to end.
func (r *Rebalance) passDue() (time.Time, bool) {
	p := &r.pass
	switch {
	case r.stopped || !p.begun || !r.anyKnown():
		return time.Time{}, false
	case p.running:
		return p.started.Add(listPatience), true
	case p.wanted:
		return r.earliest(), true
	}
	return p.next, true
}

// earliest is when the next pass may start; the first one may at once.
func (r *Rebalance) earliest() time.Time {
	if r.pass.started.IsZero() {
		return r.stepped
	}
	return r.pass.started.Add(r.cfg.MinInterval)
}

func (r *Rebalance) anyKnown() bool {
	return slices.ContainsFunc(r.cfg.Topics, func(name string) bool { return r.topics[name].known })
}

// runDue starts a pass, or ends one that waits in vain, when its time has come. While no
// route is known a wanted pass waits for the first one: it could decide nothing.
func (r *Rebalance) runDue(now time.Time) {
	for {
		due, ok := r.passDue()
		if !ok || due.After(now) {
			return
		}
		if r.pass.running {
			r.giveUpWaiting(now)
		} else {
			r.startPass(now)
		}
	}
}

// startPass asks for the members by each topic whose queues are known, or a broker of it for
// our queues. Nothing is asked where every member reads all queues, or where there are no queues.
func (r *Rebalance) startPass(now time.Time) {
	p := &r.pass
	if !p.wanted {
		p.why = "interval"
	}
	p.wanted, p.running, p.started, p.pending = false, true, now, 0
	p.balanced, p.added, p.given, p.note = true, 0, 0, ""
	r.Decisions.Fact(decision.RebalanceBegin, nowhere, p.why, [6]int64{int64(len(r.cfg.Topics))})
	r.doubled.nextPass()
	if r.ordered() {
		r.remind(now)
		if r.locks.renewAt.IsZero() {
			r.locks.renewAt = now.Add(firstRenewal)
		}
	}
	for _, name := range r.cfg.Topics {
		t := r.topics[name]
		known := r.Decisions.Told(decision.RebalanceKnown, nowhere, t.known, name, [6]int64{int64(len(t.queues))})
		switch {
		case !known:
		case r.cfg.Model == mq.Broadcasting || len(t.queues) == 0:
			r.update(now, t, t.queues)
		default:
			r.join(t)
		}
	}
	r.endIfDone(now)
}

// join makes t part of the pass that runs.
func (r *Rebalance) join(t *topic) {
	t.asked = true
	r.pass.pending++
	if t.broker.asked() {
		r.Decisions.Fact(decision.RebalanceAsk, nowhere, t.name, [6]int64{int64(t.broker.patience()), int64(r.pass.pending)})
		r.do(QueryAssignment{Topic: t.name, Timeout: t.broker.patience()})
		return
	}
	r.Decisions.Fact(decision.RebalanceAsk, nowhere, t.name, [6]int64{int64(listPatience), int64(r.pass.pending)})
	r.do(ListMembers{Topic: t.name})
}

func (r *Rebalance) giveUpWaiting(now time.Time) {
	for _, name := range r.cfg.Topics {
		if t := r.topics[name]; t.asked {
			r.answered(t)
			what := "member list"
			if t.broker.asked() {
				what = "assignment"
			}
			r.keep(now, t, event.Warn, fmt.Sprintf("no %s for %v", what, listPatience))
		}
	}
	r.endIfDone(now)
}

func (r *Rebalance) answered(t *topic) {
	t.asked = false
	r.pass.pending--
}

func (r *Rebalance) endIfDone(now time.Time) {
	p := &r.pass
	if !p.running || p.pending > 0 {
		return
	}
	p.running, p.ended = false, now
	wait := r.cfg.Interval
	if !r.Decisions.Is(decision.RebalanceBalanced, nowhere, p.balanced, [6]int64{int64(p.added), int64(p.given)}) {
		wait = r.cfg.MinInterval
	}
	p.next = now.Add(wait)
	r.Decisions.Fact(decision.RebalanceEnd, nowhere, "", [6]int64{int64(now.Sub(p.started)), int64(wait)})
	p.said = r.summary()
}

// retry makes the next pass come soon, since something is left to do.
func (r *Rebalance) retry(now time.Time) {
	p := &r.pass
	p.balanced = false
	r.sooner(now, now.Add(r.cfg.MinInterval))
}

// sooner makes the next pass due at soon, if it was not to come earlier. What a pass that runs
// leaves to do, its end decides about.
func (r *Rebalance) sooner(now, soon time.Time) {
	p := &r.pass
	if !soon.Before(p.next) {
		return
	}
	p.next = soon
	if !p.running {
		r.Decisions.Fact(decision.RebalanceSooner, nowhere, "", [6]int64{int64(soon.Sub(now))})
	}
}

// nowhere is the queue of decisions that are about none.
var nowhere mq.MessageQueue
