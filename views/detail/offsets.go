package detail

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// offsets draws where the queue stands in its log.
func (d *drawing) offsets(a views.Area) {
	g, q := d.in.Theme.Glyphs, d.q
	note := views.Spans{views.Say(themes.Muted, "exact"), views.Say(themes.Muted, ", ")}
	switch {
	case q.Inferred:
		note = views.Spans{views.Say(themes.Watch, "inferred"), views.Say(themes.Muted, ", ")}
	case !q.Mine:
		note = views.Spans{views.Say(themes.Muted, "not ours"), views.Say(themes.Muted, ", ")}
	}
	tok := themes.Muted
	if d.in.Now.Sub(d.s.At) > views.StaleAfter {
		tok = themes.Warn
	}
	if d.s != d.in.Snap {
		note[0], tok = views.Say(themes.Stale, "last picture"), themes.Stale
	}
	note = append(note, views.Span{Tok: tok, Text: views.Ago(d.in.Now, d.s.At, g)})
	in := d.pane(a, "Offsets", note, d.in.Focus == rulerPane)
	d.numbers(in.Line(0), in.W)
	r := d.st.ruler(q)
	line := in.Sub(0, 1, in.W-1, 1).Line(0)
	r.Draw(line, g)
	if in.H >= 4 {
		d.stretches(in.Line(2), in.W)
		d.facts(in.Line(3))
		return
	}
	d.facts(in.Line(2))
}

// numbers writes the four offsets over the ruler, each over its part of it if that fits.
func (d *drawing) numbers(l *views.Pen, w int) {
	q := d.q
	items := [...]struct {
		long, short, letter views.Lit
		val                 snapshot.Val[int64]
		tok                 themes.Token
	}{
		{"min ", "min ", "m ", q.Min, themes.OffMin}, {"committed ", "commit ", "C ", q.Committed, themes.OffCommit},
		{"next ", "next ", "N ", q.Next, themes.OffNext}, {"max ", "max ", "M ", q.Max, themes.OffMax},
	}
	for form := range 3 {
		var parts [4]views.Spans
		sum := 0
		for i, it := range items {
			name := [...]views.Lit{it.long, it.short, it.letter}[form]
			room := 40
			if form == 2 {
				room = max((w-7)/4-2, 4)
			}
			val := views.Value(it.val, it.tok, func(n int64) views.Safe { return views.Offset(n, room, d.in.Theme.Glyphs) })
			parts[i] = views.Spans{views.Say(themes.Muted, name), val}
			sum += parts[i].Width()
		}
		if sum+3*2 > w-1 && form < 2 {
			continue
		}
		gap := max((w-1-sum)/3, 1)
		for i, p := range parts {
			if i == 3 && l.Left() > p.Width() {
				l.Space(l.Left() - p.Width() - 1)
			}
			l.Spans(p...)
			l.Space(gap)
		}
		return
	}
}

// stretches says how long the parts of the ruler are and how it is scaled.
func (d *drawing) stretches(l *views.Pen, w int) {
	q := d.q
	diff := func(a, b snapshot.Val[int64]) views.Span {
		if !a.OK() || !b.OK() {
			return views.Say(themes.Unknown, "?")
		}
		return views.Span{Tok: themes.Text, Text: views.Exact(int64(uint64(b.V) - uint64(a.V)))}
	}
	key := d.clean.Cell(d.in.KeyOf("reset"))
	scale := views.Spans{views.Say(themes.Faint, " (piecewise scale, "), {Tok: themes.Key, Text: key}, views.Say(themes.Faint, " for true scale)")}
	if d.st.RulerFrom != 0 || d.st.RulerTo != 0 {
		scale = views.Spans{views.Say(themes.Faint, " (true scale "), {Tok: themes.Faint, Text: views.Exact(d.st.RulerFrom)}, views.Say(themes.Faint, ".."),
			{Tok: themes.Faint, Text: views.Exact(d.st.RulerTo)}, views.Say(themes.Faint, ")")}
	}
	left := views.Spans{views.Say(themes.Muted, "consumed "), diff(q.Min, q.Committed)}
	mid := append(views.Spans{views.Say(themes.Muted, "window "), diff(q.Committed, q.Next)}, scale...)
	right := views.Spans{views.Say(themes.Muted, "waiting "), diff(q.Next, q.Max), views.Say(themes.None, " ")}
	l.Spans(left...)
	at := max((w-mid.Width())/2, l.At()+2)
	l.To(at).Spans(mid...)
	l.Right(right...)
}

// facts is the line of rates.
func (d *drawing) facts(l *views.Pen) {
	g, q, t := d.in.Theme.Glyphs, d.q, d.s.Group.Threads
	rate := func(v snapshot.Val[float64]) views.Span {
		return views.Value(v, themes.Text, func(r float64) views.Safe { return views.PerSecond(r, d.in.Exact) })
	}
	know := q.Lag.OK() && q.InRate.OK() && q.OutRate.OK()
	drain := views.DrainSpan(0, false, false)
	if know {
		drain = views.DrainSpan(views.Drain(q.Lag.V, q.InRate.V, q.OutRate.V))
	}
	threads := views.Spans{views.Say(themes.Muted, "threads "), {Tok: busyToken(t), Text: views.Join(views.Exact(int64(t.Busy)), views.Own("/"), views.Exact(int64(t.Max)))}}
	if q.Inferred {
		threads = views.Spans{views.Say(themes.Muted, "threads "), views.Say(themes.Unknown, "?")}
	}
	items := []views.Spans{
		{views.Say(themes.Muted, "lag "), views.Lag(q.Lag, d.in.Exact, g)},
		{views.Say(themes.Muted, "in "), rate(q.InRate)},
		{views.Say(themes.Muted, "out "), rate(q.OutRate)},
		{views.Say(themes.Muted, "drain "), drain(g)},
		{views.Say(themes.Muted, "listener returned "), views.Value(q.LastTaken, themes.Text, d.ago)},
		threads,
		{views.Say(themes.Muted, "messages last found "), views.Value(q.LastFound, themes.Text, d.ago)},
	}
	for i, it := range items {
		if i > 0 && l.Left() < it.Width()+2 {
			break
		}
		if i > 0 {
			l.Space(2)
		}
		l.Spans(it...)
	}
}

func busyToken(t snapshot.Threads) themes.Token {
	if t.Max > 0 && t.Busy >= t.Max {
		return themes.Warn
	}
	return themes.Text
}
