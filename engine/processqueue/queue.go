package processqueue

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
)

// None is the committable offset of a queue of which nothing was resolved yet.
const None int64 = -1

// Queue is the ProcessQueue of one assigned message queue: what was pulled and is not
// resolved yet (Java: ProcessQueue). Counts may be read without its mutex.
//
// Every cached message holds one reference of its mq.Batch. Taking a message hands that
// reference to the taker: its bytes stay valid for a listener even when the message is
// swept, or the queue cleared, before the listener returns.
type Queue struct {
	ID    mq.MessageQueue
	Epoch uint64

	// Recycle, when set before first use, gets each batch whose last reference this queue
	// gave up. It must not block.
	Recycle func(*mq.Batch)

	born    time.Time
	dropped atomic.Bool
	retired atomic.Bool
	listed  atomic.Bool
	watch   atomic.Pointer[watch]
	locked  atomic.Pointer[time.Time] // when the broker last granted its lock, nil without one
	unlocks atomic.Int32              // tries to give the queue up that a listener held up
	counts  atomic.Uint64             // cached<<32 | waiting
	bytes   atomic.Int64
	span    atomic.Int64
	tally   tally

	mu          sync.Mutex
	slots       ring
	count       int // slots that are not done
	waiting     int
	held        int // messages in the hands of takers
	kept        int // slots in that state
	idle        func()
	size        int64
	highest     int64 // ever cached
	committable int64
	consumed    time.Duration // since born
}

// New returns an empty queue for one assignment.
func New(id mq.MessageQueue, epoch uint64) *Queue {
	return &Queue{ID: id, Epoch: epoch, born: time.Now(), highest: None, committable: None}
}

// Added says what Put did.
type Added struct {
	Count      int   // messages that were not cached yet
	Duplicates int   // offsets that were: the cached message stays
	Refused    int   // offsets that no queue can have: negative, or without a successor
	Bytes      int64 // of the bodies added
}

// Put caches the messages of b with the given indexes (all of them when keep is nil). It
// retains b once for each message added; the caller keeps its own reference.
// It is right for any order of offsets and fast for growing ones. A queue that is dropped or
// retired takes none.
func (q *Queue) Put(b *mq.Batch, keep []int) Added {
	n := len(keep)
	if keep == nil {
		n = b.Len()
	}
	var a Added
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped.Load() || q.retired.Load() {
		return a
	}
	for k := range n {
		i := k
		if keep != nil {
			i = keep[k]
		}
		q.putOne(b, i, &a)
	}
	if a.Count > 0 {
		b.Retain(a.Count)
		q.publish()
	}
	return a
}

func (q *Queue) putOne(b *mq.Batch, i int, a *Added) {
	off := b.Records[i].QueueOffset
	if off < 0 || off == math.MaxInt64 {
		a.Refused++
		return
	}
	at := q.slots.n
	if at > 0 && off < q.slots.at(at-1).end() {
		found := false
		if at, found = q.slots.find(off); found {
			if q.slots.at(at).state != done {
				a.Duplicates++
				return
			}
			at = q.slots.cut(at, off)
		}
	}
	size := bodySize(b.At(i))
	q.slots.insert(at, slot{batch: b, offset: off, size: uint32(size), index: uint32(i), state: waiting})
	q.highest = max(q.highest, off)
	q.count++
	q.waiting++
	q.size += int64(size)
	a.Count++
	a.Bytes += int64(size)
}

// bodySize is taken once, when a message is put in: a listener that changes the body can
// not unbalance the sum.
func bodySize(m mq.Message) int {
	if m.BodyError() != nil {
		return len(m.StoredBody())
	}
	return len(m.Body())
}

// Load reads count, body bytes and span (last minus first cached offset) without the mutex.
func (q *Queue) Load() (count int, bytes int64, span int64) {
	return int(q.counts.Load() >> 32), q.bytes.Load(), q.span.Load()
}

// Sums are the count and the body bytes of one moment, which Load's may not be.
func (q *Queue) Sums() (count int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	count, bytes, _ = q.Load()
	return count, bytes
}

// Waiting is how many cached messages no taker has had yet, without the mutex.
func (q *Queue) Waiting() int { return int(uint32(q.counts.Load())) }

// Running is how many messages takers have now, those that were swept included.
func (q *Queue) Running() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held
}

