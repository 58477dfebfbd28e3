package latency

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// slots is how many slots ten minutes have.
const slots = 60

// axis is the time of the heat map's columns. Columns begin at whole multiples of their
// length, so that what is past does not change when time goes on.
type axis struct {
	start time.Time // of the first column
	col   time.Duration
	n     int
}

// axisOf lays columns of per slots before the newest moment.
func (m *memo) axisOf(cols int) axis {
	if cols <= 0 {
		return axis{col: m.step}
	}
	a := axis{n: cols, col: time.Duration((slots+cols-1)/cols) * m.step}
	end := m.edge.Truncate(a.col)
	if end.Before(m.edge) {
		end = end.Add(a.col)
	}
	a.start = end.Add(-time.Duration(cols) * a.col)
	return a
}

// at is the column of a moment; ok is false when it is none of them.
func (a axis) at(t time.Time) (i int, ok bool) {
	d := t.Sub(a.start)
	if a.n == 0 || d < 0 || d >= time.Duration(a.n)*a.col {
		return 0, false
	}
	return int(d / a.col), true
}

// from is where column i begins.
func (a axis) from(i int) time.Time { return a.start.Add(time.Duration(i) * a.col) }

// cell is a stretch of time of a row.
type cell struct {
	class  int8 // of its slowest slot; -1 without answers
	held   bool // the broker held an answer back
	failed bool // a pull got no answer
}

// classOf is the class of a slot: that of its 99th percentile, or of its slowest answer when
// there are too few; -1 when no answer came at once.
func classOf(s *snapshot.Slot) int {
	switch {
	case s.N() == 0:
		return -1
	case s.P99 > 0:
		return snapshot.HeatClass(s.P99)
	case s.Max > 0:
		return snapshot.HeatClass(s.Max)
	}
	class := 0
	for i, n := range s.Heat {
		if n > 0 {
			class = i
		}
	}
	return class
}

// eachSlot calls f with every slot of se and the middle of its time.
func eachSlot(se *snapshot.Series, f func(s *snapshot.Slot, middle time.Time)) {
	if se.Step <= 0 {
		return
	}
	for i := range se.Slots {
		back := time.Duration(len(se.Slots)-1-i)*se.Step + se.Step/2
		f(&se.Slots[i], se.Until.Add(-back))
	}
}

// cells puts the slots of se into the columns of a; the worst of a column wins.
func (a axis) cells(se *snapshot.Series, mode Mode, out []cell) []cell {
	out = out[:0]
	for range a.n {
		out = append(out, cell{class: -1})
	}
	eachSlot(se, func(s *snapshot.Slot, middle time.Time) {
		i, ok := a.at(middle)
		if !ok {
			return
		}
		c := &out[i]
		c.held = c.held || mode != WithoutHolds && s.Held > 0
		if mode != OnlyHolds {
			c.class = max(c.class, int8(classOf(s)))
			c.failed = c.failed || s.Timeouts+s.Exceptions > 0
		}
	})
	return out
}

// sign draws a cell: the same signs in every set, so that they can be told by a legend. Slow
// answers come before holds, which are not slowness however long they last.
func (c cell) sign(g *themes.Glyphs) (themes.Token, themes.Glyph) {
	switch {
	case c.failed:
		return themes.Bad, g.Bad
	case c.held && c.class < slowFrom:
		return themes.MsgHeld, g.Held
	case c.class < 0:
		return themes.None, " "
	}
	return themes.Heat(int(c.class)), heatSign(int(c.class))
}

func heatSign(class int) themes.Glyph {
	return [...]themes.Glyph{".", "-", "=", "#", "@"}[min(max(class, 0), snapshot.HeatClasses-1)]
}

// slowFrom is the class from which a stretch of time counts as slow: 100 ms.
const slowFrom = snapshot.HeatClasses - 2

// sum is what the slots of one column come to.
type sum struct {
	n, held, timeouts, exceptions, refused uint64
	p50, p99, max, longest                 time.Duration // the largest of each
}

// sumOf adds up the slots of column i.
func (a axis) sumOf(se *snapshot.Series, i int) (out sum) {
	eachSlot(se, func(s *snapshot.Slot, middle time.Time) {
		if c, ok := a.at(middle); !ok || c != i {
			return
		}
		out.add(s)
	})
	return out
}

func (m *sum) add(s *snapshot.Slot) {
	for _, n := range s.Heat {
		m.n += uint64(n)
	}
	m.held += uint64(s.Held)
	m.timeouts += uint64(s.Timeouts)
	m.exceptions += uint64(s.Exceptions)
	m.refused += uint64(s.FlowControl)
	m.p50, m.p99, m.max, m.longest = max(m.p50, s.P50), max(m.p99, s.P99), max(m.max, s.Max), max(m.longest, s.HeldTime)
}

// all adds up a whole series.
func all(se *snapshot.Series) (out sum) {
	for i := range se.Slots {
		out.add(&se.Slots[i])
	}
	return out
}

// spell is the newest stretch of time in which pulls were slow.
type spell struct {
	from, to time.Time
	worst    time.Duration // the slowest 99th percentile, or answer where there are too few
	now      bool          // it lasts on
}

// slowSpell finds the newest run of slots from slow on; a blank or quick slot between two
// slow ones does not end it. Failed pulls are slow.
func slowSpell(se *snapshot.Series, slow int) (out spell, ok bool) {
	quick := 0
	eachSlot(se, func(s *snapshot.Slot, middle time.Time) {
		is := classOf(s) >= slow || s.Timeouts+s.Exceptions > 0
		switch {
		case is:
			if !ok || quick > 1 {
				out, ok = spell{from: middle.Add(-se.Step / 2)}, true
			}
			out.to, quick = middle.Add(se.Step/2), 0
			out.worst = max(out.worst, max(s.P99, slowestFew(s)))
		case s.N() > 0:
			quick++
		}
	})
	out.now = ok && quick == 0
	return out, ok
}

// slowestFew is the slowest answer of a slot that has too few for quantiles, else 0.
func slowestFew(s *snapshot.Slot) time.Duration {
	if s.P99 > 0 {
		return 0
	}
	return s.Max
}
