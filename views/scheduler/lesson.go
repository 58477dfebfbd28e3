package scheduler

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

func (d *drawing) lessonTitle() views.Spans {
	l := d.d.Lesson
	return views.Spans{views.Say(themes.Title, "Lesson "), {Tok: themes.Title, Text: views.Exact(int64(l.Number))}, views.Say(themes.Muted, " of "),
		{Tok: themes.Muted, Text: views.Exact(int64(l.Of))}, views.Say(themes.None, "  "), {Tok: themes.Text, Text: d.clean.Cell(l.Title)}}
}

// reached says how many goals are reached.
func (d *drawing) reached() views.Spans {
	n, goals := 0, d.d.Lesson.Goals
	for i := range goals {
		if goals[i].Reached {
			n++
		}
	}
	return views.Spans{views.Say(themes.Muted, "goals "), {Tok: themes.Text, Text: views.Exact(int64(n))}, views.Say(themes.Muted, " of "),
		{Tok: themes.Text, Text: views.Exact(int64(len(goals)))}, views.Say(themes.None, "  ")}
}

// lesson writes the text of the lesson, from line top on, above its goals.
func (d *drawing) lesson(a views.Area, top int) {
	text := d.lessonText(d.d.Lesson, a.W-1)
	room, n := share(a.H, len(text), len(d.d.Lesson.Goals))
	top = min(max(top, 0), max(len(text)-room, 0))
	for y := 0; y < room && top+y < len(text); y++ {
		a.Line(y).Text(themes.Text, text[top+y])
	}
	if top+room < len(text) {
		a.Sub(a.W-1, max(room-1, 0), 1, 1).Line(0).Glyph(themes.Title, d.in.Theme.Glyphs.Down)
	}
	for i := range n {
		d.goal(a.Line(a.H-n+i), i)
	}
}

// share divides h lines between text and goals, with a blank one between them.
func share(h, text, goals int) (forText, forGoals int) {
	n := min(goals, max(h-1, 0), max(h/2, h-text-1))
	room := max(h-n, 0)
	if n > 0 && room > 1 && text > 0 {
		room--
	}
	return room, n
}

// lessonEnd is the last line of a lesson that may be the first one on screen.
func (v *View) lessonEnd(l *snapshot.Lesson, lay layout) int {
	r := lay.lower
	if lay.lesson.h > 0 {
		r = lay.lesson
	}
	w := r.w - 2
	if lay.boxed {
		w = r.w - 5
	}
	text := v.lessonText(l, w)
	room, _ := share(lay.inside(r), len(text), len(l.Goals))
	return max(len(text)-room, 0)
}

// lessonText are the lines of a lesson's text.
func (v *View) lessonText(l *snapshot.Lesson, w int) (out []views.Safe) {
	for i, p := range l.Text {
		if i > 0 {
			out = append(out, views.Safe{})
		}
		lines, _ := v.clean.Body([]byte(p))
		for _, line := range lines {
			out = append(out, line.Wrap(w)...)
		}
	}
	return out
}

func (d *drawing) goal(l *views.Pen, i int) {
	g, goal := d.in.Theme.Glyphs, &d.d.Lesson.Goals[i]
	what := d.clean.Cell(goal.What)
	if !goal.Reached {
		l.Glyph(themes.Muted, g.Dot).Space(1).Text(themes.Text, what.Cut(l.Left(), g))
		return
	}
	end := views.Spans{views.Say(themes.Faint, "  step "), {Tok: themes.Faint, Text: views.Total(goal.Step, true)}}
	l.Glyph(themes.OK, g.OK).Space(1).Text(themes.Muted, what.Cut(l.Left(), g))
	if l.Left() >= end.Width() {
		l.Spans(end...)
	}
}
