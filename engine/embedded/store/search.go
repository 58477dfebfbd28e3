package store

import "sort"

// firstFrom is the smallest offset of q whose record begins at or behind pos.
func (q *Queue) firstFrom(pos int64) int64 {
	n := sort.Search(int(q.next-q.min), func(i int) bool { return q.at(q.min+int64(i)).pos >= pos })
	return q.min + int64(n)
}

// StoreTime is when the message at an offset was stored (ms).
func (s *Store) StoreTime(q *Queue, offset int64) (ms int64, ok bool) {
	r := s.RecordAt(q, offset)
	if r == nil {
		return 0, false
	}
	return storeTime(r), true
}

// Search finds an offset by store time (ms). The lower one is the first message stored at
// or after the time, the queue's maximum if all are older; the upper one is the last
// message stored at or before it, the queue's minimum if none is. An empty queue gives its
// only offset (Java: ConsumeQueue.getOffsetInQueueByTime, BoundaryType).
func (s *Store) Search(q *Queue, ms int64, upper bool) int64 {
	lo, hi := Bounds(q)
	if lo == hi {
		return lo
	}
	n := sort.Search(int(hi-lo), func(i int) bool {
		at, ok := s.StoreTime(q, lo+int64(i))
		if upper {
			return ok && at > ms
		}
		return ok && at >= ms
	})
	offset := lo + int64(n)
	if upper {
		return max(lo, offset-1)
	}
	return offset
}
