package queues

import (
	"slices"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// resortEvery is how often at most rows change places while the cursor is among them.
const resortEvery = time.Second

// row is a line of the table: a queue by its index in the snapshot, or the head of a group.
type row struct {
	queue int32 // -1 for the head of a group
	group int32 // -1 when rows are not grouped
}

// group sums the queues under one head.
type group struct {
	name    string
	n       int
	mark    snapshot.Mark
	lag     snapshot.Val[int64]
	missing int
	cached  int64
	bytes   int64
	partial bool // cached and bytes lack a part
	in, out float64
	rates   int // queues whose rates are known
}

// memo is the derived list of one snapshot and one set of parameters.
type memo struct {
	snap   *snapshot.Snapshot
	params Params
	folded []string
	sorted time.Time
	short  views.ShortNames

	order  []int32
	rows   []row
	groups []group
	bad    error
}

// list returns the rows to show. The order of an older snapshot is kept for up to a second
// as long as the same queues exist: rows must not run away under the cursor.
func (v *View) list(s *snapshot.Snapshot, st State, now time.Time) *memo {
	m := &v.memo
	same := m.snap != nil && m.params == st.Params
	if same && m.snap == s && slices.Equal(m.folded, st.Folded) {
		return m
	}
	fresh := now.Sub(m.sorted)
	if same && m.snap != s && fresh >= 0 && fresh < resortEvery && views.SameQueues(m.snap, s) {
		m.snap = s
	} else if !same || m.snap != s {
		short := views.ShortBrokers(s)
		pass, bad := compile(st.Filter, s)
		*m = memo{snap: s, params: st.Params, sorted: now, short: short, bad: bad, order: order(s, st.Params, pass)}
	}
	m.folded = st.Folded
	m.build(st)
	return m
}

// build makes rows of the order: one after the other, or under the heads of their groups.
func (m *memo) build(st State) {
	m.rows, m.groups = m.rows[:0], nil
	if st.Group == NoGroup {
		for _, i := range m.order {
			m.rows = append(m.rows, row{i, -1})
		}
		return
	}
	at := map[string]int{}
	var members [][]int32
	for _, i := range m.order {
		q := &m.snap.Queues[i]
		name := groupOf(st.Group, q)
		g, ok := at[name]
		if !ok {
			g = len(m.groups)
			at[name] = g
			m.groups = append(m.groups, group{name: name, mark: snapshot.MarkOK})
			members = append(members, nil)
		}
		m.groups[g].add(q)
		members[g] = append(members[g], i)
	}
	for g := range m.groups {
		m.rows = append(m.rows, row{-1, int32(g)})
		if st.isFolded(m.groups[g].name) {
			continue
		}
		for _, i := range members[g] {
			m.rows = append(m.rows, row{i, int32(g)})
		}
	}
}

func groupOf(kind GroupKind, q *snapshot.Queue) string {
	switch kind {
	case ByTopic:
		return q.ID.Topic
	case ByBroker:
		return q.ID.BrokerName
	}
	if q.Owner.OK() {
		return q.Owner.V
	}
	return "?"
}

func (g *group) add(q *snapshot.Queue) {
	g.n++
	g.mark = views.Worse(g.mark, q.Mark)
	g.lag, g.missing = views.AddVal(g.lag, q.Lag, g.missing)
	if q.Count.OK() && q.Bytes.OK() {
		g.cached += int64(q.Count.V)
		g.bytes += q.Bytes.V
	} else if q.Count.State != snapshot.NotApplicable {
		g.partial = true
	}
	if q.InRate.OK() && q.OutRate.OK() {
		g.in += q.InRate.V
		g.out += q.OutRate.V
		g.rates++
	}
}

// target is what a row stands for.
func (m *memo) target(r row) Target {
	if r.queue < 0 {
		return Target{Group: m.groups[r.group].name, IsGroup: true}
	}
	return Target{Queue: m.snap.Queues[r.queue].ID}
}

// find returns the row of the cursor: of its target, or the one next to where that was; -1
// when there are no rows. found is false when the target is not there.
func (m *memo) find(st State) (pos int, found bool) {
	if len(m.rows) == 0 {
		return -1, false
	}
	if st.Pos >= 0 && st.Pos < len(m.rows) && m.is(m.rows[st.Pos], st.Sel) {
		return st.Pos, true
	}
	for i, r := range m.rows {
		if m.is(r, st.Sel) {
			return i, true
		}
	}
	return min(max(st.Pos, 0), len(m.rows)-1), false
}

func (m *memo) is(r row, t Target) bool {
	if r.queue < 0 {
		return t.IsGroup && m.groups[r.group].name == t.Group
	}
	return !t.IsGroup && m.snap.Queues[r.queue].ID == t.Queue
}

// mark is the state of a row.
func (m *memo) mark(r row) snapshot.Mark {
	if r.queue < 0 {
		return m.groups[r.group].mark
	}
	return m.snap.Queues[r.queue].Mark
}
