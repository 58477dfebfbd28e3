package latency

import (
	"math"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// panes draws histogram and course of the row under the cursor.
func (d *drawing) panes(a views.Area) {
	if d.pos < 0 || a.H < 3 {
		return
	}
	g := d.in.Theme.Glyphs
	r := d.m.rows[d.pos]
	se, known := d.m.series(r)
	left := a.W * 58 / 100
	name := d.name(r).Middle(max(left/2, 8), g)
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, "Histogram "), {Tok: themes.Text, Text: name}}, Boxed: d.lay.boxed}
	if d.in.W >= 100 {
		p.Note = views.Spans{views.Say(themes.Muted, "holds left out")}
	}
	d.histogram(p.Draw(a.Sub(0, 0, left, a.H), g), &se, known)
	p = views.Pane{Title: views.Spans{views.Say(themes.Title, "p99, 10 min")}, Boxed: d.lay.boxed}
	d.course(p.Draw(a.Sub(left, 0, a.W-left, a.H), g), &se, known)
}

// bins are the ends of the histogram's bars; the last one has no end.
type bins struct {
	ends  []time.Duration
	names []views.Lit
}

// binsFor picks as many bars as there are lines for.
func binsFor(lines int) bins {
	const ms, s = time.Millisecond, time.Second
	switch {
	case lines >= 13:
		return bins{[]time.Duration{ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms, s, 2 * s, 5 * s},
			[]views.Lit{"<1ms", "<2ms", "<5ms", "<10ms", "<20ms", "<50ms", "<100ms", "<200ms", "<500ms", "<1s", "<2s", "<5s", "5s+"}}
	case lines >= 9:
		return bins{[]time.Duration{ms, 2 * ms, 5 * ms, 20 * ms, 100 * ms, 500 * ms, s, 2 * s},
			[]views.Lit{"<1ms", "<2ms", "<5ms", "<20ms", "<100ms", "<500ms", "<1s", "<2s", "2s+"}}
	case lines >= 6:
		return bins{[]time.Duration{ms, 5 * ms, 20 * ms, 100 * ms, 500 * ms}, []views.Lit{"<1ms", "<5ms", "<20ms", "<100ms", "<500ms", "500ms+"}}
	}
	return bins{[]time.Duration{5 * ms, 20 * ms, 100 * ms, 500 * ms}, []views.Lit{"<5ms", "<20ms", "<100ms", "<500ms", "500ms+"}}
}

// at is the bar of a round trip.
func (b bins) at(t time.Duration) int {
	for i, end := range b.ends {
		if t < end {
			return i
		}
	}
	return len(b.ends)
}

// histogram draws how many answers took how long.
func (d *drawing) histogram(a views.Area, se *snapshot.Series, known bool) {
	if d.lay.boxed {
		a = a.Sub(1, 0, a.W-1, a.H)
	}
	b := binsFor(a.H)
	counts := make([]uint64, len(b.names))
	var most uint64
	for i := range min(len(se.Buckets), snapshot.BucketsCount) {
		low, high := snapshot.BucketBounds(i)
		c := &counts[b.at(low+(high-low)/2)]
		*c += uint64(se.Buckets[i])
		most = max(most, *c)
	}
	if most == 0 {
		why := views.Lit("No answer to count.")
		if known && len(se.Buckets) == 0 && se.Total.N > 0 {
			why = "No buckets are kept of it."
		}
		a.Line(min(1, max(a.H-1, 0))).Put(themes.Muted, why)
		return
	}
	p50, p99 := -1, -1
	if se.Total.Enough {
		p50, p99 = b.at(se.Total.P50), b.at(se.Total.P99)
	}
	for i, name := range b.names {
		l := a.Line(i).Put(themes.Muted, name).To(7)
		w := max(a.W-7-17, 1)
		n := int(float64(counts[i]) / float64(most) * float64(w))
		if n == 0 && counts[i] > 0 {
			n = 1
		}
		l.Repeat(themes.Heat(snapshot.HeatClass(barMiddle(b, i))), d.in.Theme.Glyphs.BarFull, n)
		text := views.Total(counts[i], false)
		if counts[i] == 0 {
			text = views.Own("-")
		}
		l.To(7+w+7-text.Width()).Text(themes.Text, text).Space(1)
		if i == p50 {
			l.Put(themes.Title, " p50")
		}
		if i == p99 {
			l.Put(themes.Title, " p99")
		}
	}
}

// barMiddle is a round trip that falls into bar i.
func barMiddle(b bins, i int) time.Duration {
	if i < len(b.ends) {
		return b.ends[i] - 1
	}
	return b.ends[len(b.ends)-1]
}

// course draws the 99th percentile over time, and what went wrong.
func (d *drawing) course(a views.Area, se *snapshot.Series, known bool) {
	g := d.in.Theme.Glyphs
	if d.lay.boxed {
		a = a.Sub(1, 0, a.W-1, a.H)
	}
	if !known || len(se.Slots) == 0 {
		a.Line(min(1, max(a.H-1, 0))).Put(themes.Muted, "No data of these 10 min.")
		return
	}
	samples := make([]float64, len(se.Slots))
	for i := range se.Slots {
		samples[i] = math.NaN()
		if s := &se.Slots[i]; s.N() > 0 {
			samples[i] = float64(max(s.P99, slowestFew(s)))
		}
	}
	words := 3
	if a.H < 6 {
		words = 2
	}
	views.Chart(a.Sub(0, 0, min(a.W-1, slots), max(a.H-words, 0)), themes.MsgWait, samples, g)
	y := max(a.H-words, 0)
	s := all(se)
	if l := a.Line(y); se.Total.Max > 0 {
		l.Put(themes.Muted, "worst ").Text(themes.Text, views.Duration(se.Total.Max, g))
		if !se.WorstAt.IsZero() {
			l.Put(themes.Muted, " at ").Text(themes.Text, views.ShortClock(se.WorstAt))
		}
		if s.held > 0 && words < 3 {
			l.Put(themes.Muted, "  held ").Text(themes.MsgHeld, views.Total(s.held, d.in.Exact))
		}
		if d.cur >= 0 && l.Left() > 22 {
			l.Space(2).Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.Open))).Put(themes.Muted, " events then")
		}
	} else {
		l.Put(themes.Muted, "no answer but holds")
	}
	l := a.Line(y + 1)
	one := func(name views.Lit, n uint64, tok themes.Token) {
		if n == 0 {
			tok = themes.Text
		}
		l.Put(themes.Muted, name).Text(tok, views.Total(n, d.in.Exact)).Space(2)
	}
	one("timeouts ", s.timeouts, themes.Bad)
	one("errors ", s.exceptions, themes.Bad)
	if l.Left() >= 14 {
		one("flow control ", s.refused, themes.Warn)
	}
	if words < 3 {
		return
	}
	l = a.Line(y + 2)
	if s.held > 0 {
		l.Put(themes.Muted, "held ").Text(themes.MsgHeld, views.Total(s.held, d.in.Exact)).Put(themes.Muted, ", longest ").Text(themes.MsgHeld, views.Duration(s.longest, g))
		if l.Left() > 14 {
			l.Put(themes.Muted, ": not slowness")
		}
	} else {
		l.Put(themes.Muted, "held 0")
	}
}
