package page

import (
	"fmt"
	"strconv"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// queues is the table of queues at the end, with what changed since the beginning.
func (s *story) queues(p printer) {
	n := len(s.end.Queues)
	p.f("<h2 id=\"queues\">Queues at the end</h2>\n<p class=\"m\">At %s. Below a value stands what changed since %s; ", esc(s.day(s.to)), esc(s.clock(s.from)))
	p.raw("<b>?</b> is not known, <b>~</b> is an old reading.</p>\n")
	ids := ranked(s.begin, s.end, s.o.Queues)
	if n == 0 && len(ids) == 0 {
		p.raw("<p>No queue is known.</p>\n")
		return
	}
	if n > len(ids) {
		p.f("<p class=\"note\">%s of %s are shown: those that changed hands, are sick or lag most.</p>\n", number(len(ids)), plural(n, "queue", "queues"))
	}
	p.raw("<div class=\"scroll\"><table>\n<thead><tr><th>Queue<th>State<th>Owner<th class=\"n\">Lag<th class=\"n\">Committed<th class=\"n\">Next<th class=\"n\">Min<th class=\"n\">Max",
		"<th class=\"n\">Cached<th class=\"n\">In listener<th class=\"n\">In/s<th class=\"n\">Out/s<th>Flow control<th>Lock<th>Why</tr></thead>\n<tbody>\n")
	was, now := byID(s.begin), byID(s.end)
	for _, id := range ids {
		s.queue(p, id, was[id], now[id])
	}
	p.raw("</tbody></table></div>\n")
}

// queue is one row; was or now is nil where the queue was not known.
func (s *story) queue(p printer, id mq.MessageQueue, was, now *snapshot.Queue) {
	p.raw("<tr><td class=\"c\">", esc(queueName(id)), "</td>")
	if now == nil {
		p.raw("<td class=\"warn\">gone</td><td colspan=\"13\">")
		if was != nil && was.Owner.OK() {
			p.raw("<span class=\"d\">was ", esc(was.Owner.V), "</span>")
		}
		p.raw("</td></tr>\n")
		return
	}
	p.f("<td class=\"%s\">%s %s</td>", now.Mark, markSign(now.Mark), now.State)
	p.raw("<td>", owner(now))
	switch {
	case was == nil:
		p.raw("<span class=\"d\">not known before</span>")
	case was.Owner.OK() && (!now.Owner.OK() || was.Owner.V != now.Owner.V):
		p.raw("<span class=\"d\">was ", orNobody(was.Owner.V), "</span>")
	case !was.Owner.OK() && now.Owner.OK():
		p.raw("<span class=\"d\">was not known</span>")
	}
	p.raw("</td>")
	if was == nil {
		was = &snapshot.Queue{}
	}
	change(p, now.Lag, was.Lag)
	change(p, now.Committed, was.Committed)
	change(p, now.Next, was.Next)
	change(p, now.Min, was.Min)
	change(p, now.Max, was.Max)
	change(p, now.Count, was.Count)
	listening, flow := snapshot.Val[int]{V: now.InListener, State: snapshot.Known}, snapshot.Val[string]{V: string(now.Flow.Cause), State: snapshot.Known}
	if now.Inferred {
		const why = "it does not show on the wire"
		listening, flow = snapshot.UnknownBecause[int](why), snapshot.UnknownBecause[string](why)
	}
	change(p, listening, snapshot.Val[int]{})
	rate(p, now.InRate)
	rate(p, now.OutRate)
	p.raw("<td>", value(flow, esc))
	if d := int64(now.Flow.PutBacks) - int64(was.Flow.PutBacks); d > 0 {
		p.raw("<span class=\"d\">", plural(d, "put-back", "put-backs"), "</span>")
	}
	p.raw("</td><td>")
	if now.Lock.Used {
		p.raw(now.Lock.BrokerSays.String())
	}
	p.raw("</td><td>", esc(cut(now.Note, mostWords)), "</td></tr>\n")
}

func markSign(m snapshot.Mark) string {
	return [...]string{"✓", "!", "▲", "✗", "~", "?"}[min(m, snapshot.MarkUnknown)]
}

func owner(q *snapshot.Queue) string {
	switch q.Owner.State {
	case snapshot.Known:
		return orNobody(q.Owner.V)
	case snapshot.Stale:
		return "~" + orNobody(q.Owner.V)
	case snapshot.NotApplicable:
		return "n/a"
	}
	return why(q.Owner.Reason)
}

func orNobody(id string) string {
	if id == "" {
		return "nobody"
	}
	return esc(cut(id, mostName))
}

// why is a question mark that tells its reason.
func why(reason string) string {
	if reason == "" {
		return "<b>?</b>"
	}
	return "<b title=\"" + escPlain(cut(reason, mostName)) + "\">?</b>"
}

// change is a cell: a value, and by how much it is another one than before.
func change[T int | int64](p printer, now, was snapshot.Val[T]) {
	p.raw("<td class=\"n\">", value(now, func(v T) string { return number(v) }))
	if now.OK() && was.OK() {
		if d := signed(int64(now.V) - int64(was.V)); d != "" {
			p.raw("<span class=\"d\">", d, "</span>")
		}
	}
	p.raw("</td>")
}

func rate(p printer, v snapshot.Val[float64]) {
	p.raw("<td class=\"n\">", value(v, rateText), "</td>")
}

// value writes a reading with its trust, as the screens do.
func value[T any](v snapshot.Val[T], write func(T) string) string {
	switch v.State {
	case snapshot.Known:
		return write(v.V)
	case snapshot.Stale:
		return "~" + write(v.V)
	case snapshot.NotApplicable:
		return "<span class=\"m\">n/a</span>"
	}
	return why(v.Reason)
}

// sums of known readings over all queues.
type sums struct {
	lag, committed   int64
	lagN, committedN int
}

func sumOf(s *snapshot.Snapshot) (t sums) {
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.Lag.OK() {
			t.lag, t.lagN = t.lag+q.Lag.V, t.lagN+1
		}
		if q.Committed.OK() {
			t.committed, t.committedN = t.committed+q.Committed.V, t.committedN+1
		}
	}
	return t
}

