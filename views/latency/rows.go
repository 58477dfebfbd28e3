package latency

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// row is a broker, or a queue when queue is not -1.
type row struct {
	broker int32
	queue  int32 // in the snapshot
	last   bool  // of its broker's queues
}

// broker is a row's broker with what is known of it.
type broker struct {
	name   string
	series snapshot.Series
	known  bool // that there are pulls over time
	mark   snapshot.Mark
	down   bool
	queues int
}

// memo is the list of one snapshot and one set of open brokers.
type memo struct {
	snap    *snapshot.Snapshot
	open    []string
	sorted  time.Time
	brokers []broker
	rows    []row
	short   views.ShortNames
	edge    time.Time // end of the newest slot
	step    time.Duration
}

// resortEvery is how often at most rows change places.
const resortEvery = time.Second

// list returns the rows to show. The order of an older snapshot is kept for up to a second
// as long as the same brokers and queues are there.
func (v *View) list(s *snapshot.Snapshot, st State, now time.Time) *memo {
	m := &v.memo
	if m.snap == s && slices.Equal(m.open, st.Open) {
		return m
	}
	fresh := now.Sub(m.sorted)
	keep := m.snap != nil && slices.Equal(m.open, st.Open) && fresh >= 0 && fresh < resortEvery && views.SameQueues(m.snap, s)
	old := m.brokers
	m.snap, m.open, m.short = s, st.Open, views.ShortBrokers(s)
	m.brokers = brokersOf(s)
	m.axis()
	if keep && m.reorder(old) {
		return m
	}
	slices.SortFunc(m.brokers, func(a, b broker) int {
		return cmp.Or(cmp.Compare(views.Severity(a.mark), views.Severity(b.mark)),
			-cmp.Compare(slowness(a.series.Total), slowness(b.series.Total)), strings.Compare(a.name, b.name))
	})
	m.sorted = now
	m.build(st)
	return m
}

// reorder gives the brokers the order of before; it reports false when they are others.
func (m *memo) reorder(before []broker) bool {
	if len(before) != len(m.brokers) {
		return false
	}
	at := make(map[string]int, len(before))
	for i := range before {
		at[before[i].name] = i
	}
	for i := range m.brokers {
		if _, ok := at[m.brokers[i].name]; !ok {
			return false
		}
	}
	slices.SortFunc(m.brokers, func(a, b broker) int { return cmp.Compare(at[a.name], at[b.name]) })
	return true
}

// brokersOf are the brokers that are known, and those that were pulled from.
func brokersOf(s *snapshot.Snapshot) []broker {
	count := map[string]int{}
	for i := range s.Queues {
		if s.Counts(&s.Queues[i]) {
			count[s.Queues[i].ID.BrokerName]++
		}
	}
	var out []broker
	seen := map[string]bool{}
	add := func(name string, down bool) {
		if seen[name] {
			return
		}
		seen[name] = true
		b := broker{name: name, down: down, queues: count[name]}
		b.series, b.known = s.BrokerPulls[name]
		b.mark = markOf(&b)
		out = append(out, b)
	}
	for i := range s.Cluster.Brokers {
		b := &s.Cluster.Brokers[i]
		add(b.Name, !b.Up && b.Err != "")
	}
	for _, name := range slices.Sorted(maps.Keys(s.BrokerPulls)) {
		add(name, false)
	}
	return out
}

// markOf is how a broker's pulls went: from 100 ms on they are worth watching, from 500 ms on
// they are bad. Holds alone are an idle broker, which is well.
func markOf(b *broker) snapshot.Mark {
	t, failed := b.series.Total, failures(b.series)
	switch {
	case b.down:
		return snapshot.MarkBad
	case t.Enough:
		m := markOfClass(snapshot.HeatClass(t.P99))
		if failed > 0 {
			m = views.Worse(m, snapshot.MarkWarn)
		}
		return m
	case failed > 0:
		return snapshot.MarkWarn
	case t.N == 0 && t.HeldN > 0:
		return snapshot.MarkOK
	}
	return snapshot.MarkUnknown
}

