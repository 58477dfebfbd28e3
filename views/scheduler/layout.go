package scheduler

// rect is a part of the body; one without lines is not drawn.
type rect struct{ x, y, w, h int }

// layout is where everything stands in a body of a size. The reducer knows it too.
type layout struct {
	boxed                      bool
	tasks, heap, lower, lesson rect
	bare                       bool // tasks and heap have no titles: each line counts
}

// arrange lays out a body of w by h. traced says that there are decisions to show, beside that
// a lesson wants a place of its own, zoomed gives the whole body to the pane with the keys.
func arrange(w, h int, traced, beside, zoomed bool, focus int) layout {
	l := layout{boxed: w >= 100 && h >= 24}
	body := rect{0, 1, w, max(h-1, 0)}
	switch {
	case zoomed && focus == lessonPane && beside && l.boxed:
		l.lesson = body
		return l
	case zoomed && focus >= lowerPane && traced:
		l.lower = body
		return l
	case zoomed:
		l.tasks = body
		return l
	case w < 76 || h < 17:
		return l.small(body, traced)
	}
	lower := min(7, body.h/2)
	if l.boxed {
		lower++
	}
	if traced {
		lower = body.h - max(body.h*45/100, 9)
	}
	top := body.h - lower
	left := w * 58 / 100
	l.tasks, l.heap = rect{0, body.y, left, top}, rect{left, body.y, w - left, top}
	l.lower = rect{0, body.y + top, w, lower}
	if beside && l.boxed {
		l.lower.w = w * 56 / 100
		l.lesson = rect{l.lower.w, l.lower.y, w - l.lower.w, lower}
	}
	return l
}

// small is the layout of a body that is too narrow for panes beside each other, or too low.
func (l layout) small(body rect, traced bool) layout {
	l.bare = true
	lower := 4
	if traced {
		lower = max(body.h*42/100, 3)
	}
	l.lower = rect{0, body.y + max(body.h-lower, 0), body.w, min(lower, body.h)}
	left := body.h - l.lower.h
	heap := min(2, max(left-3, 0))
	l.tasks = rect{0, body.y, body.w, left - heap}
	l.heap = rect{0, body.y + left - heap, body.w, heap}
	return l
}

// panes is how many panes tab walks through.
func (l layout) panes(traced bool) int {
	switch {
	case l.lesson.h > 0:
		return lessonPane + 1
	case traced:
		return lowerPane + 1
	}
	return taskPane + 1
}

// inside is how many lines a pane has for what it shows.
func (l layout) inside(r rect) int {
	if l.boxed {
		return max(r.h-2, 0)
	}
	return max(r.h-1, 0)
}

// rows is how many tasks are shown.
func (l layout) rows() int {
	if l.bare {
		return max(l.tasks.h-1, 0)
	}
	return max(l.inside(l.tasks)-1, 0)
}
