package ledger

import (
	"slices"
	"time"

	"mqscope/engine/mq"
)

func (e Start) enter(l *Ledger) {
	a := l.account(e.Queue)
	if l.cfg.Orderly && len(e.Messages) > 0 {
		l.startInOrder(a, e)
	}
	for _, m := range e.Messages {
		l.start(a, e, m)
	}
	a.lane.anew = false
	if l.cfg.Keep {
		e.Messages = slices.Clone(e.Messages)
		l.starts = append(l.starts, e)
	}
}

// start enters that a listener gets one message: checks 2, 5 and 7.
func (l *Ledger) start(a *account, e Start, m Handed) {
	l.report.Starts++
	a.starts++
	known := a.stored.has(m.Offset) || a.given.has(m.Offset)
	if known && a.hash[m.Offset] != uint32(m.Hash) {
		l.fault(NothingInvented, a.id, e.At, "%s gets another message as %d than the one that is stored", e.Member, m.Offset)
	} else if !known {
		a.remember(m.Offset, m.Hash, m.Attempt)
	}
	l.repeats(a, e, m)
	l.comesBack(a, e, m)
	a.given.set(m.Offset)
	a.failed.clear(m.Offset)
	a.high = max(a.high, m.Offset+1)
	if !a.done.has(m.Offset) && !slices.ContainsFunc(l.open[m.Hash], func(h held) bool { return h.a == a && h.offset == m.Offset }) {
		l.open[m.Hash] = append(l.open[m.Hash], held{a, m.Offset, m.Attempt})
	}
}

// comesBack is check 7 for one message.
func (l *Ledger) comesBack(a *account, e Start, m Handed) {
	if l.cfg.MaxReconsume > 0 && m.Attempt > l.cfg.MaxReconsume {
		l.fault(Retry, a.id, e.At, "%d comes for the %d. time, at most %d are allowed", m.Offset, m.Attempt+1, l.cfg.MaxReconsume+1)
	}
	back := l.moved[m.Hash]
	if m.Attempt < 1 || back.attempt != m.Attempt || len(l.cfg.Delays) == 0 {
		return
	}
	delay := l.cfg.Delays[min(int(m.Attempt)+2, len(l.cfg.Delays))-1]
	if early := back.at.Add(delay).Sub(e.At); early > time.Millisecond { // brokers count whole ones
		l.fault(Retry, a.id, e.At, "%d comes back %v after it was sent back, %v too early", m.Offset, e.At.Sub(back.at), early)
	}
}

func (e End) enter(l *Ledger) {
	if l.dead[e.Start.Member] {
		return
	}
	l.did[e.Start.Member] += uint64(e.Done)
	a := l.account(e.Start.Queue)
	for i, m := range e.Start.Messages {
		switch {
		case i < e.Done:
			l.resolve(a, m.Offset, m.Hash)
		case l.moved[m.Hash].attempt > m.Attempt:
			a.failed.set(m.Offset)
			l.resolve(a, m.Offset, m.Hash)
		default:
			a.failed.set(m.Offset)
		}
	}
	a.lane.remove(e.Start.Member)
}

// Handing is one call of a listener, between its START and its END.
type Handing struct {
	l     *Ledger
	start Start
	msgs  []mq.Message
}

// Begin enters the START of a call; nil when the member is dead and the call must not count.
func (l *Ledger) Begin(member string, q mq.MessageQueue, msgs []mq.Message) *Handing {
	h := &Handing{l: l, msgs: slices.Clone(msgs), start: Start{
		Member: member, Queue: q, At: time.Now(), Messages: make([]Handed, len(msgs)),
	}}
	for i, m := range msgs {
		h.start.Messages[i] = Handed{m.QueueOffset(), l.Hash(m.StoredBody()), m.ReconsumeTimes()}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead[member] {
		return nil
	}
	h.start.enter(l)
	for i, m := range msgs {
		if l.cfg.Bodies && !Whole(m.StoredBody()) {
			l.fault(NothingInvented, q, h.start.At, "%s gets a body as %d that nobody made", member, h.start.Messages[i].Offset)
		}
	}
	return h
}

// End enters the END: the first done messages succeeded. The bodies must be what they were.
func (h *Handing) End(done int) {
	now := time.Now()
	for i, m := range h.msgs {
		if h.l.Hash(m.StoredBody()) != h.start.Messages[i].Hash {
			h.l.mu.Lock()
			h.l.fault(NothingInvented, h.start.Queue, now, "the bytes of %d changed while a listener had it", h.start.Messages[i].Offset)
			h.l.mu.Unlock()
		}
	}
	h.l.Record(End{h.start, done, now})
}
