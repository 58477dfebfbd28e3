package detail

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

// kind is what a cell shows, from the least to the most urgent: the worst of a cell wins.
type kind uint8

const (
	kindDone kind = iota
	kindGap
	kindSent // delivered and not committed; what becomes of it does not show from outside
	kindWait
	kindRun
	kindRetry
	kindLate // in a listener for longer than the consume timeout
	kinds    = iota
)

func kindOf(s snapshot.MessageState) kind {
	switch s {
	case snapshot.Waiting:
		return kindWait
	case snapshot.Consuming:
		return kindRun
	case snapshot.Done:
		return kindDone
	case snapshot.Retry:
		return kindRetry
	case snapshot.Delivered:
		return kindSent
	}
	return kindGap
}

func (k kind) glyph(g *themes.Glyphs) themes.Glyph {
	return [...]themes.Glyph{g.Done, g.Gap, g.Wait, g.Wait, g.Run, g.Retry, g.Late}[k]
}

func (k kind) token() themes.Token {
	return [...]themes.Token{themes.MsgDone, themes.MsgGap, themes.MsgWait, themes.MsgWait, themes.MsgRun, themes.MsgRetry, themes.Bad}[k]
}

// grid maps offsets to cells.
type grid struct {
	from, to   int64 // both ends included
	per        uint64
	cols, rows int
	cells      []kind
}

// span is the range of offsets that a window covers; ok is false for an empty one.
func span(w snapshot.Window) (from, to int64, ok bool) {
	if len(w.Runs) == 0 {
		return 0, 0, false
	}
	return w.Runs[0].From, w.Runs[len(w.Runs)-1].To, true
}

// newGrid finds how many offsets a cell stands for: one, or the smallest power of two that
// makes all of them fit.
func newGrid(from, to int64, cols, rows int) grid {
	g := grid{from: from, to: to, per: 1, cols: cols, rows: rows}
	if cols < 1 || rows < 1 || to < from {
		g.cols, g.rows = 0, 0
		return g
	}
	room := uint64(cols) * uint64(rows)
	all := uint64(to) - uint64(from)
	for g.per < 1<<62 && all/g.per >= room {
		g.per *= 2
	}
	return g
}

// used is how many cells hold offsets.
func (g *grid) used() int {
	if g.cols == 0 {
		return 0
	}
	return int(min((uint64(g.to)-uint64(g.from))/g.per+1, uint64(g.cols)*uint64(g.rows)))
}

// cellOf is the cell of an offset, clamped to the grid.
func (g *grid) cellOf(offset int64) int {
	if offset <= g.from || g.used() == 0 {
		return 0
	}
	return int(min((uint64(offset)-uint64(g.from))/g.per, uint64(g.used()-1)))
}

// bounds are the offsets of a cell.
func (g *grid) bounds(cell int) (from, to int64) {
	from = int64(uint64(g.from) + uint64(cell)*g.per)
	to = int64(uint64(from) + g.per - 1)
	if to > g.to || to < from {
		to = g.to
	}
	return from, to
}

// fill colours the cells. It costs as much as there are runs and cells, not messages.
func (g *grid) fill(w snapshot.Window, late func(*snapshot.Message) bool) {
	n := g.used()
	if n == 0 {
		return
	}
	g.cells = make([]kind, n)
	covered := make([]bool, n)
	set := func(i int, k kind) {
		if !covered[i] || k > g.cells[i] {
			g.cells[i], covered[i] = k, true
		}
	}
	next := g.from
	for _, r := range w.Runs {
		if r.To < g.from || r.From > g.to || r.To < r.From {
			continue
		}
		lo, hi := max(r.From, g.from), min(r.To, g.to)
		if lo > next { // what no run covers holds no message
			for i := g.cellOf(next); i <= g.cellOf(lo-1); i++ {
				set(i, kindGap)
			}
		}
		for i := g.cellOf(lo); i <= g.cellOf(hi); i++ {
			set(i, kindOf(r.State))
		}
		next = hi
		if next < g.to {
			next++
		}
	}
	for i := range n {
		if !covered[i] {
			g.cells[i] = kindGap
		}
	}
	for i := range w.Meta {
		m := &w.Meta[i]
		if m.Offset >= g.from && m.Offset <= g.to && late(m) {
			set(g.cellOf(m.Offset), kindLate)
		}
	}
}

// lateBy tells whether a listener has a message for longer than the consume timeout.
func lateBy(now time.Time, timeout time.Duration) func(*snapshot.Message) bool {
	return func(m *snapshot.Message) bool {
		return m.State == snapshot.Consuming && !m.Started.IsZero() && timeout > 0 && now.Sub(m.Started) > timeout
	}
}

// counts are the messages of a window by kind.
func counts(w snapshot.Window, late func(*snapshot.Message) bool) (n [kinds]uint64) {
	for _, r := range w.Runs {
		if r.To >= r.From {
			n[kindOf(r.State)] += uint64(r.To) - uint64(r.From) + 1
		}
	}
	for i := range w.Meta {
		if late(&w.Meta[i]) && n[kindRun] > 0 {
			n[kindLate]++
			n[kindRun]--
		}
	}
	return n
}

// matters is the offset that the cursor begins on: the first message in a listener, else the
// first to be retried, else the first one.
func matters(w snapshot.Window) int64 {
	best, at := kind(0), int64(0)
	for i, r := range w.Runs {
		if k := kindOf(r.State); i == 0 || k > best && k != kindGap {
			best, at = k, r.From
		}
		if best == kindRun {
			break
		}
	}
	return at
}
