package store

// Scan limits of one read (Java: DefaultMessageStore.getMessage, MessageStoreConfig).
const (
	javaEntryBytes   = 20
	scanBytes        = 16000     // so at most 800 entries are looked at when filtering
	transferMaxBytes = 128 << 20 // whatever the configuration says
	DefaultReadCount = 32        // maxTransferCountOnMessageInMemory
	DefaultReadBytes = 256 << 10 // maxTransferBytesOnMessageInMemory
)

// Filter says which messages of a queue are wanted, by the hash of their tags. Hashes may
// collide: readers check the tags themselves.
type Filter struct {
	All   bool
	Codes []int32
}

// Match tells whether a message with this tag code is wanted.
func (f *Filter) Match(tag int64) bool {
	if f.All {
		return true
	}
	low := int32(tag)
	for _, c := range f.Codes {
		if c == low {
			return true
		}
	}
	return false
}

// Window limits one read.
type Window struct {
	Want     int32 // messages the reader asked for; at least one is given whatever it is
	MaxCount int   // messages at most, 0 means DefaultReadCount
	MaxBytes int   // bytes at most unless the first message is larger, 0 means DefaultReadBytes
	Filter   *Filter
}

// Result is what one read found.
type Result struct {
	Status         Status
	Next, Min, Max int64 // offset to go on from; the queue's bounds
	Count          int
	Body           []byte // the records, one behind the other; part of the log, or built in the buffer given
}

// Read reads records of q from offset on. Records that do not lie side by side in the log
// are copied to buf, which is returned grown for the next call.
func (s *Store) Read(q *Queue, offset int64, w Window, buf []byte) (Result, []byte) {
	if q == nil {
		return Result{Status: NoMessageInQueue}, buf
	}
	r := Result{Min: q.min, Max: q.next}
	switch {
	case q.next == 0:
		r.Status, r.Next = NoMessageInQueue, 0
	case offset < q.min:
		r.Status, r.Next = OffsetTooSmall, q.min
	case offset == q.next:
		r.Status, r.Next = OffsetOverflowOne, offset
	case offset > q.next:
		r.Status, r.Next = OffsetOverflowBadly, q.next
	default:
		buf = s.scan(q, offset, w, &r, buf[:0])
	}
	return r, buf
}

// scan looks at entries from offset on in the order of checks of a real broker: how far,
// then whether the answer is full, then whether the entry matches.
func (s *Store) scan(q *Queue, offset int64, w Window, r *Result, buf []byte) []byte {
	if w.MaxCount <= 0 {
		w.MaxCount = DefaultReadCount
	}
	if w.MaxBytes <= 0 {
		w.MaxBytes = DefaultReadBytes
	}
	most := (max(scanBytes, int64(w.Want)*javaEntryBytes) + javaEntryBytes - 1) / javaEntryBytes
	g := gather{log: &s.log, buf: buf}
	r.Status, r.Next = NoMatchedMessage, offset
	for at := offset; at < q.next && at-offset < most; at++ {
		e := q.at(at)
		if r.Count > 0 && (r.Count >= w.MaxCount || int32(r.Count)+1 > w.Want || g.size+int(e.size) > min(w.MaxBytes, transferMaxBytes)) {
			break
		}
		r.Next = at + 1
		if w.Filter != nil && !w.Filter.Match(e.tag) {
			r.Status = statusUnless(r.Count, NoMatchedMessage)
			continue
		}
		if !g.add(e) {
			r.Status = statusUnless(r.Count, MessageWasRemoving)
			continue
		}
		r.Count++
		r.Status = Found
	}
	r.Body, buf = g.result()
	return buf
}

func statusUnless(count int, s Status) Status {
	if count > 0 {
		return Found
	}
	return s
}

// gather collects records. As long as they lie side by side in one segment nothing is copied.
type gather struct {
	log  *commitLog
	seg  *segment
	i    int // of seg
	from int64
	to   int64 // the run [from, to) of seg is not copied yet
	buf  []byte
	size int
}

// add takes the record of e; false means that it is no longer in the log.
func (g *gather) add(e *entry) bool {
	if g.seg != nil && e.pos == g.to && g.to < g.seg.end() {
		g.to += int64(e.size)
		g.size += int(e.size)
		return true
	}
	if g.seg == nil || e.pos < g.seg.base || e.pos >= g.seg.end() {
		g.flush()
		if g.seg != nil && g.i+1 < len(g.log.segments) && e.pos >= g.seg.end() && e.pos < g.log.segments[g.i+1].end() {
			g.i++
		} else {
			g.i = g.log.find(e.pos)
		}
		if g.i < 0 {
			g.seg = nil
			return false
		}
		g.seg = g.log.segments[g.i]
	} else {
		g.flush()
	}
	g.from, g.to = e.pos, e.pos+int64(e.size)
	g.size += int(e.size)
	return true
}

func (g *gather) run() []byte {
	return g.seg.buf[g.from-g.seg.base : g.to-g.seg.base : g.to-g.seg.base]
}

// flush copies the run that ended.
func (g *gather) flush() {
	if g.seg != nil && g.to > g.from {
		g.buf = append(g.buf, g.run()...)
		g.from = g.to
	}
}

func (g *gather) result() (body, buf []byte) {
	if len(g.buf) == 0 {
		if g.seg == nil || g.to == g.from {
			return nil, g.buf
		}
		return g.run(), g.buf
	}
	g.flush()
	return g.buf, g.buf
}
