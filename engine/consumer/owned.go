package consumer

import (
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/snapshot"
)

// firstHold is how long the first pull of a queue takes at least when its broker held it.
const firstHold = 100 * time.Millisecond

// owned is what the loop knows of one assigned queue.
type owned struct {
	pq    *cached
	id    mq.MessageQueue
	epoch uint64
	start int64 // where this assignment began
	next  int64 // everything before it was pulled, or the broker filtered it out
	asked int64 // offset of the pull that is out

	min, max  snapshot.Val[int64]
	committed snapshot.Val[int64]
	sent      sentOffset
	waitsTail bool // the pull that is out asks for an offset that did not exist yet

	flow      flowControl
	lastPull  snapshot.Val[snapshot.Pull]
	lastFound snapshot.Val[time.Time]
	roundTrip snapshot.Histogram
	held      uint64
	found     uint64
	filtered  uint64
	failures  uint64
	lastErr   string
	failedAt  time.Time

	unreadable int // answers in a row that could not be decoded at next
	asksMax    bool
	askedMaxAt time.Time
	cutShort   bool // its broker lost messages from the end

	stored int64 `pack:"-"` // the highest that was seen in the offset store, by Broken

	served served
	// Of an orderly consumer:
	startKnown bool                // the start offset was read with the lock held, or kept
	leaving    *event.QueueRevoked // the queue is given up once its listener has returned
	settling   bool                // its last offset is being committed

	rates   rates
	history history
	series  pullSeries

	recorded pullSlot `pack:"-"`
	// What its pulls are counted in beside: they stay where they are.
	broker *pullSeries `pack:"-"`
	topic  *topicStats `pack:"-"`
}

func newOwned(e event.QueueAssigned) *owned {
	return &owned{
		pq:    &cached{Queue: processqueue.New(e.Queue, e.Epoch)},
		id:    e.Queue,
		epoch: e.Epoch,
		start: e.Start,
		next:  e.Start,
	}
}

// lag is max minus committed; where nothing was committed ever, what waits behind the start.
func (o *owned) lag() snapshot.Val[int64] {
	if !o.max.OK() {
		return snapshot.UnknownBecause[int64](o.max.Reason)
	}
	base := o.start
	if o.committed.OK() {
		base = o.committed.V
	}
	return snapshot.Of(o.max.V-base, o.max.At)
}

// learn takes in what an answered pull says about the queue, and says whether the broker held
// it back to wait for messages.
func (o *owned) learn(now time.Time, e *event.PullDone) (held bool) {
	// Of the first pull nobody knows whether it asked for what was there already: one that took
	// its time and brought the last messages, or those stored meanwhile, waited for them.
	first := !o.max.OK() && e.Took > firstHold && (e.Next >= e.Max || e.Stored.After(now.Add(-e.Took)))
	held = e.Status == mq.NoNewMsg || e.Status == mq.Found && (o.waitsTail || first)
	o.learnAs(now, e, held)
	return held
}

// learnAs is learn for who knows whether the broker held the pull.
func (o *owned) learnAs(now time.Time, e *event.PullDone, held bool) {
	o.series.add(now, e, held)
	switch {
	case e.Status == mq.PullFailed:
		o.failures++
		o.failedAt = now
		o.lastErr = e.Err.Error()
	case held:
		o.held++
	default:
		o.roundTrip.Add(e.Took)
	}
	if e.Status == mq.PullFailed {
		return
	}
	o.lastErr = ""
	if e.Count > 0 {
		o.lastFound = snapshot.Of(now, now)
	}
	o.found += uint64(e.Count)
	o.filtered += uint64(e.Filtered)
	o.lastPull = snapshot.Of(snapshot.Pull{
		At: now, Status: e.Status.String(), Offset: e.Offset, Next: e.Next,
		Count: e.Count, Took: e.Took, Held: held,
	}, now)
}

// drained tells whether nothing is cached of a queue that is still ours: all that was pulled
// is resolved. Of a dropped one that proves nothing, results are discarded there; nor of a
// retired one, which takes in nothing of what was still being pulled.
func (o *owned) drained() bool {
	return o.pq.Cached() == 0 && !o.pq.Dropped() && !o.pq.Retired()
}

// atTail says whether the broker is holding our pull at the tail: then nothing was stored
// since, and the tail is where we wait.
func (o *owned) atTail(task snapshot.Task) bool {
	return task.State == snapshot.TaskParked && o.max.OK() && o.asked >= o.max.V
}
