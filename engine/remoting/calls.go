package remoting

import "time"

// An opaque is the number of a slot and, above it, the generation of that slot's use, which
// starts at 1. A late or repeated answer therefore never meets a newer call.
const (
	slotBits      = 16
	slotMask      = 1<<slotBits - 1
	maxGeneration = 1<<(31-slotBits) - 1
	firstSlots    = 256 // reused in turn, so that a generation comes back late
	oneWaySlot    = slotMask
	noSlot        = int32(-1)
	oneWayOpaque  = int32(1<<slotBits | oneWaySlot)
)

// slot is one call in flight, or room for one.
type slot struct {
	done     func(Answer) // nil: free
	started  time.Duration
	deadline time.Duration
	gen      int32 // of the last use
	heap     int32 // place in the deadline heap
	next     int32 // free slot after this one
}

// calls is the slot table of one connection and the heap of its deadlines. The link's mutex
// guards it. Times are since the link's epoch.
type calls struct {
	slots      []slot
	free, tail int32 // list of free slots: taken at the front, put at the end
	heap       []int32
	limit      int
}

// add takes a slot; ok is false when all are in use.
func (c *calls) add(now, deadline time.Duration, done func(Answer)) (opaque int32, ok bool) {
	if len(c.heap) >= c.limit {
		return 0, false
	}
	if len(c.heap) == len(c.slots) {
		c.extend()
	}
	i := c.free
	s := &c.slots[i]
	c.free = s.next
	if s.gen++; s.gen > maxGeneration {
		s.gen = 1
	}
	s.done, s.started, s.deadline = done, now, deadline
	s.heap = int32(len(c.heap))
	c.heap = append(c.heap, i)
	c.up(int(s.heap))
	return s.gen<<slotBits | i, true
}

// extend doubles the table; there is no free slot when it is called.
func (c *calls) extend() {
	n := len(c.slots)
	more := min(max(n, firstSlots), maxCalls-n)
	c.slots = append(c.slots, make([]slot, more)...)
	for i := n; i < n+more; i++ {
		c.slots[i].next = int32(i + 1)
	}
	c.free, c.tail = int32(n), int32(n+more-1)
}

// verdict is what became of an answer.
type verdict uint8

const (
	matched verdict = iota
	late            // its call has ended already: by its deadline, or by an answer before
	unknown         // it answers no call of ours
)

// take ends the call that opaque names and returns what waits for it.
func (c *calls) take(opaque int32) (done func(Answer), started time.Duration, v verdict) {
	i, gen := opaque&slotMask, opaque>>slotBits
	if int(i) >= len(c.slots) || gen < 1 || gen > c.slots[i].gen {
		return nil, 0, unknown
	}
	s := &c.slots[i]
	if s.done == nil || s.gen != gen {
		return nil, 0, late
	}
	done, started = s.done, s.started
	c.remove(i)
	return done, started, matched
}

// remove frees a slot in use.
func (c *calls) remove(i int32) {
	s := &c.slots[i]
	at, last := int(s.heap), len(c.heap)-1
	c.swap(at, last)
	c.heap = c.heap[:last]
	if at < last {
		c.up(at)
		c.down(at)
	}
	s.done, s.next = nil, noSlot
	if last+1 == len(c.slots) { // it is the only free one
		c.free = i
	} else {
		c.slots[c.tail].next = i
	}
	c.tail = i
}

// expired takes the call whose deadline is first when it has come.
func (c *calls) expired(now time.Duration) (done func(Answer), started time.Duration, ok bool) {
	if len(c.heap) == 0 || c.slots[c.heap[0]].deadline > now {
		return nil, 0, false
	}
	i := c.heap[0]
	done, started = c.slots[i].done, c.slots[i].started
	c.remove(i)
	return done, started, true
}

// oldest is when the longest running call started.
func (c *calls) oldest() (started time.Duration, ok bool) {
	for n, i := range c.heap {
		if s := c.slots[i].started; n == 0 || s < started {
			started = s
		}
	}
	return started, len(c.heap) > 0
}

func (c *calls) less(a, b int) bool {
	return c.slots[c.heap[a]].deadline < c.slots[c.heap[b]].deadline
}

func (c *calls) swap(a, b int) {
	h := c.heap
	h[a], h[b] = h[b], h[a]
	c.slots[h[a]].heap, c.slots[h[b]].heap = int32(a), int32(b)
}

func (c *calls) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !c.less(i, parent) {
			return
		}
		c.swap(i, parent)
		i = parent
	}
}

func (c *calls) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(c.heap) {
			return
		}
		if child+1 < len(c.heap) && c.less(child+1, child) {
			child++
		}
		if !c.less(child, i) {
			return
		}
		c.swap(i, child)
		i = child
	}
}
