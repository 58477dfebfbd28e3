package transport

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// SeekPrefix begins the text of a hit on the line of time; behind it stands where to go to, as
// a person would write it.
const SeekPrefix = "seek\x00"

// Bar is the transport of one program. It is for one goroutine.
type Bar struct{ clean *views.Cleaner }

// New returns a Bar.
func New() *Bar { return &Bar{clean: views.NewCleaner()} }

// Keys are the actions of the bar, in the order in which it names them.
func Keys() []keymap.ID {
	return []keymap.ID{
		keymap.ReplayPlay, keymap.ReplayStep, keymap.ReplayBack, keymap.ReplaySlower, keymap.ReplayFaster,
		keymap.ReplayBefore, keymap.ReplayAfter, keymap.ReplayMark,
	}
}

// shortest is how many cells the line of time takes at least; it is left out where there are
// fewer.
const shortest = 10

// drawing is one bar in the making.
type drawing struct {
	*Bar
	c    views.Chrome
	r    *snapshot.Replay
	g    *themes.Glyphs
	long bool // it spans days
}

func (b *Bar) begin(c views.Chrome) drawing {
	b.clean.Use(c.Theme.Glyphs)
	r := &c.Snap.Replay
	return drawing{Bar: b, c: c, r: r, g: c.Theme.Glyphs, long: r.From.Format(time.DateOnly) != r.To.Format(time.DateOnly)}
}

// Bar implements views.Dock.
func (b *Bar) Bar(a views.Area, c views.Chrome) {
	d := b.begin(c)
	keys := d.keys(a.W)
	l := a.Line(0).Space(1)
	if a.W >= 80 {
		l.Put(themes.ModeReplay, "REPLAY").Space(1)
	}
	l.Spans(d.state()).Space(1)
	if name := d.file(a.W); a.W >= 116 && !name.Empty() {
		l.Text(themes.Text, name).Space(1)
	}
	if a.W >= 100 {
		l.Text(themes.Muted, d.moment(c.Snap.Replay.From, true)).Space(1)
	}
	where := d.where(a.W)
	room := l.Left() - where.Width() - 3
	if a.W >= 100 {
		room -= d.moment(c.Snap.Replay.To, false).Width() + 2
	}
	if w := keysWidth(keys); room-w >= shortest {
		room -= w
	} else {
		keys = nil
	}
	if room >= shortest {
		d.line(a, l, room)
		l.Space(1)
	}
	if a.W >= 100 {
		l.Text(themes.Muted, d.moment(c.Snap.Replay.To, false)).Space(2)
	}
	l.Spans(where...)
	d.putKeys(a, keys)
}

// state says whether it plays.
func (d *drawing) state() views.Span {
	if d.r.Playing {
		return views.Span{Tok: themes.OK, Text: views.Join(views.Sign(d.g.Run), views.Own(" "))}
	}
	return views.Say(themes.Watch, "||")
}

// file is the name of the recording without its folder.
func (d *drawing) file(w int) views.Safe {
	name := d.r.File
	if name != "" {
		name = filepath.Base(name)
	}
	return d.clean.Cell(name).Middle(min(max(w/6, 12), 32), d.g)
}

// moment is an end of the line: the day too where there are several.
func (d *drawing) moment(t time.Time, from bool) views.Safe {
	layout := "15:04:05"
	if from && t.Second() == 0 {
		layout = "15:04"
	}
	if d.long {
		layout = "01-02 15:04"
	}
	return d.clean.Cell(t.Format(layout))
}

// where says which moment it is, how fast it goes, and how far it is.
func (d *drawing) where(w int) views.Spans {
	out := views.Spans{{Tok: themes.Text, Text: views.Clock(d.c.Snap.At)}, views.Say(themes.None, " "),
		{Tok: themes.Title, Text: d.speed()}, views.Say(themes.None, " "), {Tok: themes.Text, Text: d.number(d.r.Event)},
		{Tok: themes.Muted, Text: views.Join(views.Own("/"), d.number(d.r.Total))}}
	if d.r.Sought > 0 {
		return append(out, views.Span{Tok: themes.Watch, Text: views.Join(views.Own(" looking at "), d.number(d.r.Sought))})
	}
	if w >= 120 && d.r.Searched < d.r.Total {
		out = append(out, views.Span{Tok: themes.Faint, Text: views.Join(views.Own(" looked through "), percent(d.r.Searched, d.r.Total))})
	}
	return out
}

