package page

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// interests lists what one would look at first, and the bookmarks.
func (s *story) interests(p printer) {
	var marks []snapshot.Bookmark
	for _, b := range s.o.Bookmarks {
		if b.Event > s.span.From && b.Event <= s.span.To {
			marks = append(marks, b)
		}
	}
	if len(marks) > 0 {
		p.raw("<h2 id=\"bookmarks\">Bookmarks</h2>\n<ol>\n")
		for _, b := range marks {
			p.f("<li value=\"%d\"><span class=\"c\">%s</span> #%s %s</li>\n", b.Number, s.clock(b.At), number(b.Event), esc(cut(b.Note, mostWords)))
		}
		p.raw("</ol>\n")
	}
	total := 0
	for _, n := range s.found {
		total += n
	}
	if total == 0 {
		return
	}
	p.raw("<h2 id=\"points\">Points of interest</h2>\n")
	if total > len(s.points) {
		p.f("<p class=\"note\">The first %s of %s are listed.</p>\n", number(len(s.points)), number(total))
	}
	p.raw("<div class=\"scroll\"><table>\n<thead><tr><th>Time<th class=\"n\">Event<th>Kind<th>Where<th>Who<th>What</tr></thead>\n<tbody>\n")
	for i := range s.points {
		m := &s.points[i]
		event := "#" + number(m.Event)
		if s.listed[m.Event] {
			event = "<a href=\"#e" + strconv.FormatUint(m.Event, 10) + "\">" + event + "</a>"
		}
		p.f("<tr><td class=\"t c\">%s</td><td class=\"n\">%s</td><td class=\"t\"><b>%s</b> %s</td><td class=\"c\">%s</td><td>%s</td><td>%s</td></tr>\n",
			s.clock(m.At), event, letter(m.Interest), m.Interest, where(m), s.who(m.Client), esc(m.Words))
	}
	p.raw("</tbody></table></div>\n")
}

// where is the queue of an event, or what else it is about.
func where(m *snapshot.Moment) string {
	if m.Queue != (mq.MessageQueue{}) {
		return esc(queueName(m.Queue))
	}
	return esc(m.Where)
}

// who is the letter of a client, or its id where it has none.
func (s *story) who(id string) string {
	if n, ok := s.lanes.number[id]; ok {
		return nameOf(n)
	}
	return esc(cut(id, mostName))
}

// eventTable lists what happened.
func (s *story) eventTable(p printer) {
	p.raw("<h2>Events</h2>\n")
	if left := s.total - len(s.events); left > 0 {
		p.f("<p class=\"note\">%s of %s are listed: the first %s, and of those behind them what is a warning, an error or of interest, up to %s. Not listed: ",
			number(len(s.events)), plural(s.total, "event", "events"), number(s.o.Events), number(s.o.Events/4))
		s.notListed(p)
		p.raw(".</p>\n")
	}
	if len(s.events) == 0 {
		p.raw("<p>Nothing happened.</p>\n")
		return
	}
	p.raw("<div id=\"find\" hidden><label>Filter <input type=\"search\" placeholder=\"words, !without\"></label><label>Level <select><option value=\"0\">all<option value=\"1\">info<option value=\"2\">warnings<option value=\"3\">errors</select></label>",
		"<label><input type=\"checkbox\"> of interest only</label><span id=\"shown\" class=\"m\" aria-live=\"polite\"></span></div>\n",
		"<div class=\"scroll\"><table id=\"events\">\n<thead><tr><th>Time<th class=\"n\">Event<th>Level<th>Kind<th>Where<th>Who<th>What</tr></thead>\n<tbody>\n")
	for i := range s.events {
		m := &s.events[i]
		level, interest := min(m.Level, snapshot.Error), ""
		if m.Interest != snapshot.NoInterest {
			interest = " i" + strconv.Itoa(int(m.Interest))
		}
		n := strconv.FormatUint(m.Event, 10)
		p.raw("<tr id=\"e", n, "\" class=\"l", strconv.Itoa(int(level)), interest, "\"><td class=\"t c\">", s.clock(m.At), "</td><td class=\"n\">", number(m.Event), "</td><td",
			[...]string{"", "", " class=\"warn\"", " class=\"bad\""}[level], ">", level.String(), "</td><td class=\"c\">", esc(m.Kind), "</td><td class=\"c\">", where(m),
			"</td><td>", s.who(m.Client), "</td><td class=\"w\">")
		if m.Interest != snapshot.NoInterest {
			p.raw("<b>", letter(m.Interest), "</b> ")
		}
		p.raw(esc(m.Words), "</td></tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}

// notListed counts the events that have no row, the most frequent kinds first.
func (s *story) notListed(p printer) {
	kinds := slices.SortedFunc(maps.Keys(s.counted), func(a, b string) int {
		return cmp.Or(-cmp.Compare(s.counted[a], s.counted[b]), cmp.Compare(a, b))
	})
	for i, k := range kinds {
		if i > 0 {
			p.raw(", ")
		}
		p.raw(esc(k), " ", number(s.counted[k]))
	}
}
