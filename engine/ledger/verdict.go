package ledger

import (
	"slices"
	"time"

	"mqscope/engine/mq"
)

// pulse is a queue at the last Pulse.
type pulse struct {
	low, starts int64
	behind      bool
}

// Pulse is check 6, for a time without faults: each queue that had something unresolved at
// the last Pulse went on since, unless it was parked.
func (l *Ledger) Pulse(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.order {
		p := &a.pulse
		if l.pulses > 0 && p.behind && a.low < a.end && a.low == p.low && a.starts == p.starts && !a.parked {
			l.fault(Liveness, a.id, at, "nothing of %d messages was consumed since the last look, from %d on", a.end-a.low, a.low)
		}
		*p = pulse{low: a.low, starts: a.starts, behind: a.low < a.end}
	}
	l.pulses++
}

// Lag is how many messages are stored and not resolved, those that wait for their delay too.
func (l *Ledger) Lag() (n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.order {
		n += max(0, a.end-a.low)
	}
	for _, m := range l.moved {
		n += int64(m.waiting)
	}
	return n
}

// Resolved is how many messages of a topic are resolved, without a gap.
func (l *Ledger) Resolved(topic string) (n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.order {
		if a.id.Topic == topic {
			n += a.low - a.start
		}
	}
	return n
}

// Starts are the STARTs so far, with Config.Keep.
func (l *Ledger) Starts() []Start {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.starts)
}

// Report is what there was so far.
func (l *Ledger) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.report
}

// Faults are those found so far, by check, the first ones of each.
func (l *Ledger) Faults() []Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(l.faults), func(f, g Fault) int { return int(f.Check) - int(g.Check) })
}

// Verdict makes the checks for the end, when all is quiet, and returns all faults and the
// numbers. Call it once.
func (l *Ledger) Verdict(at time.Time) ([]Fault, Report) {
	l.mu.Lock()
	for _, a := range l.order {
		l.end(a, at)
	}
	for _, m := range l.moved {
		if m.waiting > 0 {
			l.fault(AtLeastOnce, mq.MessageQueue{}, at, "a message that was sent back at %s did not come out of its delay", m.at.Format("15:04:05.000"))
		}
	}
	if r := &l.report; r.Repeated > r.Bound {
		l.fault(Repetition, mq.MessageQueue{}, at, "%d messages came again, hand-overs explain %d", r.Repeated, r.Bound)
	}
	if l.report.Commits == 0 && l.report.Starts > 0 {
		l.fault(CommitSafety, mq.MessageQueue{}, at, "no commit was seen")
	}
	l.mu.Unlock()
	return l.Faults(), l.Report()
}

// end is check 1 for a queue, and the rest of check 2.
func (l *Ledger) end(a *account, at time.Time) {
	if a.low < a.end && !a.parked {
		l.fault(AtLeastOnce, a.id, at, "%d of %d messages in a row were resolved, %d was given to a listener: %t",
			a.low-a.start, a.end-a.start, a.low, a.given.has(a.low))
	}
	for offset := a.start; offset < a.high; offset++ {
		if a.given.has(offset) && !a.stored.has(offset) {
			l.fault(NothingInvented, a.id, at, "a listener had %d, which is not stored", offset)
		}
	}
}