// Resolve marks messages as finished for good (consumed, sent back, or given up) and frees
// them. It returns the offset up to which everything is resolved: the lowest unresolved one,
// or one past the highest ever cached when nothing is left; -1 when the queue was empty
// already (Java: removeMessage). Offsets not cached (swept before) are ignored. A taker that
// has one of the messages keeps its reference; takers themselves use Finish.
func (q *Queue) Resolve(offsets []int64) (committable int64) {
	var free batches
	q.mu.Lock()
	q.consumed = time.Since(q.born)
	if q.count == 0 {
		q.mu.Unlock()
		return None
	}
	for _, off := range offsets {
		if i, ok := q.slots.find(off); ok && q.slots.at(i).state != done {
			q.resolve(i, &free)
		}
	}
	committable = q.settle()
	q.publish()
	q.mu.Unlock()
	q.letGo(free)
	q.checkWatch()
	return committable
}

// resolve marks slot i as done. free gets the reference that the slot had.
func (q *Queue) resolve(i int, free *batches) {
	s := q.slots.at(i)
	if s.state.owns() {
		free.add(s.batch)
	}
	switch s.state {
	case waiting:
		q.waiting--
	case kept:
		q.kept--
	default:
	}
	q.count--
	q.size -= int64(s.size)
	if plant.CountAtRelease {
		q.size += int64(s.size) - int64(bodySize(s.batch.At(int(s.index))))
	}
	s.finish()
}

// settle follows any number of calls of resolve: it tidies up and returns the committable
// offset, which a dropped queue keeps to itself.
func (q *Queue) settle() int64 {
	q.slots.trim()
	at := q.highest + 1
	if q.slots.n > 0 && !plant.CommitAtMax {
		at = q.slots.at(0).offset
	}
	if !q.dropped.Load() {
		q.committable = at
	}
	return at
}

// publish makes the counts readable without the mutex.
func (q *Queue) publish() {
	q.counts.Store(uint64(q.count)<<32 | uint64(uint32(q.waiting)))
	if q.bytes.Load() != q.size {
		q.bytes.Store(q.size)
	}
	first, last, ok := q.slots.bounds()
	if !ok {
		first, last = 0, 0
	}
	if q.span.Load() != last-first {
		q.span.Store(last - first)
	}
}

// Committable is the offset up to which everything was resolved when a message last was,
// None before the first. It never moves after Drop has returned.
func (q *Queue) Committable() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.committable
}

// Drop marks the queue as given up. It never goes back: nothing is put in or taken out any
// more, and the committable offset stands still.
func (q *Queue) Drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped.Store(true)
}

// Dropped tells whether the queue was given up.
func (q *Queue) Dropped() bool { return q.dropped.Load() }

// Clear frees every cached message, of a dropped queue. Takers keep the references of what
// they have and free it by Finish.
func (q *Queue) Clear() {
	var free batches
	q.mu.Lock()
	for i := range q.slots.n {
		if s := q.slots.at(i); s.state.owns() {
			free.add(s.batch)
		}
	}
	q.slots = ring{}
	q.count, q.waiting, q.kept, q.size = 0, 0, 0, 0
	q.publish()
	q.mu.Unlock()
	q.letGo(free)
	q.checkWatch()
}

// LastConsumed is when messages were last resolved, or the time of New.
func (q *Queue) LastConsumed() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.born.Add(q.consumed)
}

// Bounds are the first and last cached offset; ok is false when nothing is cached.
func (q *Queue) Bounds() (first, last int64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.slots.bounds()
}

// batches are references to give up once the mutex is free.
type batches struct {
	last *mq.Batch
	n    int
	more []batches
}

func (f *batches) add(b *mq.Batch) {
	if b == f.last {
		f.n++
		return
	}
	if f.last != nil {
		f.more = append(f.more, batches{last: f.last, n: f.n})
	}
	f.last, f.n = b, 1
}

func (q *Queue) letGo(f batches) {
	for _, o := range f.more {
		q.release(o.last, o.n)
	}
	if f.last != nil {
		q.release(f.last, f.n)
	}
}

func (q *Queue) release(b *mq.Batch, n int) {
	if b.Release(n) && q.Recycle != nil {
		q.Recycle(b)
	}
}
