package scheduler

import (
	"mqscope/themes"
	"mqscope/views"
)

func (d *drawing) lessonTitle() views.Spans {
	l := d.d.Lesson
	return views.Spans{views.Say(themes.Title, "Lesson "), {Tok: themes.Title, Text: views.Exact(int64(l.Number))}, views.Say(themes.Muted, " of "),
		{Tok: themes.Muted, Text: views.Exact(int64(l.Of))}, views.Say(themes.None, "  "), {Tok: themes.Text, Text: d.clean.Cell(l.Title)}}
}

// lesson writes the text of the lesson, from line top on, above its goals.
func (d *drawing) lesson(a views.Area, top int) {
	text, goals := d.lessonText(a.W-1), d.d.Lesson.Goals
	n := min(len(goals), max(a.H-1, 0), max(a.H/2, a.H-len(text)-1))
	room := max(a.H-n, 0)
	if n > 0 && room > 1 && len(text) > 0 {
		room--
	}
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

// lessonText are the lines of a lesson's text.
func (d *drawing) lessonText(w int) (out []views.Safe) {
	for i, p := range d.d.Lesson.Text {
		if i > 0 {
			out = append(out, views.Safe{})
		}
		lines, _ := d.clean.Body([]byte(p))
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
	l.Glyph(themes.OK, g.OK).Space(1).Text(themes.Muted, what.Cut(max(l.Left()-end.Width(), 1), g)).Spans(end...)
}
