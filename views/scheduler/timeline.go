package scheduler

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// timeLine is the delays of all tasks as counts per column.
type timeLine struct {
	whole, per time.Duration // from now to the end, and of one column
	cols       []slot
	later      int // tasks that fire after the end
}

// slot is one column.
type slot struct {
	n      int
	causes [2]string // the first two of them
	kinds  int       // how many of causes are used
	more   bool      // there are others, too
}

// wholeFor is the length of a time line on which last is seen, where that is no more than an
// hour.
func wholeFor(last time.Duration) time.Duration {
	wholes := [...]time.Duration{
		500 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, time.Hour,
	}
	for _, w := range wholes {
		if w >= last {
			return w
		}
	}
	return time.Hour
}

// measure counts the tasks of f into n columns.
func (l *timeLine) measure(f *facts, now time.Time, n int) {
	l.cols = append(l.cols[:0], make([]slot, n)...)
	l.later = 0
	if l.whole = wholeFor(f.last.Sub(now)); f.last.IsZero() {
		l.whole = 3 * time.Second
	}
	l.per = even(l.whole / time.Duration(max(n, 1)))
	for i := range f.d.Tasks {
		t := &f.d.Tasks[i]
		at := 0
		switch {
		case t.Dropped:
			continue
		case t.State == snapshot.TaskDelayed:
			at = int(max(t.Due.Sub(now), 0) / l.per)
		case t.State != snapshot.TaskReady:
			continue
		}
		if at >= n {
			if t.Due.Sub(now) > l.whole || n == 0 {
				l.later++
				continue
			}
			at = n - 1
		}
		l.cols[at].add(1, string(t.Cause))
	}
}

// even rounds the time of a column up to a length that is short to write.
func even(d time.Duration) time.Duration {
	unit := time.Millisecond
	for d > 100*unit {
		unit *= 10
	}
	return max((d+unit-1)/unit*unit, time.Millisecond)
}

// add counts n tasks that wait for a cause.
func (s *slot) add(n int, cause string) {
	s.n += n
	for i := range s.kinds {
		if s.causes[i] == cause {
			return
		}
	}
	if s.kinds == len(s.causes) {
		s.more = true
		return
	}
	s.causes[s.kinds] = cause
	s.kinds++
}

// alike tells whether two columns wait for the same.
func (s *slot) alike(o *slot) bool {
	return s.causes == o.causes && s.kinds == o.kinds && s.more == o.more
}

// group is the columns from i on that belong together, and how many those are.
func (l *timeLine) group(i int) (sum slot, cols int) {
	for j := i; j < len(l.cols) && l.cols[j].n > 0; j++ {
		c := &l.cols[j]
		if cols > 0 && !c.alike(&sum) && cols < crowded && c.n < crowded {
			break // those few wait for something else
		}
		n := sum.n + c.n
		for k := range c.kinds {
			sum.add(0, c.causes[k])
		}
		sum.n, sum.more = n, sum.more || c.more
		cols++
	}
	return sum, cols
}

// crowded is how many columns or tasks are no few any more.
const crowded = 4

// axis writes the times above the line.
func (l *timeLine) axis(p *views.Pen, g *themes.Glyphs) {
	x, n := p.At(), len(l.cols)
	p.Put(themes.Muted, "now")
	for _, part := range [...]int{1, 2, 3} {
		text := views.Join(views.Own("+"), views.Duration(l.whole*time.Duration(part)/3, g))
		at := x + int(l.whole*time.Duration(part)/3/l.per) - text.Width()/2
		if at+text.Width() > x+n {
			at = x + n - text.Width()
		}
		if at > p.At() {
			p.To(at).Text(themes.Faint, text)
		}
	}
}

// bars draws how many tasks fire in each column: as digits, or as heights where they are many.
func (l *timeLine) bars(p *views.Pen, g *themes.Glyphs) {
	digits := [...]views.Lit{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	most := 0
	for i := range l.cols {
		most = max(most, l.cols[i].n)
	}
	for i := range l.cols {
		switch n := l.cols[i].n; {
		case n == 0:
			p.Glyph(themes.Faint, g.Gap)
		case most <= len(digits):
			p.Put(themes.TaskDelay, digits[n-1])
		default:
			p.Glyph(themes.TaskDelay, g.Spark[(n*len(g.Spark)-1)/most])
		}
	}
	if l.later > 0 {
		p.Glyph(themes.TaskDelay, g.MoreRight)
	}
}

// labels writes below the line how many tasks each group has, and why they wait. What does not
// fit on the first line goes to the next.
func (d *drawing) labels(a views.Area, x int) {
	g, l := d.in.Theme.Glyphs, &d.line
	var ends [3]int
	for i := 0; i < len(l.cols); {
		sum, cols := l.group(i)
		if cols == 0 {
			i++
			continue
		}
		text := views.Join(views.Sign(g.BottomLeft), views.Exact(int64(sum.n)), views.Own(" "), d.causes(&sum))
		for y := range min(a.H, len(ends)) {
			at := x + i
			if at+text.Width() > a.W { // its end stands at the border then
				at = a.W - text.Width()
			}
			if at >= ends[y] && at >= 0 {
				a.Line(y).To(at).Text(themes.Muted, text)
				ends[y] = at + text.Width() + 1
				break
			}
		}
		i += cols
	}
}

// causes is what tasks wait for.
func (d *drawing) causes(s *slot) views.Safe {
	g := d.in.Theme.Glyphs
	var out views.Safe
	for i := range s.kinds {
		word := views.Own("ready")
		if s.causes[i] != "" {
			word = d.clean.Cell(s.causes[i]).Cut(18, g)
		}
		if i > 0 {
			word = views.Join(views.Own(", "), word)
		}
		out = views.Join(out, word)
	}
	if s.more {
		out = views.Join(out, views.Own(", "), views.Sign(g.Ellipsis))
	}
	return out
}
