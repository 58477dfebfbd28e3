package views

import (
	"time"

	"mqscope/themes"
)

// Column is one column of a table. Which columns are shown at which width follows from
// these numbers alone.
type Column struct {
	ID   string
	Head Lit
	// Min is the least width the column is cut to; 0 means that it is never cut.
	Min, Max int
	// Prio says how long the column stays when room is short: 1 goes last.
	Prio int
	// Grow is the Prio of the columns that this one's full width comes before; 0 means after
	// all others.
	Grow   int
	Right  bool // numbers
	Frozen bool // stays when the others scroll
	Fill   bool // takes what room is left
	Tight  bool // one cell before the next column, even where there is room for more
	Cut    CutHow
}

// CutHow says which part of a text that is too long is left out.
type CutHow uint8

const (
	CutEnd    CutHow = iota
	CutMiddle        // names: both ends matter
	CutHead          // numbers: the last digits matter
)

func (s Safe) cut(how CutHow, w int, g *themes.Glyphs) Safe {
	switch how {
	case CutMiddle:
		return s.Middle(w, g)
	case CutHead:
		return s.Tail(w, g)
	}
	return s.Cut(w, g)
}

// shrinkAfter is how long a column keeps a width that it no longer needs, so that numbers
// which come and go do not make the table jump.
const shrinkAfter = 10 * time.Second

// Table draws rows in columns. It remembers column widths from frame to frame; everything
// else comes with each Draw.
type Table struct {
	widths map[string]kept
	cells  []Span
	wants  []int
	shown  []int
	sizes  []int
}

type kept struct {
	w  int
	at time.Time // when the width was needed last
}

// TableIn is what one frame of a table shows.
type TableIn struct {
	Cols   []Column
	N      int                         // rows there are; only those on screen are asked for
	Fill   func(row int, cells []Span) // sets one cell per column
	Sel    int                         // row under the cursor, -1 for none
	Top    int                         // first row on screen
	Scroll int                         // columns scrolled away behind the frozen ones
	Sort   string                      // id of the column that orders, with Desc
	Desc   bool
	Blur   bool // another pane has the keys
	Bare   bool // no line of heads
	Fixed  bool // columns do not scroll, so nothing points to hidden ones
	Now    time.Time
	Theme  *themes.Theme
	Hit    func(row int) Hit // what a click on a row does; nil for nothing
}

// TableOut says what was drawn.
type TableOut struct {
	Hidden int // columns for which there was no room
	Rows   int // rows on screen
	Top    int // first of them
}

// RowsIn is how many rows a table of h lines shows.
func RowsIn(h int, bare bool) int {
	if bare {
		return max(h, 0)
	}
	return max(h-1, 0)
}

// TopFor moves top so that sel is among rows shown lines out of n.
func TopFor(top, sel, shown, n int) int {
	if sel >= 0 {
		if sel < top {
			top = sel
		}
		if sel >= top+shown {
			top = sel - shown + 1
		}
	}
	return max(min(top, n-shown), 0)
}

