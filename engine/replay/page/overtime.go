package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Sizes of the pictures beside a queue's name, in pixels.
const (
	laneW  = 560
	sparkW = 150
	laneH  = 18
)

// nameOf is the short name of an owner: A to Z, then AA and on.
func nameOf(owner int) string {
	switch owner {
	case unknown:
		return "?"
	case absent:
		return ""
	}
	out := ""
	for n := owner + 1; n > 0; n = (n - 1) / 26 {
		out = string(rune('A'+(n-1)%26)) + out
	}
	return out
}

// overTime draws who had each queue, and how its lag and its pulls went.
func (s *story) overTime(p printer) {
	if len(s.lanes.list) == 0 {
		return
	}
	p.raw("<h2 id=\"lanes\">Who had which queue</h2>\n")
	p.f("<p class=\"m\">From %s at the left to %s at the right, as of %s; letters stand for <a href=\"#members\">members</a>, <b>?</b> is not known, blank is a queue that was not known itself.</p>\n",
		esc(s.clock(s.from)), esc(s.clock(s.to)), plural(len(s.lanes.at), "picture", "pictures"))
	if n := len(s.lanes.left); n > 0 {
		p.f("<p class=\"note\">%s more are not drawn.</p>\n", plural(n, "queue", "queues"))
	}
	p.raw("<div class=\"scroll\"><table class=\"lanes\">\n<thead><tr><th>Queue<th>Owner<th>Lag<th class=\"n\">most<th>Pulled/s<th class=\"n\">most</tr></thead>\n<tbody>\n")
	slices.SortFunc(s.lanes.list, func(a, b *lane) int { return compare(a.id, b.id) })
	for _, n := range s.lanes.list {
		p.raw("<tr><td class=\"c\">", esc(queueName(n.id)), "</td><td>")
		s.lane(p, n)
		p.raw("</td>")
		s.spark(p, "lag", n.lag, func(v float64) string { return number(int64(v)) })
		s.spark(p, "pulled a second", s.lanes.rate(n), rateText)
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}

// at is where sample i is on a picture of so many pixels.
func (s *story) at(i, w int) float64 { return s.x(s.lanes.at[i]) / lineW * float64(w) }

// lane is the bar of owners.
func (s *story) lane(p printer, n *lane) {
	p.f("<svg viewBox=\"0 0 %[1]d %[2]d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" aria-label=\"%[3]s\">", laneW, laneH, s.laneWords(n))
	for i := 0; i < len(n.owner); {
		j := i + 1
		for j < len(n.owner) && n.owner[j] == n.owner[i] {
			j++
		}
		end := float64(laneW)
		if j < len(n.owner) {
			end = s.at(j, laneW)
		}
		from, owner := s.at(i, laneW), n.owner[i]
		if owner != absent && end > from {
			class, ink := "oq", "iq"
			if owner >= 0 {
				class, ink = "o"+strconv.Itoa(owner%8), "in"
			}
			p.f("<rect class=\"%s\" x=\"%s\" width=\"%s\" height=\"%d\"/>", class, px(from), px(max(end-from-0.5, 0.5)), laneH)
			if end-from > 14 {
				p.f("<text class=\"%s\" x=\"%s\" y=\"13\">%s</text>", ink, px(from+4), nameOf(owner))
			}
		}
		i = j
	}
	p.raw("</svg>")
}

// laneWords is the bar for those who do not see it.
func (s *story) laneWords(n *lane) string {
	const most = 40
	var parts []string
	for i, o := range n.owner {
		if i > 0 && o == n.owner[i-1] {
			continue
		}
		if len(parts) == most {
			return strings.Join(parts, ", ") + ", and so on"
		}
		name := nameOf(o)
		if o == absent {
			name = "nothing known"
		}
		parts = append(parts, name+" from "+s.clock(s.lanes.at[i]))
	}
	return strings.Join(parts, ", ")
}

// spark is a small chart, with its largest value in the cell beside.
func (s *story) spark(p printer, what string, values []float64, write func(float64) string) {
	low, high := 0.0, math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if math.IsInf(high, -1) {
		p.raw("<td class=\"m\">not known</td><td class=\"n\">?</td>")
		return
	}
	span := max(high-low, 1e-9)
	p.f("<td><svg viewBox=\"0 0 %[1]d %[2]d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" aria-label=\"%[3]s\"><path class=\"sp\" d=\"", sparkW, laneH, what)
	up := true
	for i, v := range values {
		if math.IsNaN(v) {
			up = true
			continue
		}
		p.raw(map[bool]string{true: "M", false: "L"}[up], px(s.at(i, sparkW)), " ", px(float64(laneH)-1-(v-low)/span*(laneH-2)))
		if up && (i+1 == len(values) || math.IsNaN(values[i+1])) {
			p.raw("h1.5") // one value alone
		}
		up = false
	}
	p.f("\"/></svg></td><td class=\"n\">%s</td>", write(high))
}

// members are who stands behind the letters.
func (s *story) members(p printer) {
	p.raw("<h2 id=\"members\">Members</h2>\n")
	for _, m := range s.end.Members {
		s.lanes.ownerOf(m.ID)
	}
	for _, m := range s.begin.Members {
		s.lanes.ownerOf(m.ID)
	}
	if len(s.lanes.owners) == 0 {
		p.raw("<p>No member is known", esc(because(s.end.MembersKnown.Reason)), ".</p>\n")
		return
	}
	begin, end := count(s.begin), count(s.end)
	there := func(snap *snapshot.Snapshot, id string) bool {
		return slices.ContainsFunc(snap.Members, func(m snapshot.Member) bool { return m.ID == id })
	}
	p.raw("<div class=\"scroll\"><table>\n<thead><tr><th>Name<th>Client<th>Had queues<th class=\"n\">at the beginning<th class=\"n\">at most<th class=\"n\">at the end<th>In the group</tr></thead>\n<tbody>\n")
	from, to, most := s.lanes.held()
	for i, id := range s.lanes.owners {
		word, span := "", "never"
		switch was, is := there(s.begin, id), there(s.end, id); {
		case was && is:
			word = "at the beginning and at the end"
		case is:
			word = "came"
		case was:
			word = "left"
		case most[i] > 0:
			word = "came and left"
		}
		if most[i] > 0 {
			span = s.clock(s.lanes.at[from[i]]) + " to " + s.clock(s.lanes.at[to[i]])
		}
		p.f("<tr><td><span class=\"key k%d\">%s</span></td><td class=\"c\">%s</td><td class=\"t\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
			i%8, nameOf(i), esc(cut(id, mostName)), span, number(begin[id]), number(max(most[i], begin[id], end[id])), number(end[id]), word)
	}
	p.raw("</tbody></table></div>\n")
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func count(s *snapshot.Snapshot) map[string]int {
	out := map[string]int{}
	for i := range s.Queues {
		if q := &s.Queues[i]; q.Owner.OK() {
			out[q.Owner.V]++
		}
	}
	return out
}

// rebalances are the passes of the span that moved queues, as far as the last picture has them.
func (s *story) rebalances(p printer) {
	var all []*snapshot.Rebalance
	for i := range s.end.Rebalances {
		if r := &s.end.Rebalances[i]; !r.At.Before(s.from) && !r.At.After(s.to) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return
	}
	p.raw("<h2 id=\"rebalances\">Rebalances</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>Time<th>Topic<th>Why<th class=\"n\">Members<th>Queues that moved</tr></thead>\n<tbody>\n")
	for _, r := range all {
		p.f("<tr><td class=\"t c\">%s</td><td>%s</td><td>%s</td><td class=\"n\">%s</td><td>%s</td></tr>\n", s.clock(r.At), esc(cut(r.Topic, mostName)), esc(cut(r.Why, mostWords)),
			number(len(r.Members)), esc(s.moves(r)))
	}
	p.raw("</tbody></table></div>\n")
}

// moves says which queues went from whom to whom, the first dozen of them.
func (s *story) moves(r *snapshot.Rebalance) string {
	const most = 12
	var parts []string
	left := 0
	name := func(id string) string {
		if n, ok := s.lanes.number[id]; ok {
			return nameOf(n)
		}
		if id == "" {
			return "nobody"
		}
		return cut(id, 64)
	}
	for i, q := range r.Queues {
		if i >= len(r.Before) || i >= len(r.After) || r.Before[i] == r.After[i] {
			continue
		}
		if len(parts) == most {
			left++
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s to %s", shortQueue(q), name(r.Before[i]), name(r.After[i])))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", left))
	}
	return strings.Join(parts, ", ")
}

func shortQueue(q mq.MessageQueue) string {
	return cut(q.BrokerName, 64) + "/" + strconv.Itoa(int(q.QueueID))
}