func markOfClass(class int) snapshot.Mark {
	switch class {
	case snapshot.HeatClasses - 1:
		return snapshot.MarkBad
	case snapshot.HeatClasses - 2:
		return snapshot.MarkWatch
	}
	return snapshot.MarkOK
}

// failures are pulls that got no answer.
func failures(se snapshot.Series) (n uint64) {
	for i := range se.Slots {
		n += uint64(se.Slots[i].Timeouts) + uint64(se.Slots[i].Exceptions)
	}
	return n
}

// slowness orders by p99; what has too few samples is least.
func slowness(l snapshot.Latency) time.Duration {
	if !l.Enough {
		return -1
	}
	return l.P99
}

// build makes rows of brokers and of the queues of those that are open.
func (m *memo) build(st State) {
	m.rows = m.rows[:0]
	for i := range m.brokers {
		m.rows = append(m.rows, row{broker: int32(i), queue: -1})
		if !st.isOpen(m.brokers[i].name) {
			continue
		}
		from := len(m.rows)
		for q := range m.snap.Queues {
			if m.snap.Counts(&m.snap.Queues[q]) && m.snap.Queues[q].ID.BrokerName == m.brokers[i].name {
				m.rows = append(m.rows, row{broker: int32(i), queue: int32(q)})
			}
		}
		slices.SortStableFunc(m.rows[from:], func(a, b row) int {
			return -cmp.Compare(slowness(m.snap.Queues[a.queue].RoundTrip), slowness(m.snap.Queues[b.queue].RoundTrip))
		})
		if len(m.rows) > from {
			m.rows[len(m.rows)-1].last = true
		}
	}
}

// axis finds the newest moment and the length of a slot.
func (m *memo) axis() {
	m.edge, m.step = time.Time{}, 0
	for i := range m.brokers {
		se := &m.brokers[i].series
		if se.Step <= 0 || len(se.Slots) == 0 {
			continue
		}
		if m.step == 0 || se.Step < m.step {
			m.step = se.Step
		}
		if se.Until.After(m.edge) {
			m.edge = se.Until
		}
	}
	if m.step < time.Second || m.step > time.Hour {
		m.step = 10 * time.Second
	}
	if m.edge.IsZero() || m.edge.Sub(m.snap.At) > time.Hour {
		m.edge = m.snap.At
	}
}

// target is what a row stands for.
func (m *memo) target(r row) Target {
	t := Target{Broker: m.brokers[r.broker].name}
	if r.queue >= 0 {
		t.Queue, t.IsQueue = m.snap.Queues[r.queue].ID, true
	}
	return t
}

// find returns the row of the cursor, or the one next to where that was; -1 when there are
// no rows.
func (m *memo) find(st State) int {
	for i, r := range m.rows {
		if m.target(r) == st.Sel {
			return i
		}
	}
	return min(max(st.Pos, 0), len(m.rows)-1)
}

// series are the pulls of a row over time; ok is false when they are not known.
func (m *memo) series(r row) (se snapshot.Series, ok bool) {
	if r.queue < 0 {
		return m.brokers[r.broker].series, m.brokers[r.broker].known
	}
	se, ok = m.snap.QueuePulls[m.snap.Queues[r.queue].ID]
	return se, ok
}

// total is the summary of a row; since says that it is of all the time since the queue was
// assigned, because there is none of the last minutes.
func (m *memo) total(r row) (l snapshot.Latency, since bool) {
	if se, ok := m.series(r); ok || r.queue < 0 {
		return se.Total, false
	}
	return m.snap.Queues[r.queue].RoundTrip, true
}

// mark is the state of a row.
func (m *memo) mark(r row) snapshot.Mark {
	if r.queue < 0 {
		return m.brokers[r.broker].mark
	}
	b := broker{}
	b.series, b.known = m.series(r)
	b.series.Total, _ = m.total(r)
	return markOf(&b)
}
