package events

import (
	"sort"
	"strconv"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

func columns(w int) []views.Column {
	whereMax := 36
	if w < 100 {
		whereMax = 20
	}
	return []views.Column{
		{ID: "time", Head: "TIME", Frozen: true},
		{ID: "level", Head: "LVL", Frozen: true},
		{ID: "source", Head: "SRC", Max: 10, Prio: 3},
		{ID: "where", Head: "WHERE", Min: 10, Max: whereMax, Prio: 2, Cut: views.CutMiddle},
		{ID: "what", Head: "WHAT", Min: 24, Max: 24, Frozen: true, Fill: true},
		{ID: "count", Head: "", Right: true, Prio: 1},
	}
}

func (d *drawing) draw(a views.Area) {
	g := d.in.Theme.Glyphs
	full := d.st.fullHeight(a.H)
	body := a.Above(1 + full)
	sel := d.pos
	d.table.Draw(body, views.TableIn{
		Cols: columns(a.W), N: len(d.seqs), Fill: d.fill, Sel: sel, Fixed: true, Top: d.st.top(d.seqs, d.pos, views.RowsIn(body.H, false)), Now: d.in.Now, Theme: d.in.Theme,
		Hit: func(row int) views.Hit {
			return views.Hit{Action: views.Point, Text: strconv.FormatUint(d.seqs[row], 10)}
		},
	})
	if len(d.seqs) == 0 {
		d.nothing(body)
	}
	if full > 0 {
		d.full(a.Sub(0, a.H-1-full, a.W, full))
	}
	d.footer(a.Line(a.H-1), g)
}

func (d *drawing) fill(row int, cells []views.Span) {
	g := d.in.Theme.Glyphs
	e := views.EventAt(d.in.Snap.Events, d.seqs[row])
	if e == nil {
		return
	}
	at := views.Clock(e.At)
	if d.in.W < 80 {
		at = views.ShortClock(e.At)
	}
	text := themes.Text
	if e.Level == snapshot.Debug {
		text = themes.Muted
	}
	cells[0] = views.Span{Tok: themes.Muted, Text: at}
	cells[1] = views.Span{Tok: levelToken(e), Text: d.clean.Cell(e.Level.String())}
	cells[2] = views.Span{Tok: themes.Muted, Text: d.clean.Cell(e.Source)}
	cells[3] = views.Span{Tok: themes.Muted, Text: d.where(e)}
	cells[4] = views.Span{Tok: text, Text: d.clean.Cell(e.What)}
	if cells[3].Text.Empty() {
		cells[3] = views.Say(themes.Faint, "-")
	}
	cells[5] = d.mark(e)
	if e.Count > 1 {
		n := views.Join(views.Sign(g.Times), views.Count(int64(e.Count), d.in.Exact))
		if mark := cells[5]; mark.Text.Empty() {
			cells[5] = views.Span{Tok: themes.Text, Text: n}
		} else {
			cells[5].Text = views.Join(mark.Text, views.Own(" "), n)
		}
	}
}

// mark is that of an event on the line of time of a recording: the number of a bookmark, or that
// it is a point of interest.
func (d *drawing) mark(e *snapshot.Entry) views.Span {
	r := &d.in.Snap.Replay
	for i := range r.Bookmarks {
		if r.Bookmarks[i].At.Equal(e.At) {
			return views.Span{Tok: themes.Match, Text: views.Exact(int64(r.Bookmarks[i].Number))}
		}
	}
	i := sort.Search(len(r.Interests), func(i int) bool { return !r.Interests[i].At.Before(e.At) })
	if i < len(r.Interests) && r.Interests[i].At.Equal(e.At) {
		return views.Span{Tok: themes.Watch, Text: views.Sign(d.in.Theme.Glyphs.Watch)}
	}
	return views.Span{}
}

func levelToken(e *snapshot.Entry) themes.Token {
	switch e.Level {
	case snapshot.Debug:
		return themes.Faint
	case snapshot.Warn:
		return themes.Warn
	case snapshot.Error:
		return themes.Bad
	}
	return themes.OK
}

// nothing says why there are no rows.
func (d *drawing) nothing(a views.Area) {
	l := a.Line(min(2, max(a.H-1, 0))).Space(1)
	all := len(d.in.Snap.Events.Entries)
	switch {
	case all == 0:
		l.Put(themes.Text, "Nothing recorded yet.")
	case d.st.Filter == "":
		l.Put(themes.Text, "Nothing recorded at this level. ").Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.More))).Put(themes.Muted, " shows lower ones")
	default:
		l.Put(themes.Text, "Filter ").Text(themes.Match, d.clean.Cell(d.st.Filter).Cut(max(l.Left()-44, 10), d.in.Theme.Glyphs))
		l.Put(themes.Text, " hides all ").Text(themes.Text, views.Exact(int64(all))).Put(themes.Text, views.Plural(all, " event, ", " events, "))
		l.Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.Cancel))).Put(themes.Muted, " clears it")
	}
}

