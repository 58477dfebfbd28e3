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
	at    map[mq.MessageQueue]int
	last  []event.PullDone
	began uint64 // checkpoints
}

// pullSlot is where in pulls a queue is: until the next checkpoint.
type pullSlot struct {
	index int
	began uint64 // zero: never was there
}

// forget begins anew: a checkpoint has none.
func (p *pulls) forget() {
	clear(p.at)
	p.last = p.last[:0]
	p.began++
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
	i, _ := p.place(e.Queue)
	p.last[i] = e
}

// place is where q is, from now on if it was not known.
func (p *pulls) place(q mq.MessageQueue) (i int, known bool) {
	if i, known = p.at[q]; known {
		return i, true
	}
	if p.at == nil {
		p.at = map[mq.MessageQueue]int{}
	}
	i = len(p.last)
	p.at[q] = i
	p.last = append(p.last, event.PullDone{})
	return i, false
}

// short is a pull as what goes on from the one before, if it does. Where s is not nil it tells where
// that is, or is told.
func (p *pulls) short(d *event.PullDone, s *pullSlot) (a pulledAgain, ok bool) {
	var i int
	known := s != nil && s.began == p.began+1
	if known {
		i = s.index
	} else if i, known = p.place(d.Queue); s != nil {
		*s = pullSlot{i, p.began + 1}
	}
	if known {
		a, ok = again(&p.last[i], d)
		a.Queue = i
	}
	p.last[i] = *d
	return a, ok
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
		Min: e.Min - l.Min, Max: e.Max - l.Max,
	}
	if e.Stored == l.Stored {
		return a, true
	}
	a.Stored = e.Stored.Sub(l.Stored)
	return a, l.Stored.Add(a.Stored).Equal(e.Stored)
}

var errAgain = errors.New("it has a pull that goes on from one that it does not have")

// whole is the other way round: of any event that was recorded.
func (p *pulls) whole(e event.Event) (event.Event, error) {
	switch e := e.(type) {
	case event.PullDone:
		p.note(e)
	case pulledAgain:
		return p.goneOn(&e)
	}
	return e, nil
}

// goneOn is whole for a pull.
func (p *pulls) goneOn(e *pulledAgain) (event.Event, error) {
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
