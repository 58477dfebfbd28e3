package detail

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

func (d *drawing) ago(t time.Time) views.Safe { return views.Ago(d.in.Now, t, d.in.Theme.Glyphs) }

// window draws what the ProcessQueue holds, a cell for each offset or bucket of offsets.
func (d *drawing) window(a views.Area) {
	g := d.in.Theme.Glyphs
	var note views.Spans
	switch {
	case d.grid.used() == 0:
	case d.grid.per == 1:
		note = views.Spans{views.Say(themes.Muted, "1 cell = 1 offset")}
	default:
		note = views.Spans{views.Say(themes.Muted, "1 cell = "), {Tok: themes.Text, Text: views.Exact(int64(d.grid.per))}, views.Say(themes.Muted, " offsets, worst wins")}
	}
	if d.st.From != 0 || d.st.To != 0 {
		note = append(views.Spans{views.Say(themes.Title, "zoomed, "), {Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.Cancel))}, views.Say(themes.Muted, " shows all  ")}, note...)
	}
	title := views.Lit("Cached window")
	if d.q.Inferred {
		title = "Delivered, not committed"
	}
	in := d.pane(a, title, note, d.in.Focus == windowPane)
	if d.grid.used() == 0 {
		d.noCells(in)
		return
	}
	cur := d.st.cursor(d.w, d.grid)
	at := d.grid.cellOf(cur)
	for y := 0; y*d.grid.cols < d.grid.used(); y++ {
		l := in.Line(y)
		first, _ := d.grid.bounds(y * d.grid.cols)
		label := views.Offset(first, d.lay.label, g)
		l.Space(max(d.lay.label-label.Width(), 0)).Text(themes.Muted, label).Space(1)
		for x := 0; x < d.grid.cols && y*d.grid.cols+x < d.grid.used(); x++ {
			k := d.grid.cells[y*d.grid.cols+x]
			l.Glyph(k.token(), k.glyph(g))
		}
		if at/d.grid.cols == y && d.in.Focus == windowPane {
			in.Sub(d.lay.label+1+at%d.grid.cols, y, 1, 1).Shade(0, themes.Select)
		}
	}
	y := d.lay.rows
	if d.lay.boxed && in.H-y > 2 {
		y++
	}
	y = min(y, max(in.H-2, 0))
	d.legend(in.Line(y))
	d.selected(in.Line(y+1), cur, at)
}

// noCells says why there is no grid.
func (d *drawing) noCells(a views.Area) {
	g, q := d.in.Theme.Glyphs, d.q
	y := min(1, max(a.H-2, 0))
	l := a.Line(y)
	switch {
	case q.Count.OK() && q.Count.V > 0 && !d.known:
		fill := g.Window
		for i := range min(max(a.H-3, 1), 3) {
			a.Line(i).Repeat(themes.Faint, fill, a.W-1)
		}
		l = a.Line(min(max(a.H-3, 1), 3))
		l.Put(themes.Muted, "reported, no per-message detail: ").Text(themes.Text, views.Count(int64(q.Count.V), d.in.Exact)).Put(themes.Muted, " messages ")
		l.Spans(views.Value(q.CachedMin, themes.Text, views.Exact)).Put(themes.Muted, "..").Spans(views.Value(q.CachedMax, themes.Text, views.Exact))
		return
	case !q.Mine && !q.Inferred:
		l.Put(themes.Muted, "This member does not own the queue; what its owner ").Spans(views.Value(q.Owner, themes.Text, d.clean.Cell)).Put(themes.Muted, " holds is not known.")
		return
	case !q.Count.OK():
		l.Put(themes.Unknown, "? ").Put(themes.Muted, "What is cached is not known: ").Text(themes.Text, d.clean.Cell(q.Count.Reason).Cut(max(l.Left(), 1), g))
		return
	}
	if q.Inferred && q.Count.State == snapshot.NotApplicable {
		l.Put(themes.Muted, "Members keep their offsets for themselves: what they still have is not known.")
		return
	}
	if q.Inferred {
		l.Put(themes.Text, "All that was delivered is committed; ").Spans(d.nextPull()...)
		return
	}
	l.Put(themes.Text, "Nothing cached; ").Spans(d.nextPull()...)
}