// full draws the event under the cursor with all of its text.
func (d *drawing) full(a views.Area) {
	g := d.in.Theme.Glyphs
	e := d.selected()
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, "Event")}}
	if e == nil {
		p.Draw(a, g)
		return
	}
	p.Title = append(p.Title, views.Span{Tok: themes.Muted, Text: views.Join(views.Own(" "), views.Plain(int64(e.Seq)))})
	p.Note = views.Spans{{Tok: themes.Muted, Text: views.Moment(e.At)}}
	in := p.Draw(a, g)
	l := in.Line(0).Text(levelToken(e), d.clean.Cell(e.Level.String())).Space(2).Text(themes.Text, d.clean.Cell(e.Source))
	if hasQueue(e) {
		l.Space(2).Put(themes.Muted, "queue ").Text(themes.Text, d.clean.FullName(e.Queue).Middle(max(l.Left()-12, 8), g))
	} else if e.Where != "" {
		l.Space(2).Put(themes.Muted, "at ").Text(themes.Text, d.clean.Cell(e.Where).Middle(max(l.Left()-12, 8), g))
	}
	if e.Count > 1 {
		l.Space(2).Text(themes.Text, views.Exact(int64(e.Count))).Put(themes.Muted, " times")
	}
	y := 1
	lines, _ := d.clean.Body([]byte(head(e.What, in.W, in.H)))
	for _, line := range lines {
		for _, part := range line.Wrap(in.W - 1) {
			if y == in.H-1 && in.H > 2 {
				in.Line(y).Text(themes.Text, part.Cut(max(in.W-8, 1), g)).Put(themes.Faint, " ").Glyph(themes.Faint, g.Ellipsis)
				return
			}
			in.Line(y).Text(themes.Text, part)
			y++
		}
	}
}

// head is as much of a text as w by h cells can show, and a little more: no glyph has that many
// bytes.
func head(text string, w, h int) string {
	const bytesPerCell = 32
	text = text[:min(len(text), max(w*h, 1)*bytesPerCell)]
	at := 0
	for range h {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
	return text[:at]
}

// footer says how much there is and what is left out.
func (d *drawing) footer(l *views.Pen, g *themes.Glyphs) {
	dot := func() { l.Space(1).Glyph(themes.Faint, g.Dot).Space(1) }
	l.Space(1)
	if d.pos >= 0 {
		l.Text(themes.Text, views.Exact(int64(d.pos+1))).Put(themes.Faint, "/")
	}
	l.Text(themes.Text, views.Exact(int64(len(d.seqs))))
	if n := len(d.in.Snap.Events.Entries); n != len(d.seqs) {
		l.Put(themes.Muted, " of ").Text(themes.Muted, views.Exact(int64(n)))
	}
	dot()
	switch d.st.Level {
	case uint8(snapshot.Debug):
		l.Put(themes.Muted, "all levels")
	default:
		l.Put(themes.Muted, "level ").Glyph(themes.Muted, g.AtLeast).Space(1).Put(themes.Text, levelWord(d.st.Level))
	}
	if d.bad != nil {
		dot()
		l.Glyph(themes.Bad, g.Bad).Space(1).Text(themes.Bad, d.clean.Cell(d.bad.Error()).Cut(max(l.Left(), 8), g))
		return
	}
	if n := d.in.Snap.Events.Dropped; n > 0 {
		dot()
		l.Text(themes.Watch, views.Total(n, d.in.Exact)).Put(themes.Watch, " older ones dropped")
	}
}

func levelWord(l uint8) views.Lit {
	switch l {
	case uint8(snapshot.Debug):
		return "dbg"
	case uint8(snapshot.Info):
		return "info"
	case uint8(snapshot.Warn):
		return "warn"
	}
	return "err"
}
