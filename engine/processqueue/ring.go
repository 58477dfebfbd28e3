package processqueue

import (
	"mqscope/engine/mq"
)

// state is what became of a cached message.
type state uint8

const (
	waiting       state = iota // no taker yet
	consuming                  // a taker has it
	settling                   // its listener failed, its taker sends it back
	expiring                   // its listener is overdue, the sweep sends it back
	expiredOK                  // as expiring, but the listener returned with success
	expiredFailed              // as expiring, but the listener returned and failed
	retrying                   // could not be sent back, waits to be consumed again
	kept                       // its listener succeeded, the commit is to come (orderly)
	done                       // resolved, but an earlier offset is not
)

// owns tells whether the slot, rather than a taker, has the message's batch reference.
func (s state) owns() bool {
	return s == waiting || s == retrying || s == kept || s == expiredOK || s == expiredFailed
}

// slot is one cached message, or a run of offsets that are done.
type slot struct {
	batch   *mq.Batch
	offset  int64
	size    uint32 // of the body as put in; of a run: low half of its length
	index   uint32 // in the batch; of a run: high half of its length
	started uint32 // milliseconds when it was taken, wrapping: see since
	failed  uint16 // listener calls that failed here, in order
	state   state
}

// since is how many milliseconds before ms the slot was taken. It is right for calls under
// 24 days, and negative when ms was read before a taker that came first read its own time.
func (s *slot) since(ms uint32) int32 { return int32(ms - s.started) }

// end is one past the last offset of the slot.
func (s *slot) end() int64 {
	if s.state != done {
		return s.offset + 1
	}
	return s.offset + int64(uint64(s.index)<<32|uint64(s.size))
}

// setRun makes s the run of done offsets from, to not included.
func (s *slot) setRun(from, to int64) {
	n := uint64(to - from)
	*s = slot{offset: from, size: uint32(n), index: uint32(n >> 32), state: done}
}

// finish marks a message as done.
func (s *slot) finish() { s.setRun(s.offset, s.offset+1) }

const (
	smallestRing = 32
	// A ring this big may shrink when it empties.
	roomyRing = 256
)

// ring has the slots in offset order, without overlap; its length is a power of two.
//
// For offsets without gaps a slot is found at offset − first offset; where there are gaps,
// or where done slots were merged into runs, by a search. Only the first slot is never done.
// Runs keep the ring small while one message that hangs holds back the offset of millions.
type ring struct {
	slots []slot
	head  int
	n     int
	next  int // no slot before it is waiting
	peak  int // most slots since it was last empty
}

func (r *ring) at(i int) *slot { return &r.slots[(r.head+i)&(len(r.slots)-1)] }

// find returns the slot that covers off, or where it would be inserted.
func (r *ring) find(off int64) (i int, found bool) {
	if r.n == 0 {
		return 0, false
	}
	if d := off - r.at(0).offset; uint64(d) < uint64(r.n) && r.at(int(d)).offset == off {
		return int(d), true
	}
	last := r.at(r.n - 1)
	if off >= last.end() {
		return r.n, false
	}
	if d := int64(r.n-1) - (last.offset - off); uint64(d) < uint64(r.n) && r.at(int(d)).offset == off {
		return int(d), true
	}
	low, high := 0, r.n // the first slot beyond off is in low..high
	for low < high {
		mid := int(uint(low+high) >> 1)
		if r.at(mid).offset <= off {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low > 0 && off < r.at(low-1).end() {
		return low - 1, true
	}
	return low, false
}

// insert puts s before slot i and returns where it is then.
func (r *ring) insert(i int, s slot) int {
	if r.n == len(r.slots) {
		i = r.makeRoom(i)
	}
	r.n++
	for j := r.n - 1; j > i; j-- {
		*r.at(j) = *r.at(j - 1)
	}
	*r.at(i) = s
	r.next = min(r.next, i)
	r.peak = max(r.peak, r.n)
	return i
}

// makeRoom merges neighbours that are done, and doubles the ring when that frees too little.
// It returns the place that i has afterwards.
func (r *ring) makeRoom(i int) int {
	kept, moved := 0, i
	for j := range r.n {
		if j == i {
			moved = kept
		}
		s := *r.at(j)
		// No merging across i: a slot goes between these two.
		if j != i && kept > 0 && s.state == done && r.at(kept-1).state == done {
			r.at(kept-1).setRun(r.at(kept-1).offset, s.end())
			continue
		}
		*r.at(kept) = s
		kept++
	}
	if i == r.n {
		moved = kept
	}
	for j := kept; j < r.n; j++ {
		*r.at(j) = slot{}
	}
	if kept < r.n {
		r.n, r.next = kept, 0
	}
	if kept > len(r.slots)*3/4 || len(r.slots) == 0 {
		bigger := make([]slot, max(smallestRing, 2*len(r.slots)))
		for j := range r.n {
			bigger[j] = *r.at(j)
		}
		r.slots, r.head = bigger, 0
	}
	return moved
}

// cut takes off out of the run at i and returns where its message is to be inserted.
func (r *ring) cut(i int, off int64) int {
	s := r.at(i)
	from, to := s.offset, s.end()
	switch {
	case from == off && to == off+1:
		r.remove(i)
		return i
	case from == off:
		s.setRun(off+1, to)
		return i
	case to == off+1:
		s.setRun(from, off)
		return i + 1
	}
	s.setRun(from, off)
	var rest slot
	rest.setRun(off+1, to)
	return r.insert(i+1, rest)
}

func (r *ring) remove(i int) {
	for j := i; j < r.n-1; j++ {
		*r.at(j) = *r.at(j + 1)
	}
	r.n--
	*r.at(r.n) = slot{}
	r.next = min(r.next, i)
}

// trim frees the slots that are done at the front and merges those at the back, so that the
// last slot or the one before is not done.
func (r *ring) trim() {
	for r.n > 0 && r.at(0).state == done {
		*r.at(0) = slot{}
		r.head = (r.head + 1) & (len(r.slots) - 1)
		r.n--
		r.next = max(r.next-1, 0)
	}
	for r.n > 1 && r.at(r.n-1).state == done && r.at(r.n-2).state == done {
		to := r.at(r.n - 1).end()
		*r.at(r.n - 1) = slot{}
		r.n--
		r.at(r.n-1).setRun(r.at(r.n-1).offset, to)
	}
	if r.n == 0 {
		if len(r.slots) >= roomyRing && r.peak < len(r.slots)/4 {
			r.slots, r.head = make([]slot, len(r.slots)/2), 0
		}
		r.peak = 0
	}
}

// bounds are the first and last offset that is not done.
func (r *ring) bounds() (first, last int64, ok bool) {
	if r.n == 0 {
		return 0, 0, false
	}
	s := r.at(r.n - 1)
	if s.state == done {
		s = r.at(r.n - 2)
	}
	return r.at(0).offset, s.offset, true
}
