package page

import (
	"strconv"
	"time"

	"mqscope/engine/snapshot"
)

// Sizes of the time line, in pixels.
const (
	lineW   = 1000
	barsTop = 34 // points of interest stand above
	barsH   = 56
	lineH   = barsTop + barsH + 34
)

// letters stand for kinds of interest on the time line.
func letter(k snapshot.InterestKind) string {
	return [...]string{"", "R", "F", "E", "L", "O", "B", "G"}[min(int(k), interests-1)]
}

// timeLine draws how many events there were when, and what was of interest.
func (s *story) timeLine(p printer) {
	p.f("<h2 id=\"time\">Time line</h2>\n<div class=\"wide\"><svg class=\"line\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Events over time; what is marked is listed below\">\n", lineW, lineH)
	most := 1
	for i := range s.density {
		most = max(most, s.density[i].all)
	}
	w := float64(lineW) / columns
	for i := range s.density {
		c := &s.density[i]
		y := float64(barsTop + barsH)
		for level, n := range [...]int{c.all - c.warn - c.bad, c.warn, c.bad} {
			if n == 0 {
				continue
			}
			h := max(float64(n)/float64(most)*barsH, 1)
			h = min(h, y-barsTop)
			y -= h
			p.f("<rect class=\"f%d\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>", level, px(float64(i)*w), px(y), px(w-0.4), px(h))
		}
		s.marks(p, c, float64(i)*w)
	}
	p.f("\n<path class=\"axis\" d=\"M0 %d.5H%d\"/>\n", barsTop+barsH, lineW)
	for _, b := range s.o.Bookmarks {
		if b.Event <= s.span.From || b.Event > s.span.To {
			continue
		}
		p.f("<text class=\"bm\" x=\"%s\" y=\"%d\">%d<title>bookmark %d, #%s: %s</title></text>", px(s.x(b.At)), barsTop+barsH+12, b.Number, b.Number, number(b.Event), escPlain(cut(b.Note, mostWords)))
	}
	s.ticks(p)
	p.raw("</svg></div>\n<p class=\"m\">")
	p.f("The tallest bar is %s. ", plural(most, "event", "events"))
	for k := snapshot.InterestRebalance; int(k) < interests; k++ {
		if s.found[k] > 0 {
			p.f("<b>%s</b> %s (%s) ", letter(k), k, number(s.found[k]))
		}
	}
	p.raw("</p>\n")
}

// marks are the letters of one column, one below the other; there is room for three.
func (s *story) marks(p printer, c *column, x float64) {
	y := 10
	for k := 1; k < interests && y < barsTop; k++ {
		if c.points[k] == 0 {
			continue
		}
		kind := snapshot.InterestKind(k)
		mark := "<text class=\"p p" + strconv.Itoa(k) + "\" x=\"" + px(x) + "\" y=\"" + strconv.Itoa(y) + "\">" + letter(kind) + "<title>" +
			kind.String() + ", #" + number(c.first[k])
		if c.points[k] > 1 {
			mark += " and " + number(c.points[k]-1) + " more"
		}
		mark += "</title></text>"
		if s.listed[c.first[k]] {
			mark = "<a href=\"#e" + strconv.FormatUint(c.first[k], 10) + "\">" + mark + "</a>"
		}
		p.raw(mark)
		y += 11
	}
}

// x is where on the time line a moment is.
func (s *story) x(at time.Time) float64 {
	whole := s.to.Sub(s.from)
	if whole <= 0 {
		return 0
	}
	return min(max(float64(at.Sub(s.from))/float64(whole), 0), 1) * lineW
}

// ticks are times at round distances.
func (s *story) ticks(p printer) {
	whole := s.to.Sub(s.from)
	every := tickOf(whole)
	layout := "15:04:05"
	switch {
	case every < time.Second:
		layout = "15:04:05.000"
	case every >= 24*time.Hour:
		layout = "01-02"
	case every >= time.Minute:
		layout = "15:04"
	}
	y := barsTop + barsH
	from := s.from.In(s.o.Zone)
	for at := from.Truncate(every); !at.After(s.to); at = at.Add(every) {
		x := s.x(at)
		if at.Before(from) || x > lineW-50 {
			continue
		}
		p.f("<path class=\"axis\" d=\"M%s %dv6\"/><text x=\"%s\" y=\"%d\">%s</text>", px(x), y, px(x), y+28, at.Format(layout))
	}
}

// tickOf is a round distance of which at most ten fit into a span.
func tickOf(span time.Duration) time.Duration {
	for _, d := range [...]time.Duration{
		time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second,
		20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	} {
		if span/d <= 10 {
			return d
		}
	}
	return max((span / 10).Truncate(24*time.Hour), 24*time.Hour)
}

// px writes pixels with at most one decimal.
func px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if n := len(s); s[n-1] == '0' {
		return s[:n-2]
	}
	return s
}
