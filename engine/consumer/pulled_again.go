package consumer

import (
	"errors"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// pulledAgain is a PullDone that goes on where the one before it of the same queue ended: nearly all
// of those of a consumer that has much to do. Most of it is what the one before was, so a record of
// it takes a third of the bytes, and of the time. Numbers are how much more it has than that.
type pulledAgain struct {
	Queue    int // of those that were pulled from since the last checkpoint, in their order
	Took     time.Duration
	Commit   int64
	Beyond   int64 // of its end beyond what it brought and refused
	Skipped  int64 // of its first message behind its beginning
	Count    int
	Filtered int
	Bytes    int
	Min, Max int64
	Stored   time.Duration
}

// pulls are the last pulls of queues since a checkpoint.
type pulls struct {
	at   map[mq.MessageQueue]int
	last []event.PullDone
}

// forget begins anew: a checkpoint has none.
func (p *pulls) forget() {
	clear(p.at)
	p.last = p.last[:0]
}

// restore has the pulls that were kept.
func (p *pulls) restore(kept []event.PullDone) {
	p.forget()
	for _, e := range kept {
		p.note(e)
	}
}

// note keeps e for the next one of its queue.
func (p *pulls) note(e event.PullDone) {
	i, ok := p.at[e.Queue]
	if !ok {
		if p.at == nil {
			p.at = map[mq.MessageQueue]int{}
		}
		i = len(p.last)
		p.at[e.Queue] = i
		p.last = append(p.last, event.PullDone{})
	}
	p.last[i] = e
}

// short is the event as it is recorded: a PullDone that goes on from one as what does.
func (p *pulls) short(e event.Event) event.Event {
	d, ok := e.(event.PullDone)
	if !ok {
		return e
	}
	i, ok := p.at[d.Queue]
	if !ok {
		p.note(d)
		return e
	}
	a, ok := again(&p.last[i], &d)
	p.last[i] = d
	if a.Queue = i; ok {
		return a
	}
	return e
}

// again is e as what goes on from l, the one before of its queue, if it does.
func again(l, e *event.PullDone) (a pulledAgain, ok bool) {
	if e.Offset != l.Next || e.Epoch != l.Epoch || e.Status != l.Status || e.Suggest != l.Suggest || e.Slave != l.Slave ||
		e.Code != l.Code || e.Err != nil || l.Err != nil || e.Stored.IsZero() != l.Stored.IsZero() {
		return a, false
	}
	a = pulledAgain{
		Took: e.Took, Commit: e.Commit - l.Commit, Beyond: e.Next - e.Offset - int64(e.Count), Skipped: e.First - e.Offset,
		Count: e.Count - l.Count, Filtered: e.Filtered - l.Filtered, Bytes: e.Bytes - l.Bytes,
		Min: e.Min - l.Min, Max: e.Max - l.Max, Stored: e.Stored.Sub(l.Stored),
	}
	return a, l.Stored.Add(a.Stored).Equal(e.Stored)
}

var errAgain = errors.New("it has a pull that goes on from one that it does not have")

// whole is the other way round.
func (p *pulls) whole(e event.Event) (event.Event, error) {
	switch e := e.(type) {
	case event.PullDone:
		p.note(e)
	case pulledAgain:
		if e.Queue < 0 || e.Queue >= len(p.last) {
			return nil, errAgain
		}
		l := &p.last[e.Queue]
		l.Offset, l.Took = l.Next, e.Took
		l.Count, l.Filtered, l.Bytes = l.Count+e.Count, l.Filtered+e.Filtered, l.Bytes+e.Bytes
		l.Commit, l.Min, l.Max, l.Stored = l.Commit+e.Commit, l.Min+e.Min, l.Max+e.Max, l.Stored.Add(e.Stored)
		l.First, l.Next = l.Offset+e.Skipped, l.Offset+int64(l.Count)+e.Beyond
		return *l, nil
	}
	return e, nil
}