// number is that of an event: in full, but where there are more than a person can tell apart.
func (d *drawing) number(n uint64) views.Safe { return views.Total(n, d.r.Total < 1e9) }

func percent(n, of uint64) views.Safe {
	return views.Join(views.Exact(int64(float64(n)/float64(max(of, 1))*100)), views.Own("%"))
}

func (d *drawing) speed() views.Safe {
	if d.r.Speed == 0 {
		return views.Own("max")
	}
	return views.Join(views.Sign(d.g.Times), d.clean.Cell(strconv.FormatFloat(d.r.Speed, 'g', 4, 64)))
}

// key is a key of the bar.
type key struct {
	id   keymap.ID
	name views.Safe
}

// keys are those that there is room for.
func (d *drawing) keys(w int) []key {
	most := 3
	switch {
	case w >= 100:
		most = len(Keys())
	case w >= 80:
		most = 5
	}
	var out []key
	for _, id := range Keys()[:most] {
		if name := d.c.Keys.KeyOf(id); name != "unbound" {
			out = append(out, key{id, views.KeyName(d.clean.Cell(name), d.g)})
		}
	}
	return out
}

func keysWidth(keys []key) (w int) {
	for _, k := range keys {
		w += k.name.Width() + 1
	}
	return w
}

// putKeys draws the keys at the right end.
func (d *drawing) putKeys(a views.Area, keys []key) {
	x := a.W - keysWidth(keys)
	for _, k := range keys {
		a.Line(0).To(x).Text(themes.Key, k.name)
		a.Hit(x, 0, k.name.Width(), 1, views.Hit{Action: k.id})
		x += k.name.Width() + 1
	}
}

// line draws the line of time in w cells, its ends included.
func (d *drawing) line(a views.Area, l *views.Pen, w int) {
	x, n := l.At(), w-2
	here := d.cell(d.c.Snap.At, d.r.Event, n)
	l.Glyph(themes.Muted, d.g.LineBegin)
	l.Repeat(themes.Title, d.g.Horizontal, here).Repeat(themes.Faint, d.g.Horizontal, n-here)
	if d.r.Damage != "" {
		l.Glyph(themes.Bad, d.g.Bad)
	} else {
		l.Glyph(themes.Muted, d.g.LineEnd)
	}
	end := l.At()
	last := -1
	for i := range d.r.Interests {
		p := &d.r.Interests[i]
		if at := d.cell(p.At, p.Event, n); at != last {
			last = at
			a.Line(0).To(x+1+at).Glyph(interestToken(p.Kind), d.g.Watch)
		}
	}
	for i := range d.r.Bookmarks {
		m := &d.r.Bookmarks[i]
		a.Line(0).To(x+1+d.cell(m.At, m.Event, n)).Text(themes.Match, digit(m.Number))
	}
	a.Line(0).To(x+1+here).Glyph(themes.ModeReplay, d.g.Live)
	for i := range n {
		a.Hit(x+1+i, 0, 1, 1, views.Hit{Action: views.Point, Text: SeekPrefix + place(i, n)})
	}
	l.To(end)
}

// place is where a click on cell i of n leads.
func place(i, n int) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(i)/float64(max(n-1, 1))*100, 'f', 2, 64), ".00") + "%"
}

// cell is where a moment stands on a line of n cells. Where all is at one time it goes by event.
func (d *drawing) cell(at time.Time, event uint64, n int) int {
	part := float64(event) / float64(max(d.r.Total, 1))
	if whole := d.r.To.Sub(d.r.From); whole > 0 {
		part = float64(at.Sub(d.r.From)) / float64(whole)
	}
	return min(max(int(part*float64(n-1)+0.5), 0), n-1)
}

// digit is the number of a bookmark in one cell.
func digit(n int) views.Safe {
	if n < 1 || n > 9 {
		return views.Own(";")
	}
	return views.Exact(int64(n))
}

// interestToken is how urgent a point of interest is.
func interestToken(k snapshot.InterestKind) themes.Token {
	switch k {
	case snapshot.InterestError, snapshot.InterestLock, snapshot.InterestGap:
		return themes.Bad
	case snapshot.InterestFlow, snapshot.InterestOffset:
		return themes.Warn
	default:
		return themes.Watch
	}
}
