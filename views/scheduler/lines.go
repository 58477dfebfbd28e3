package scheduler

import (
	"strings"

	"mqscope/engine/decision"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// lower draws the pane below: the trace of the task whose turn it is, the decisions before,
// or the lesson; a consumer that nobody steps has the task under the cursor there.
func (d *drawing) lower(a views.Area) {
	g := d.in.Theme.Glyphs
	if !d.f.traced {
		d.selected(a)
		return
	}
	p := views.Pane{Boxed: d.lay.boxed, Focused: d.in.Focus == lowerPane}
	p.Note = views.Spans{{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.Mode))}, views.Say(themes.None, " "), views.Say(themes.Muted, d.nextMode())}
	if d.d.Lesson != nil && d.lay.lesson.h == 0 {
		p.Note = append(d.reached(), p.Note...)
	}
	switch d.st.Mode {
	case Lesson:
		p.Title = d.lessonTitle()
		d.lesson(d.inner(p.Draw(a, g)), d.st.LessonTop)
		return
	case History:
		p.Title = d.historyTitle()
	default:
		p.Title = d.traceTitle()
	}
	d.rows(p.Draw(a, g), d.f.rows(d.st.Mode))
}

// rows draws decisions, of which the newest is seen unless the cursor is elsewhere.
func (d *drawing) rows(a views.Area, rows []entry) {
	if len(rows) == 0 {
		d.noRows(a)
		return
	}
	g, sel := d.in.Theme.Glyphs, lineAt(rows, d.st.Step)
	focused := d.in.Focus == lowerPane
	top := views.TopFor(d.topOf(len(rows), a.H), sel, a.H, len(rows))
	newest := newestOf(rows)
	for y := 0; y < a.H && top+y < len(rows); y++ {
		e := &rows[top+y]
		l := a.Line(y)
		if top+y == sel && (focused || d.st.Step != 0) {
			bg := themes.SelectBlur
			if focused {
				bg = themes.Select
			}
			a.Shade(y, bg)
			l.Glyph(themes.Title, g.Cursor)
		}
		l.To(1)
		if e.mark != nil {
			l.Glyph(themes.Mark, g.Marked).Put(themes.Mark, " you: ").Text(themes.Mark, d.clean.Cell(e.mark.What).Cut(max(l.Left(), 1), g))
			continue
		}
		if top+y == newest {
			l.Glyph(themes.TaskRun, g.Run)
		}
		l.To(2)
		if e.line.Break {
			l.Put(themes.Title, "B")
		}
		l.To(4)
		d.decision(l, e)
		a.Hit(0, y, a.W, 1, views.Hit{Action: views.Point, Text: encodeLine(e.step), Pane: lowerPane})
	}
}

// topOf is the first row on screen: the newest rows while the cursor is on the newest.
func (d *drawing) topOf(n, h int) int {
	if d.st.Step == 0 {
		return max(n-h, 0)
	}
	return d.st.LineTop
}

// newestOf is the row of the newest decision, -1 without one.
func newestOf(rows []entry) int {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].line != nil {
			return i
		}
	}
	return -1
}

// decision writes one decision: where it stands, and what it was.
func (d *drawing) decision(l *views.Pen, e *entry) {
	x := &e.line.Decision
	n := views.Exact(int64(e.n))
	if d.st.Mode == History || d.f.between() {
		n = views.Total(e.step, true)
		l.To(4+max(6-n.Width(), 0)).Text(themes.Faint, n).Space(1)
		if l.Left() > 80 {
			l.Text(themes.Faint, d.moment(x.At)).Space(1)
		}
		if from := l.At(); l.Left() > 66 {
			if x.Task != 0 {
				l.Text(themes.Muted, number(x.Task).Tail(6, d.in.Theme.Glyphs))
			}
			l.To(from + 7)
		}
	} else {
		l.To(4+max(2-n.Width(), 0)).Text(themes.Faint, n).Space(1)
	}
	d.words(l, x)
}

// leastThen is the room for what follows from a decision that does not fit as a whole.
const leastThen = 20

// words writes what a decision was; what follows from it stands out.
func (d *drawing) words(l *views.Pen, x *decision.Decision) {
	g := d.in.Theme.Glyphs
	text, then, tok := decision.Words(x), "", themes.Text
	if x.Then.Do != decision.GoOn {
		if i := strings.LastIndex(text, " → "); i >= 0 {
			text, then = text[:i], text[i+len(" → "):]
		}
	}
	switch {
	case text == "" && x.Line == nil:
		text = "?"
	case x.Line != nil && x.Line.Group == decision.World:
		tok = themes.Mark
	}
	end := views.Safe{}
	if then != "" {
		end = views.Join(views.Own(" "), views.Sign(g.Arrow), views.Own(" "), d.clean.Cell(then))
	}
	var answer views.Safe
	if i := strings.LastIndex(text, " ?  "); i >= 0 && x.Line != nil && x.Line.Asks {
		text, answer = text[:i], d.clean.Cell(text[i:])
	}
	room := l.Left() - answer.Width() - min(end.Width(), leastThen)
	l.Text(tok, d.clean.Cell(text).Cut(max(room, l.Left()/3), g)).Text(tok, answer)
	l.Text(themes.Warn, end.Cut(l.Left(), g))
}

// noRows says why there are no decisions.
func (d *drawing) noRows(a views.Area) {
	l := a.Line(min(1, max(a.H-1, 0))).Space(1)
	l.Put(themes.Muted, "Nothing was decided yet; ")
	l.Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.StepOne))).Put(themes.Muted, " makes the next decision")
}
