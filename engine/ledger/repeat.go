package ledger

// turn is who has a queue, by the last question for its committed offset.
type turn struct {
	from    string // connection that asked
	asked   int64  // committed at that moment: what is before it and resolved must not come again
	window  int64  // what may come again: from there to the highest that a listener had
	touched bool   // listeners had messages since
}

// Asked is a hand-over: it adds to the bound of check 5 what was in flight or not committed.
// A client that asks again before it began asks for the same hand-over; it may begin by either
// answer, as the second one may not come.
func (e Asked) enter(l *Ledger) {
	a := l.account(e.Queue)
	t := &a.turn
	from := max(e.Committed, a.start)
	if !t.touched && t.from != "" && l.mayBeSame(t.from, e.From) {
		l.report.Bound -= t.window
		from = min(from, t.asked)
	} else if a.high > a.start {
		l.report.HandOvers++
	}
	*t = turn{from: e.From, asked: from, window: max(0, a.high-from)}
	l.report.Bound += t.window
	a.lane.anew = true
}

// mayBeSame tells whether two connections may be of one client: of the newer one that may not
// be known yet.
func (l *Ledger) mayBeSame(older, newer string) bool {
	client := l.clients[newer]
	return older == newer || client == "" || client == l.clients[older]
}

// repeats is check 5 for one message. Whoever is not the one that asked last has what it has
// from before, and its messages may be those of the new owner too.
func (l *Ledger) repeats(a *account, e Start, m Handed) {
	owner := l.clients[a.turn.from] == e.Member
	if owner {
		a.turn.touched = true
	} else {
		l.report.Bound++
	}
	switch {
	case !a.given.has(m.Offset):
	case a.failed.has(m.Offset):
		l.report.Retried++
	default:
		l.report.Repeated++
		if owner && m.Offset < a.turn.asked && a.done.has(m.Offset) {
			l.fault(Repetition, a.id, e.At, "%s gets %d again, %d was committed when it took the queue", e.Member, m.Offset, a.turn.asked)
		}
	}
}
