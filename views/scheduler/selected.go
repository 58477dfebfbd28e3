package scheduler

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// queueOf is what the snapshot knows of a queue, nil when nothing.
func (f *facts) queueOf(id snapshot.MessageQueue) *snapshot.Queue {
	i, ok := slices.BinarySearchFunc(f.snap.Queues, id, func(q snapshot.Queue, id snapshot.MessageQueue) int { return q.ID.Compare(id) })
	if !ok {
		return nil
	}
	return &f.snap.Queues[i]
}

// selected says in full what is known of the task under the cursor.
func (d *drawing) selected(a views.Area) {
	g := d.in.Theme.Glyphs
	if d.pos < 0 {
		return
	}
	t := d.f.at(d.pos)
	name := d.clean.FullName(t.Queue)
	p := views.Pane{Title: views.Spans{views.Say(themes.Title, "Task "), {Tok: themes.Title, Text: number(t.ID)}, views.Say(themes.None, "  "),
		{Tok: themes.Text, Text: name.Middle(max(a.W-24, 8), g)}}, Boxed: d.lay.boxed}
	in := p.Draw(a, g)
	if d.lay.boxed {
		in = in.Sub(1, 0, in.W-2, in.H)
	}
	q := d.f.queueOf(t.Queue)
	facts := []func(*views.Pen){
		func(l *views.Pen) { d.stands(l, t) },
		func(l *views.Pen) { d.holds(l, t, q) },
		func(l *views.Pen) { d.lastPull(l, q) },
		func(l *views.Pen) { d.putBacks(l, q) },
	}
	if in.H > len(facts)+1 {
		facts = append(facts, nil)
	}
	if in.H > len(facts) {
		facts = append(facts, func(l *views.Pen) {
			if l.Left() >= 100 {
				l.Put(themes.Faint, "Nobody steps this consumer, so no decision is recorded: ")
			}
			l.Put(themes.Muted, "mqscope demo --step").Put(themes.Faint, " stops before each decision")
		})
	}
	for y := 0; y < min(len(facts), in.H); y++ {
		if facts[y] != nil {
			facts[y](in.Line(y))
		}
	}
}

// stands is where a task is.
func (d *drawing) stands(l *views.Pen, t *snapshot.SchedTask) {
	l.Put(themes.Muted, "is     ").Spans(d.state(t)).Space(1).Spans(d.due(t))
	switch {
	case t.Wrong != "":
		l.Put(themes.Muted, "  wrong: ").Text(themes.Bad, d.clean.Cell(t.Wrong).Cut(l.Left(), d.in.Theme.Glyphs))
		return
	case t.Cause != "":
		l.Put(themes.Muted, "  put back for ").Text(themes.Warn, d.clean.Cell(string(t.Cause)))
	case t.State == snapshot.TaskParked:
		l.Put(themes.Muted, "  its pull is held at the broker until messages come")
	case t.State == snapshot.TaskRunning:
		l.Put(themes.Muted, "  its pull is at the broker")
	}
	if next := views.Exact(t.Next); t.Next >= 0 && l.Left() >= 14+next.Width() {
		l.Put(themes.Muted, "  next offset ").Text(themes.Text, next)
	}
}

// holds is what flow control asks for.
func (d *drawing) holds(l *views.Pen, t *snapshot.SchedTask, q *snapshot.Queue) {
	lim := d.in.Snap.Group.Limits
	l.Put(themes.Muted, "holds  ").Text(themes.Text, views.Exact(int64(t.Count))).Put(themes.Muted, " of >").Text(themes.Muted, views.Most(lim.CountPerQueue))
	if q == nil {
		return
	}
	l.Put(themes.Muted, " messages, ").Spans(views.Value(q.Bytes, themes.Text, func(n int64) views.Safe { return views.Bytes(n, d.in.Exact) })).
		Put(themes.Muted, " of >").Text(themes.Muted, views.Most(lim.MiBPerQueue)).Put(themes.Muted, " MiB")
	if l.Left() < 20 {
		return
	}
	l.Put(themes.Muted, ", span ").Spans(views.Value(q.Span, themes.Text, views.Exact))
	if d.in.Snap.Group.Orderly {
		l.Put(themes.Muted, " (not enforced: orderly)")
	} else {
		l.Put(themes.Muted, " of >").Text(themes.Muted, views.Most(lim.Span))
	}
	if l.Left() < 24 {
		return
	}
	l.Put(themes.Muted, ", in listeners ").Text(themes.Text, views.Exact(int64(q.InListener)))
}

// lastPull is how the last pull of a queue went.
func (d *drawing) lastPull(l *views.Pen, q *snapshot.Queue) {
	g := d.in.Theme.Glyphs
	l.Put(themes.Muted, "pulled ")
	if q == nil || !q.LastPull.OK() || q.LastPull.V.At.IsZero() {
		l.Put(themes.Unknown, "?").Put(themes.Muted, "  no pull has finished yet")
		return
	}
	p := &q.LastPull.V
	l.Text(themes.Text, d.clean.Cell(p.Status)).Space(1).Text(themes.Text, views.Exact(int64(p.Count))).
		Put(themes.Muted, views.Plural(p.Count, " message in ", " messages in ")).Text(themes.Text, views.Duration(p.Took, g))
	if p.Held {
		l.Put(themes.Muted, ", held")
	}
	l.Put(themes.Muted, ", ").Text(themes.Text, views.Ago(d.now, p.At, g))
	if q.Failures > 0 && l.Left() > 20 {
		l.Put(themes.Muted, "  failed ").Text(themes.Bad, views.Total(q.Failures, d.in.Exact)).Space(1).
			Text(themes.Muted, d.clean.Cell(q.LastError).Cut(max(l.Left(), 1), g))
	}
}

// putBacks is what flow control did to a queue.
func (d *drawing) putBacks(l *views.Pen, q *snapshot.Queue) {
	g := d.in.Theme.Glyphs
	l.Put(themes.Muted, "flow   ")
	switch {
	case q == nil:
		l.Put(themes.Unknown, "?")
	case q.Flow.Cause != "":
		l.Text(themes.Warn, d.clean.Cell(string(q.Flow.Cause))).Put(themes.Muted, " for ").Text(themes.Text, views.Age(d.now, q.Flow.Since, g)).
			Put(themes.Muted, ", put back ").Text(themes.Text, views.Total(q.Flow.PutBacks, d.in.Exact)).Put(themes.Muted, " times")
	default:
		l.Put(themes.OK, "no limit is exceeded").Put(themes.Muted, ", put back ").Text(themes.Text, views.Total(q.Flow.PutBacks, d.in.Exact)).
			Put(themes.Muted, " times so far")
	}
	if l.Left() > 30 && d.in.W >= 100 {
		l.Space(3).Text(themes.Key, d.clean.Cell(d.in.KeyOf(keymap.Open))).Put(themes.Muted, " opens the queue")
	}
}