// summary says in a few lines what came of the span.
func (s *story) summary(p printer) {
	p.raw("<ul>\n")
	item := func(format string, args ...any) { p.raw("<li>", fmt.Sprintf(format, args...), "</li>\n") }
	item("%s: %s, %s", plural(s.total, "event", "events"), plural(s.levels[snapshot.Warn], "warning", "warnings"), plural(s.levels[snapshot.Error], "error", "errors"))
	if s.others > 0 {
		item("%s of other groups or clients left out", plural(s.others, "event", "events"))
	}
	committed, known := int64(0), 0
	was := byID(s.begin)
	for i := range s.end.Queues {
		q := &s.end.Queues[i]
		if before := was[q.ID]; before != nil && before.Committed.OK() && q.Committed.OK() {
			known++
			committed += q.Committed.V - before.Committed.V
		}
	}
	if moves, queues := s.lanes.moves(); len(s.lanes.list) > 0 {
		item("%s changed hands, %s in all", plural(queues, "queue", "queues"), plural(moves, "time", "times"))
	}
	if known > 0 {
		item("offsets committed: %s over %s", orZero(signed(committed)), plural(known, "queue", "queues"))
	}
	first, last := sumOf(s.begin), sumOf(s.end)
	if first.lagN > 0 && last.lagN > 0 {
		item("lag: %s at the beginning (%s known), %s at the end (%s known)", number(first.lag), plural(first.lagN, "queue", "queues"), number(last.lag), plural(last.lagN, "queue", "queues"))
	}
	if s.begin.MembersKnown.OK() && s.end.MembersKnown.OK() {
		item("members: %s at the beginning, %s at the end", number(len(s.begin.Members)), number(len(s.end.Members)))
	}
	if failed := s.end.Counters.PullsFailed - min(s.begin.Counters.PullsFailed, s.end.Counters.PullsFailed); failed > 0 {
		item("%s", plural(failed, "pull failed", "pulls failed"))
	}
	p.raw("</ul>\n")
}

func orZero(s string) string {
	if s == "" {
		return strconv.Itoa(0)
	}
	return s
}
