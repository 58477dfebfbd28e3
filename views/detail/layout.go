package detail

// rect is a part of the body.
type rect struct{ x, y, w, h int }

// layout is where everything stands in a body of a size.
type layout struct {
	boxed                                   bool
	offsets, window, gauges, trends, events rect
	// rows and cols are the cells of the window's grid, label the cells before each row.
	rows, cols, label int
}

// gaugesWidth is the width of the gauges' box where there is one.
const gaugesWidth = 28

// arrange lays the panes out. It is a function of sizes alone, so that the reducer knows the
// same grid as the picture. label is the width of the widest offset.
func arrange(w, h int, zoomed bool, focus, label int) layout {
	l := layout{boxed: w >= 100 && h >= 24}
	switch {
	case zoomed:
		all := rect{0, 0, w, h}
		switch focus {
		case rulerPane:
			l.offsets = all
		case eventsPane:
			l.events = all
		default:
			l.window = all
		}
	case l.boxed:
		lower := min(max(h/3, 10), 14)
		l.offsets = rect{0, 0, w, 6}
		l.window = rect{0, 6, w - gaugesWidth, h - 6 - lower}
		l.gauges = rect{w - gaugesWidth, 6, gaugesWidth, h - 6 - lower}
		l.trends = rect{0, h - lower, w / 2, lower}
		l.events = rect{w / 2, h - lower, w - w/2, lower}
	default:
		l.offsets = rect{0, 0, w, 4}
		gauges, trends := 3, 0
		if h >= 16 {
			gauges = 4
		}
		if h >= 19 {
			trends = 4
		}
		l.window = rect{0, 4, w, max(h-4-gauges-trends, 0)}
		l.gauges = rect{0, 4 + l.window.h, w, gauges}
		l.trends = rect{0, 4 + l.window.h + gauges, w, trends}
	}
	l.grid(label)
	return l
}

// grid sizes the cells: inside the window pane, above legend and selection.
func (l *layout) grid(label int) {
	w, h := l.window.w-1, l.window.h-1 // a rule takes a line and a column
	if l.boxed {
		w, h = l.window.w-3, l.window.h-2
	}
	l.label = min(label, max(w/3, 0))
	l.cols = max(w-l.label-1, 0)
	l.rows = max(h-2, 0)
	if l.boxed && l.rows > 3 {
		l.rows-- // a blank line before the legend
	}
}