// nextPull says when messages may come.
func (d *drawing) nextPull() views.Spans {
	g, t := d.in.Theme.Glyphs, d.q.Task
	since := func(l views.Lit) views.Spans {
		if t.Since.IsZero() {
			return views.Spans{views.Say(themes.Muted, l)}
		}
		return views.Spans{views.Say(themes.Muted, l), views.Say(themes.Muted, ", "), {Tok: themes.Text, Text: views.Age(d.in.Now, t.Since, g)}, views.Say(themes.Muted, " so far")}
	}
	switch t.State {
	case snapshot.TaskDelayed:
		return views.Spans{views.Say(themes.Muted, "next pull in "), {Tok: themes.Text, Text: views.Duration(max(t.Due.Sub(d.in.Now), 0).Truncate(time.Millisecond), g)}}
	case snapshot.TaskReady:
		return views.Spans{views.Say(themes.Muted, "the next pull is due")}
	case snapshot.TaskRunning:
		return since("a pull is under way")
	case snapshot.TaskParked:
		return since("a pull waits at the broker for new messages")
	}
	if d.q.Inferred {
		return views.Spans{views.Say(themes.Muted, "no pull of it is at a broker")}
	}
	return views.Spans{views.Say(themes.Bad, "and no pull request exists for it")}
}

// legend counts the messages by state, with the sign of each.
func (d *drawing) legend(l *views.Pen) {
	g := d.in.Theme.Glyphs
	n := counts(d.w, d.late)
	for _, it := range [...]struct {
		k     kind
		long  views.Lit
		short views.Lit
		all   bool
	}{
		{kindSent, " delivered, not committed ", " not committed ", false},
		{kindLate, " past the timeout ", " late ", false}, {kindRun, " in listener ", " listener ", true}, {kindWait, " waiting ", " waiting ", true},
		{kindDone, " done, not committable ", " done ", true}, {kindRetry, " local retry ", " retry ", false}, {kindGap, " gap ", " gap ", false},
	} {
		if n[it.k] == 0 && (!it.all || d.q.Inferred) {
			continue
		}
		name := it.long
		if !d.lay.boxed {
			name = it.short
		}
		part := views.Spans{{Tok: it.k.token(), Text: views.Sign(it.k.glyph(g))}, views.Say(themes.Muted, name), {Tok: themes.Text, Text: views.Total(n[it.k], true)}}
		if l.Left() < part.Width() {
			break
		}
		l.Spans(part...).Space(2)
	}
}

// selected says what is under the cursor.
func (d *drawing) selected(l *views.Pen, cur int64, cell int) {
	g := d.in.Theme.Glyphs
	from, to := d.grid.bounds(cell)
	m := d.message(from, to, cur)
	if d.lay.boxed {
		l.Put(themes.Muted, "selected ")
	} else {
		l.Put(themes.Muted, "sel ")
	}
	if m == nil {
		k := d.grid.cells[cell]
		l.Text(themes.Text, views.Exact(from))
		if to > from {
			l.Put(themes.Muted, "..").Text(themes.Text, views.Exact(to))
		}
		l.Space(1).Glyph(k.token(), k.glyph(g)).Space(1)
		l.Put(themes.Muted, [...]views.Lit{"done, an earlier message holds the commit", "no message here", "delivered, not committed; what became of it is not known", "waiting for a thread", "in listener", "to be consumed again here", "in listener past the timeout"}[k])
		return
	}
	k := kindOf(m.State)
	if d.late(m) {
		k = kindLate
	}
	l.Text(themes.Text, views.Exact(m.Offset)).Space(1).Glyph(k.token(), k.glyph(g)).Space(1)
	switch {
	case m.State == snapshot.Consuming && !m.Started.IsZero():
		l.Text(k.token(), views.Age(d.in.Now, m.Started, g)).Put(themes.Muted, " in listener")
	case m.State == snapshot.Retry:
		l.Put(k.token(), "local retry")
	case m.State == snapshot.Waiting:
		l.Put(themes.Muted, "waiting")
	default:
		l.Put(themes.Muted, "done")
	}
	more := func(name views.Lit, s views.Safe) {
		if !s.Empty() && l.Left() >= 2+len(name)+s.Width() {
			l.Space(2).Put(themes.Muted, name).Text(themes.Text, s)
		}
	}
	name := func(s string) views.Safe { return d.clean.Cell(s).Middle(min(24, max(l.Left()-6, 1)), g) }
	more("tag ", name(m.Tag))
	more("key ", name(m.Keys))
	more("try ", views.Join(views.Exact(int64(m.Reconsume)), views.Own("/"), views.Most(d.s.Group.Limits.MaxReconsume)))
	more("", views.Bytes(int64(m.BodySize), d.in.Exact))
	if !m.Stored.IsZero() {
		more("stored ", d.ago(m.Stored))
	}
}

// message is what is known of the message at the cursor, else of the worst one in its cell.
func (d *drawing) message(from, to, cur int64) *snapshot.Message {
	var best *snapshot.Message
	for i := range d.w.Meta {
		m := &d.w.Meta[i]
		if m.Offset < from || m.Offset > to {
			continue
		}
		if m.Offset == cur {
			return m
		}
		if best == nil || kindOf(m.State) > kindOf(best.State) {
			best = m
		}
	}
	return best
}
