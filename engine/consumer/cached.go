package consumer

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/snapshot"
)

// cached is a ProcessQueue as the loop sees it. What only the loop changes of one (dropped,
// retired, its lock) is the same each time; what threads and connections change goes through
// inputs.
type cached struct {
	*processqueue.Queue `pack:"-"`

	in   *inputs   `pack:"-"`
	last *readings `pack:"-"` // nil before anything was recorded

	// The lock as the loop knows it, while its times are steady.
	lockAt time.Time `pack:"-"`
	locked bool      `pack:"-"`
}

// readings are what was read of a queue last, for pictures of a moment between two readings.
type readings struct {
	Count, Bytes, Span int64
	Committable        int64
	Running            int64
	Consumed           int64
	First, Last, Any   int64
	Held               int64
	SubVersion         int64
	Calls, Busy        int64
	OK, Failed         int64
	Waits, Taken       [3]int64
	Dropped, Retired   bool
	Locked             bool
	LockedAt           time.Time
	UnlockTries        int64
}

func (c *cached) read() *readings {
	if c.last == nil {
		c.last = &readings{Committable: processqueue.None}
	}
	return c.last
}

// plain tells whether nothing is recorded or remade.
func (c *cached) plain() bool { return !c.in.records() && !c.in.remakes() }

// Lock says that the lock was granted, as of at by the loop's time.
func (c *cached) Lock(at time.Time) {
	c.lockAt, c.locked = at, true
	c.Queue.Lock(c.in.asClock(at))
}

// Unlock says that it was lost.
func (c *cached) Unlock() {
	c.lockAt, c.locked = time.Time{}, false
	c.Queue.Unlock()
}

// LockedAt is when the lock was granted, if it is held.
func (c *cached) LockedAt() (time.Time, bool) {
	if !c.in.steady() {
		return c.Queue.LockedAt()
	}
	return c.lockAt, c.locked
}

// HoldsLock tells whether the lock is held, and not too old by any clock (see
// processqueue.LockAge).
func (c *cached) HoldsLock(now time.Time, expiry time.Duration) bool {
	if !c.in.remakes() {
		if c.in.steady() {
			now = c.in.real
		}
		held := c.Queue.HoldsLock(now, expiry)
		if !c.in.records() {
			return held
		}
		return c.in.note(&c.read().Held, truth(held)) != 0
	}
	return c.in.note(&c.read().Held, 0) != 0
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// shown is how many messages are cached, for a decision's record: beside the run.
func (c *cached) shown() (count int) {
	c.in.beside(func() { count, _, _ = c.Load() })
	return count
}

// Load is that of the ProcessQueue, as are the methods below.
func (c *cached) Load() (count int, bytes, span int64) {
	count, bytes, span = c.Queue.Load()
	if c.plain() {
		return count, bytes, span
	}
	r := c.read()
	return int(c.in.step(&r.Count, int64(count))), c.in.step(&r.Bytes, bytes), c.in.step(&r.Span, span)
}

// Cached is how many messages are cached: the first result of Load.
func (c *cached) Cached() int {
	if c.plain() || c.in.steps.style != stepsMasked { // recordings of before have all three
		count, _, _ := c.Load()
		return count
	}
	count, _, _ := c.Queue.Load()
	return int(c.in.step(&c.read().Count, int64(count)))
}

func (c *cached) Committable() int64 {
	if c.plain() {
		return c.Queue.Committable()
	}
	return c.in.step(&c.read().Committable, c.Queue.Committable())
}

// subVersion passes the version of the subscription that a pull of the queue may carry.
func (c *cached) subVersion(v int64) int64 {
	if c.plain() {
		return v
	}
	return c.in.stepLate(&c.read().SubVersion, v)
}

func (c *cached) Running() int {
	if c.plain() {
		return c.Queue.Running()
	}
	return int(c.in.note(&c.read().Running, int64(c.Queue.Running())))
}

func (c *cached) LastConsumed() time.Time {
	at := c.in.asNow(c.Queue.LastConsumed())
	if c.plain() {
		return at
	}
	return c.in.time(&c.read().Consumed, at)
}

func (c *cached) Bounds() (first, last int64, ok bool) {
	first, last, ok = c.Queue.Bounds()
	if c.plain() {
		return first, last, ok
	}
	r := c.read()
	return c.in.note(&r.First, first), c.in.note(&r.Last, last), c.in.note(&r.Any, truth(ok)) != 0
}

func (c *cached) Tally() processqueue.Tally {
	t := c.Queue.Tally()
	if c.plain() {
		return t
	}
	r := c.read()
	return processqueue.Tally{
		Calls: c.in.note(&r.Calls, t.Calls), Busy: time.Duration(c.in.note(&r.Busy, int64(t.Busy))),
		OK: c.in.note(&r.OK, t.OK), Failed: c.in.note(&r.Failed, t.Failed),
	}
}

func (c *cached) Extents() (waits, taken processqueue.Extent) {
	waits, taken = c.Queue.Extents()
	if c.plain() {
		return waits, taken
	}
	r := c.read()
	return c.extent(&r.Waits, waits), c.extent(&r.Taken, taken)
}

func (c *cached) extent(last *[3]int64, e processqueue.Extent) processqueue.Extent {
	return processqueue.Extent{
		Count: int(c.in.note(&last[0], int64(e.Count))), First: c.in.note(&last[1], e.First), Last: c.in.note(&last[2], e.Last),
	}
}

// Sums are looked at by those who judge, beside the run.
func (c *cached) Sums() (count int, bytes int64) {
	if c.in.remakes() {
		c.in.beside(func() { count, bytes, _ = c.Load() })
		return count, bytes
	}
	return c.Queue.Sums()
}

func windowKey(q mq.MessageQueue) string { return "window " + q.Path() }

// Window is recorded each time that the loop looks. Between two looks a remake has the last one: what
// was put in it could tell from the pulls, but consume threads take messages and finish them one by
// one beside the loop, and a recording that noted each of those would cost as much as they do.
func (c *cached) Window(meta int) snapshot.Window {
	return seen(c.in, windowKey(c.ID), func() snapshot.Window { return c.Queue.Window(meta) })
}

// readAll reads what a remake that begins here needs before the loop reads it.
func (c *cached) readAll() readings {
	if c.in.remakes() {
		r := *c.read()
		r.Dropped, r.Retired, r.UnlockTries = c.Queue.Dropped(), c.Queue.Retired(), int64(c.UnlockTries())
		r.LockedAt, r.Locked = c.LockedAt()
		return r
	}
	count, bytes, span := c.Queue.Load()
	r := readings{
		Count: int64(count), Bytes: bytes, Span: span, Committable: c.Queue.Committable(), Running: int64(c.Queue.Running()),
		Consumed: noteOf(c.Queue.LastConsumed()), Dropped: c.Queue.Dropped(), Retired: c.Queue.Retired(), UnlockTries: int64(c.UnlockTries()),
	}
	if c.last != nil {
		r.SubVersion = c.last.SubVersion
	}
	if first, last, ok := c.Queue.Bounds(); ok {
		r.First, r.Last, r.Any = first, last, 1
	}
	r.LockedAt, r.Locked = c.LockedAt()
	return r
}

// restore makes a queue without messages that the loop sees as that of r.
func (c *cached) restore(r readings) {
	c.last = &r
	if r.Locked {
		c.Lock(r.LockedAt)
		r.Held = 1
	}
	for range min(r.UnlockTries, 1000) {
		c.CountUnlockTry()
	}
	if r.Retired {
		c.Retire(func() {})
	}
	if r.Dropped {
		c.Drop()
	}
}
