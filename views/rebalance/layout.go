package rebalance

// layout is where everything stands in a body of a size.
type layout struct {
	boxed  bool
	matrix bool // a cell for each queue, else runs of numbers
	tight  bool // no gap between the cells of brokers
	cells  int  // width of a matrix
	name   int  // width of the names
	rows   int  // lines for members
	panes  int  // lines for the panes below, 0 for none
	extra  int  // cells that are left for more columns
}

const (
	above     = 4 // lines: answer, question, two of heads
	mostCells = 64
	leastName = 12
	mostName  = 30
	number    = 5 // width of a count with its gap
	leastPane = 6
)

// arrange lays out a body of w by h for a table.
func arrange(w, h int, t *table) layout {
	l := layout{boxed: w >= 100 && h >= 24}
	sides := 1
	if t.two {
		sides = 2
	}
	q := len(t.ids)
	fixed := 3 + sides*number + (sides-1)*(3+number)
	for _, gaps := range []int{max(len(t.blocks)-1, 0), 0} {
		l.cells, l.tight = q+gaps, gaps == 0
		if l.matrix = q <= mostCells && fixed+leastName+sides*(l.cells+1) <= w; l.matrix {
			break
		}
	}
	if !l.matrix {
		l.cells = 0
	}
	widest := leastName
	for i := range t.lines {
		widest = max(widest, len(t.lines[i].id)+5)
	}
	used := fixed + sides*(l.cells+1)
	l.name = min(max(min(widest, mostName), leastName), max(w-used, 1))
	l.extra = max(w-used-l.name, 0)
	free := max(h-above-1, 0)
	n := max(len(t.lines), 1)
	l.rows = free
	if rest := free - n - 1; rest >= leastPane {
		l.panes = rest
	} else if free >= leastPane+8 {
		l.panes = leastPane
	}
	l.rows = free - l.panes
	return l
}
