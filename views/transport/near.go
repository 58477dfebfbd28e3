package transport

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// Height is how many lines of events a frame of w by h has above the bar.
func Height(w, h int) int {
	switch {
	case w >= 100 && h >= 30:
		return 3
	case w >= 80 && h >= 24:
		return 2
	}
	return 0
}

// Lines implements views.Dock: the event that happened last, and those that come next.
func (b *Bar) Lines(a views.Area, c views.Chrome) {
	d := b.begin(c)
	near := d.r.Near
	here := slices.IndexFunc(near, func(m snapshot.Moment) bool { return m.Event > d.r.Event }) - 1
	switch {
	case len(near) == 0:
		a.Line(0).Space(1).Put(themes.Muted, "No event is near here.")
		return
	case here == -2: // none is behind
		here = len(near) - 1
	}
	from := max(here, 0)
	if short := a.H - (len(near) - from); short > 0 { // at the end what came before is shown too
		from = max(from-short, 0)
	}
	number := views.Total(near[len(near)-1].Event, true).Width()
	for y := 0; y < a.H && from+y < len(near); y++ {
		d.near(a.Line(y).Space(1), &near[from+y], from+y == here, number)
	}
}

// near draws one event; number is how wide the numbers are.
func (d *drawing) near(l *views.Pen, m *snapshot.Moment, here bool, number int) {
	wide := d.c.W >= 100
	kind, where := 11, 20
	if wide {
		kind, where = 16, 28
	}
	tok := themes.Muted
	if here {
		tok = themes.Text
	}
	n := views.Join(views.Own("#"), views.Total(m.Event, true))
	l.Text(tok, views.Clock(m.At)).Space(1).Space(max(number+1-n.Width(), 0)).Text(tok, n).Space(1)
	at := l.At()
	if here {
		l.Glyph(themes.Title, d.g.Cursor)
	}
	l.To(at+2).Text(levelToken(m.Level, tok), d.clean.Cell(m.Kind).Cut(kind, d.g))
	l.To(at + 2 + kind + 1)
	at = l.At()
	l.Text(tok, d.where1(m).Middle(where, d.g)).To(at + where + 1)
	mark := d.mark(m)
	l.Text(tok, d.clean.Cell(m.Words).Cut(max(l.Left()-mark.Width()-2, 4), d.g))
	l.Right(append(mark, views.Say(themes.None, " "))...)
}

// where1 is what an event is about.
func (d *drawing) where1(m *snapshot.Moment) views.Safe {
	switch {
	case m.Queue != (snapshot.MessageQueue{}):
		return d.clean.QueueName(m.Queue, views.ShortBrokers(d.c.Snap))
	case m.Where != "":
		return d.clean.Cell(m.Where)
	case m.Client != "":
		return d.clean.Cell(m.Client)
	}
	return views.Own("-")
}

// mark is the bookmark of an event, else why one would want to look at it.
func (d *drawing) mark(m *snapshot.Moment) views.Spans {
	for i := range d.r.Bookmarks {
		if b := &d.r.Bookmarks[i]; b.Event == m.Event {
			if d.c.W < 100 {
				return views.Spans{{Tok: themes.Match, Text: digit(b.Number)}}
			}
			out := views.Spans{{Tok: themes.Match, Text: views.Join(views.Own("bookmark "), views.Exact(int64(b.Number)))}}
			if note := d.clean.Cell(b.Note); d.c.W >= 116 && !note.Empty() {
				out = append(out, views.Span{Tok: themes.Text, Text: views.Join(views.Own(" "), note.Cut(max(d.c.W/4, 10), d.g))})
			}
			return out
		}
	}
	switch {
	case m.Interest == snapshot.NoInterest:
		return nil
	case d.c.W < 100:
		return views.Spans{{Tok: interestToken(m.Interest), Text: views.Sign(d.g.Watch)}}
	}
	return views.Spans{{Tok: interestToken(m.Interest), Text: views.Join(views.Sign(d.g.Watch), views.Own(" "), d.clean.Cell(m.Interest.String()))}}
}

func levelToken(l snapshot.Level, plain themes.Token) themes.Token {
	switch l {
	case snapshot.Warn:
		return themes.Warn
	case snapshot.Error:
		return themes.Bad
	default:
		return plain
	}
}