// Draw draws the table into a. The first cell of each line is the cursor's.
func (t *Table) Draw(a Area, in TableIn) TableOut {
	rows := RowsIn(a.H, in.Bare)
	top := TopFor(in.Top, in.Sel, rows, in.N)
	shown := max(min(rows, in.N-top), 0)
	n := len(in.Cols)
	t.cells = resize(t.cells, shown*n)
	for i := range shown {
		in.Fill(top+i, t.cells[i*n:(i+1)*n])
	}
	t.measure(in, shown)
	hidden := t.choose(in, a.W-2) // the last cell says that columns are hidden
	y := 0
	if !in.Bare {
		t.head(a, in, hidden)
		y = 1
	}
	for i := range shown {
		t.row(a, y+i, in, top+i, t.cells[i*n:(i+1)*n])
	}
	return TableOut{Hidden: hidden, Rows: shown, Top: top}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// measure finds how wide each column wants to be: as its widest cell on screen, or as it was
// a short while ago.
func (t *Table) measure(in TableIn, shown int) {
	if t.widths == nil {
		t.widths = map[string]kept{}
	}
	t.wants = resize(t.wants, len(in.Cols))
	n := len(in.Cols)
	for c, col := range in.Cols {
		w := widthOf(string(col.Head))
		if col.ID == in.Sort {
			w += 1 + widthOf(string(in.Theme.Glyphs.SortDown))
		}
		for i := range shown {
			w = max(w, t.cells[i*n+c].Text.width)
		}
		if col.Max > 0 {
			w = min(w, col.Max)
		}
		k := t.widths[col.ID]
		if w >= k.w || in.Now.Sub(k.at) > shrinkAfter {
			k = kept{w, in.Now}
		}
		t.widths[col.ID] = k
		t.wants[c] = k.w
	}
}

// choose picks the columns that fit into w cells, the most important ones first, and their
// sizes. It returns how many are left out.
func (t *Table) choose(in TableIn, w int) (hidden int) {
	n := len(in.Cols)
	t.sizes = resize(t.sizes, n)
	skipped := t.skipped(in)
	used := 0
	least := func(c int) int {
		if m := in.Cols[c].Min; m > 0 {
			return min(m, t.wants[c])
		}
		return t.wants[c]
	}
	taken := func(c int) bool { return t.sizes[c] > 0 }
	take := func(c int) {
		if need := least(c) + 1; used+need <= w+1 || used == 0 {
			t.sizes[c], used = max(least(c), 1), used+need
		}
	}
	for c := range n {
		if in.Cols[c].Frozen {
			take(c)
		}
	}
	grow := func(c int) {
		if more := min(t.wants[c]-t.sizes[c], w+1-used); more > 0 && taken(c) {
			t.sizes[c], used = t.sizes[c]+more, used+more
		}
	}
	for prio := 1; prio <= n+1; prio++ {
		for c := range n {
			if in.Cols[c].Grow == prio {
				grow(c)
			}
		}
		for c := range n {
			if in.Cols[c].Prio == prio && !in.Cols[c].Frozen && !skipped[c] {
				take(c)
			}
		}
	}
	for prio := 0; prio <= n+1; prio++ { // what is left makes cut columns wider
		for c := range n {
			if in.Cols[c].Prio == prio {
				grow(c)
			}
		}
	}
	for c := range n {
		if in.Cols[c].Fill {
			t.wants[c] = max(t.sizes[c]+w+1-used, t.sizes[c])
			grow(c)
		}
	}
	t.shown = t.shown[:0]
	for c := range n {
		if taken(c) {
			t.shown = append(t.shown, c)
		} else {
			hidden++
		}
	}
	return hidden
}

// skipped says which columns are scrolled away.
func (t *Table) skipped(in TableIn) []bool {
	out := make([]bool, len(in.Cols))
	left := in.Scroll
	for c, col := range in.Cols {
		if left > 0 && !col.Frozen {
			out[c] = true
			left--
		}
	}
	return out
}

// Scrollable is how far columns can be scrolled: the last one always stays.
func Scrollable(cols []Column) int {
	n := -1
	for _, c := range cols {
		if !c.Frozen {
			n++
		}
	}
	return max(n, 0)
}

// gap is the space between columns: two cells when there is room for that.
func (t *Table) gap(in TableIn, w int) int {
	used := 0
	for _, c := range t.shown {
		used += t.sizes[c] + 2
		if in.Cols[c].Tight {
			used--
		}
	}
	if used-1 <= w {
		return 2
	}
	return 1
}

// after is where the column behind c begins, which itself begins at x.
func (t *Table) after(in TableIn, c, x, gap int) int {
	if in.Cols[c].Tight {
		gap = 1
	}
	return x + t.sizes[c] + gap
}

func (t *Table) head(a Area, in TableIn, hidden int) {
	g := in.Theme.Glyphs
	p := a.Line(0)
	x, gap := 1, t.gap(in, a.W-2)
	for i, c := range t.shown {
		col := in.Cols[c]
		head := Own(col.Head)
		tok := themes.Muted
		if col.ID == in.Sort {
			sign := g.SortUp
			if in.Desc {
				sign = g.SortDown
			}
			tok = themes.Title
			if head.width > 0 {
				head = Join(head, Own(" "))
			}
			head = Join(head, Sign(sign))
		}
		place(p, x, t.sizes[c], col.Right, Span{tok, head.Cut(t.sizes[c], g)})
		x = t.after(in, c, x, gap)
		if i+1 < len(t.shown) && col.Frozen && !in.Cols[t.shown[i+1]].Frozen && in.Scroll > 0 {
			p.To(x-1).Glyph(themes.Title, g.MoreLeft)
		}
	}
	if hidden > 0 && a.W > 2 && !in.Fixed {
		a.Line(0).To(a.W-1).Glyph(themes.Title, g.MoreRight)
	}
}

func (t *Table) row(a Area, y int, in TableIn, row int, cells []Span) {
	g := in.Theme.Glyphs
	p := a.Line(y)
	if row == in.Sel {
		bg := themes.Select
		if in.Blur {
			bg = themes.SelectBlur
		}
		a.Shade(y, bg)
		p.Glyph(themes.Title, g.Cursor)
	}
	x, gap := 1, t.gap(in, a.W-2)
	for _, c := range t.shown {
		col, s := in.Cols[c], cells[c]
		s.Text = s.Text.cut(col.Cut, t.sizes[c], g)
		place(p, x, t.sizes[c], col.Right, s)
		x = t.after(in, c, x, gap)
	}
	if in.Hit != nil {
		a.Hit(0, y, a.W, 1, in.Hit(row))
	}
}

// place draws s into w cells from column x on.
func place(p *Pen, x, w int, right bool, s Span) {
	if right {
		x += max(w-s.Text.width, 0)
	}
	p.To(x).Text(s.Tok, s.Text)
}
