package embedded

import (
	"slices"
	"time"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// heldKey names the queue that a pull is held on.
type heldKey struct {
	topic string
	queue int32
}

// heldPull is a pull at the end of its queue that waits for a message (Java: PullRequest of
// PullRequestHoldService).
type heldPull struct {
	req    *Request
	header *protocol.PullMessageRequest
	filter store.Filter
	until  time.Time
}

// arrival is a message that was stored in the step at hand.
type arrival struct {
	key heldKey
	tag int64
}

// holdPull parks a pull. It is looked at again when a message that it wants arrives, or at
// a tick when anything has arrived or its time is over.
func (b *Broker) holdPull(r *Request, h *protocol.PullMessageRequest, f store.Filter) {
	wait := time.Duration(min(h.SuspendTimeoutMillis, maxHoldMillis)) * time.Millisecond
	if b.cfg.NoLongPolling {
		wait = maxHoldShort
	}
	b.hold.passed(b.state.now) // ticks that nobody waited for
	k := heldKey{h.Topic, h.QueueID}
	b.held[k] = append(b.held[k], &heldPull{r, h, f, b.state.now.Add(wait)})
	b.heldCount++
}

// maxHoldMillis keeps a client's number inside what a duration can hold: a day.
const maxHoldMillis = 24 * 60 * 60 * 1000

// arrived notes a stored message for wakeArrivals.
func (b *Broker) arrived(q *store.Queue, tag int64) {
	if b.heldCount > 0 && !b.cfg.NoLongPolling {
		b.arrivals = append(b.arrivals, arrival{heldKey{q.Topic, q.ID}, tag})
	}
}

// wakeArrivals runs again the held pulls that the messages of this step are for.
func (b *Broker) wakeArrivals() {
	for len(b.arrivals) > 0 {
		list := b.arrivals
		b.arrivals = nil
		for _, a := range list {
			if len(b.held[a.key]) > 0 {
				b.wake(a.key, func(p *heldPull, hi int64) bool {
					return hi > p.header.QueueOffset && p.filter.Match(a.tag)
				})
			}
		}
		if len(b.arrivals) == 0 {
			b.arrivals = list[:0]
			return
		}
	}
}

// checkHeld is the tick: whatever arrived wakes, and so does the end of the holding time.
func (b *Broker) checkHeld(now time.Time) {
	for _, k := range b.heldKeys() {
		b.wake(k, func(p *heldPull, hi int64) bool { return hi > p.header.QueueOffset || !now.Before(p.until) })
	}
}

// wake runs the held pulls of a queue again for which want says so, in the order in which
// they came. They are not held a second time.
func (b *Broker) wake(k heldKey, want func(p *heldPull, hi int64) bool) {
	_, hi := store.Bounds(b.Store.Lookup(k.topic, k.queue))
	list := b.held[k]
	var awake []*heldPull
	kept := list[:0]
	for _, p := range list {
		if want(p, hi) {
			awake = append(awake, p)
		} else {
			kept = append(kept, p)
		}
	}
	clear(list[len(kept):])
	if b.held[k] = kept; len(kept) == 0 {
		delete(b.held, k)
	}
	b.heldCount -= len(awake)
	for _, p := range awake {
		b.servePull(p.req, p.header, false)
	}
}

func (b *Broker) heldKeys() []heldKey {
	keys := make([]heldKey, 0, len(b.held))
	for k := range b.held {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, c heldKey) int {
		if d := mq.CompareJava(a.topic, c.topic); d != 0 {
			return d
		}
		return int(a.queue) - int(c.queue)
	})
	return keys
}
