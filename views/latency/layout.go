package latency

// layout is where everything stands in a body of a size. The reducer knows it too.
type layout struct {
	boxed  bool
	cols   int // of the heat map
	name   int // cells of the names
	figs   int // how many figures stand behind the heat map
	rows   int // lines for rows
	panes  int // lines for the panes below, 0 for none
	detail int // the line that tells of the cursor
}

const (
	above     = 3 // lines: answer, legend, heads
	figure    = 7 // cells of a figure with its gap
	leastPane = 7
	mostPane  = 26
)

// arrange lays out a body of w by h for n rows.
func arrange(w, h, n int) layout {
	l := layout{boxed: w >= 100 && h >= 24, figs: 4}
	switch {
	case w >= 3+16+1+slots+4*figure:
		l.cols = slots
		if w >= 3+30+1+slots+6*figure {
			l.figs = 6
		}
	case w >= 3+16+1+slots/2+4*figure:
		l.cols = slots / 2
	case w >= 3+14+1+slots/2+figure:
		l.cols, l.figs = slots/2, min((w-3-14-1-slots/2)/figure, 4)
	default:
		l.cols, l.figs = max((w-18)/2, 0), 0
	}
	l.name = min(max(w-3-1-l.cols-l.figs*figure, 0), 48)
	free := max(h-above-1, 0)
	l.rows = free
	if rest := free - max(n, 1); rest >= leastPane {
		l.panes = min(rest, mostPane)
	} else if free >= leastPane+6 {
		l.panes = leastPane
		if free >= 22 {
			l.panes = 11
		}
	}
	l.rows = free - l.panes
	l.detail = above + l.rows
	if n < l.rows { // the panes follow the rows
		l.detail = above + max(n, 1)
	}
	return l
}
