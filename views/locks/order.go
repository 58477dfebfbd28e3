package locks

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// memo is the derived list of one snapshot, set of parameters and second.
type memo struct {
	snap   *snapshot.Snapshot
	params Params
	second int64 // countdowns change what passes and what comes first

	at     time.Time
	old    bool // the snapshot is too old to count down from: at is its own time
	short  views.ShortNames
	rows   []int32 // queues that use a lock and pass, in order
	all    int     // queues that use a lock
	counts [views.LockKinds]int
	lock   views.Lock // one of them, for the lengths of leases
	bad    error
}

// asOf is the moment that countdowns are worked out for. Of an old snapshot it is the time
// of that: since then locks may have been renewed or lost.
func asOf(s *snapshot.Snapshot, now time.Time) (at time.Time, old bool) {
	if now.Sub(s.At) > views.StaleAfter {
		return s.At, true
	}
	return now, false
}

// list returns the rows to show. Rows change places at most once a second while the same
// queues are there: they must not run away under the cursor.
func (v *View) list(s *snapshot.Snapshot, p Params, now time.Time) *memo {
	m := &v.memo
	at, old := asOf(s, now)
	same := m.snap != nil && m.params == p && m.second == at.Unix()
	if same && m.snap == s {
		m.at = at
		return m
	}
	keep := same && sameLocks(m.snap, s)
	m.snap, m.params, m.second, m.at, m.old = s, p, at.Unix(), at, old
	m.count()
	if !keep {
		v.order()
	}
	return m
}

// sameLocks tells whether rows of a are rows of b.
func sameLocks(a, b *snapshot.Snapshot) bool {
	if len(a.Queues) != len(b.Queues) {
		return false
	}
	for i := range a.Queues {
		if a.Queues[i].ID != b.Queues[i].ID || views.LockAt(&a.Queues[i], a.At).Used != views.LockAt(&b.Queues[i], b.At).Used {
			return false
		}
	}
	return true
}

// count finds how many locks there are of each kind.
func (m *memo) count() {
	m.all, m.counts = 0, [views.LockKinds]int{}
	for i := range m.snap.Queues {
		if l := views.LockAt(&m.snap.Queues[i], m.at); l.Used {
			m.all++
			m.counts[l.Kind]++
			m.lock = l
		}
	}
}

// order finds the rows that pass and sorts them.
func (v *View) order() {
	m := &v.memo
	m.short = views.ShortBrokers(m.snap)
	var pass predicate
	pass, m.bad = compile(m.params.Filter, m.snap)
	ranks := v.ranks[:0]
	var r row
	for i := range m.snap.Queues {
		r.q = &m.snap.Queues[i]
		r.lock = views.LockAt(r.q, m.at)
		if r.lock.Used && pass(&r) {
			ranks = append(ranks, rankOf(m.params.Sort, r.lock, int32(i)))
		}
	}
	views.Sort(ranks, m.params.Desc)
	m.rows = m.rows[:0]
	for _, k := range ranks {
		m.rows = append(m.rows, k.I)
	}
	v.ranks = ranks
}

// rankOf is the rank of row i by a column; the snapshot is in the order of ids.
func rankOf(column string, r views.Lock, i int32) views.Rank {
	k := views.Rank{I: i}
	switch column {
	case "queue":
		k.N = int64(i)
	case "says":
		k.N = int64(r.Says)
	case "believes":
		k.Unknown = len(r.Believers) == 0
		if !k.Unknown {
			k.S = r.Believers[0]
		}
	case "mark":
		k.N = int64(r.Kind)
	case "age":
		k.N, k.Unknown = int64(r.Age), !r.Granted
	case "broker":
		k.N, k.Unknown = int64(r.Broker), !r.Counted
	case "renew":
		k.N, k.Unknown = int64(r.Renew), !r.Planned
	case "unlock":
		k.N = int64(r.Tries)
	default:
		k.N, k.Unknown = int64(r.Client), !r.Counted
	}
	return k
}

// find returns the row of the cursor, or the one next to where that was; -1 when there are
// no rows. found is false when the queue is not among them.
func (m *memo) find(st State) (pos int, found bool) {
	if len(m.rows) == 0 {
		return -1, false
	}
	if st.Pos >= 0 && st.Pos < len(m.rows) && m.snap.Queues[m.rows[st.Pos]].ID == st.Sel {
		return st.Pos, true
	}
	for i, q := range m.rows {
		if m.snap.Queues[q].ID == st.Sel {
			return i, true
		}
	}
	return min(max(st.Pos, 0), len(m.rows)-1), false
}

// queue is the queue of a row, and what its lock comes to.
func (m *memo) queue(row int) (*snapshot.Queue, views.Lock) {
	q := &m.snap.Queues[m.rows[row]]
	return q, views.LockAt(q, m.at)
}
