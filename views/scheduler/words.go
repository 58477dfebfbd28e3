package scheduler

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// moment writes when a decision was made.
func (d *drawing) moment(at time.Time) views.Safe {
	if d.d.Virtual() && !d.d.Start.IsZero() {
		return views.Since(d.d.Start, at)
	}
	return views.Clock(at)
}

func (d *drawing) tasksTitle() views.Spans {
	g := d.in.Theme.Glyphs
	out := views.Spans{views.Say(themes.Title, "Pull tasks "), {Tok: themes.Muted, Text: views.Exact(int64(len(d.d.Tasks)))}}
	dot := views.Span{Tok: themes.Faint, Text: views.Join(views.Own(" "), views.Sign(g.Dot), views.Own(" "))}
	if d.old {
		return append(out, dot, views.Span{Tok: themes.Stale, Text: views.Join(views.Sign(g.Stale), views.Age(d.in.Now, d.in.Snap.At, g), views.Own(" old"))})
	}
	if !d.d.Stepping {
		return out
	}
	word := views.Say(themes.ModeReplay, "STEP")
	if d.d.Running {
		word = views.Say(themes.ModeReplay, "RUN")
	}
	return append(out, dot, word, views.Say(themes.None, " "), views.Span{Tok: themes.Text, Text: d.moment(d.in.Snap.At)})
}

// stepOf says how far the world has come, and how far it was before a step back. In a recording
// decisions are counted within an event: what was decided before is not known everywhere.
func (d *drawing) stepOf() views.Safe {
	if r := &d.in.Snap.Replay; r.Known {
		s := views.Join(views.Own("event #"), views.Exact(int64(r.Event)))
		n := uint64(len(d.d.Current.Lines))
		if all := n + d.d.Newest - min(d.d.Steps, d.d.Newest); n > 0 {
			s = views.Join(s, views.Own(", decision "), views.Exact(int64(n)), views.Own(" of "), views.Exact(int64(all)))
		}
		return s
	}
	s := views.Join(views.Own("step "), views.Total(d.d.Steps, true))
	if d.d.Newest > d.d.Steps {
		s = views.Join(s, views.Own(" of "), views.Total(d.d.Newest, true))
	}
	return s
}

func (d *drawing) traceTitle() views.Spans {
	g, c := d.in.Theme.Glyphs, &d.d.Current
	out := views.Spans{views.Say(themes.Title, "Trace")}
	if c.Task != 0 {
		out = append(out, views.Say(themes.None, " "), views.Span{Tok: themes.Title, Text: number(c.Task)}, views.Say(themes.None, " "),
			views.Span{Tok: themes.Text, Text: d.clean.QueueName(c.Queue, d.f.short).Middle(max(d.in.W/3, 10), g)})
	}
	if c.Task == 0 && d.f.between() && len(d.f.past) > 0 {
		out = append(out, views.Say(themes.Muted, ", between turns"))
	}
	out = append(out, views.Span{Tok: themes.Muted, Text: views.Join(views.Own(" "), views.Sign(g.Dot), views.Own(" "), d.stepOf())})
	if c.Task != 0 && c.Done {
		out = append(out, views.Say(themes.Muted, ", turn over"))
	}
	return out
}

func (d *drawing) historyTitle() views.Spans {
	n := len(d.d.History)
	return views.Spans{views.Say(themes.Title, "History"), {Tok: themes.Muted, Text: views.Join(views.Own(", last "), views.Exact(int64(n)),
		views.Own(views.Plural(n, " decision", " decisions")), views.Own(" "), views.Sign(d.in.Theme.Glyphs.Dot), views.Own(" "), d.stepOf())}}
}

// answer is the sentence that says which task runs next, or why nothing does.
func (d *drawing) answer(l *views.Pen) {
	g := d.in.Theme.Glyphs
	head := func(mark snapshot.Mark) *views.Pen { return l.Spans(views.MarkSpan(mark, g)).Space(1) }
	rest := func(tok themes.Token, s views.Safe) { l.Text(tok, s.Cut(max(l.Left(), 1), g)) }
	h := &d.d.Hit
	switch {
	case !d.d.Known && len(d.d.Tasks) == 0 && !d.f.traced:
		head(snapshot.MarkUnknown).Put(themes.Muted, "No schedule is known here")
	case len(d.d.Broken) > 0:
		b := &d.d.Broken[0]
		head(snapshot.MarkBad).Text(themes.Bad, d.clean.Cell(b.ID)).Put(themes.Text, " does not hold: ")
		rest(themes.Text, d.clean.Cell(b.What))
	case d.f.wrong > 0:
		t := &d.d.Tasks[d.f.firstWrong]
		head(snapshot.MarkBad).Text(themes.Bad, views.Exact(int64(d.f.wrong))).Put(themes.Text, views.Plural(d.f.wrong, " task is wrong: ", " tasks are wrong: ")).
			Text(themes.Text, number(t.ID)).Space(1)
		rest(themes.Text, d.clean.Cell(t.Wrong))
	case d.stopped():
		head(snapshot.MarkWatch).Put(themes.Text, "Stopped: ")
		rest(themes.Text, d.clean.Cell(h.Why))
		if c := &d.d.Current; c.Task != 0 && !c.Done && l.Left() > 30 {
			l.Put(themes.Muted, ", in the turn of ").Text(themes.Text, number(c.Task)).Space(1)
			rest(themes.Text, d.clean.QueueName(c.Queue, d.f.short))
		}
	case d.d.Running:
		head(snapshot.MarkOK).Put(themes.Text, "Runs until a breakpoint")
		if d.d.Pace > 0 {
			l.Put(themes.Muted, ", a decision each ").Text(themes.Text, views.Duration(d.d.Pace, g))
		} else {
			l.Put(themes.Muted, ", as fast as it goes")
		}
	case d.d.Stepping:
		d.nextStep(head(snapshot.MarkOK))
	default:
		d.schedule(head(d.mark()))
	}
}

// nextStep says what a step goes on with.
func (d *drawing) nextStep(l *views.Pen) {
	g, c := d.in.Theme.Glyphs, &d.d.Current
	switch {
	case d.d.Steps == 0:
		l.Put(themes.Text, "Nothing was decided yet: the consumer starts with the first step")
	case c.Task != 0 && !c.Done:
		l.Text(themes.Text, number(c.Task)).Put(themes.Text, " has its turn: ")
		name := d.clean.FullName(c.Queue)
		l.Text(themes.Text, name.Middle(max(l.Left()-24, 8), g)).Put(themes.Muted, ", ").Text(themes.Muted, views.Exact(int64(len(c.Lines)))).
			Put(themes.Muted, views.Plural(len(c.Lines), " decision so far", " decisions so far"))
	default:
		l.Put(themes.Text, "Between two turns")
		switch i := d.firstHeld(); {
		case i >= 0:
			l.Put(themes.Muted, ": ").Text(themes.Text, views.Exact(int64(d.f.held))).Put(themes.Text, views.Plural(d.f.held, " pull is held", " pulls are held")).
				Put(themes.Muted, ", the first ").Text(themes.Text, number(d.d.Tasks[i].ID)).Space(1)
			l.Text(themes.Text, d.clean.QueueName(d.d.Tasks[i].Queue, d.f.short).Middle(max(l.Left(), 1), g))
		case d.f.next >= 0:
			l.Put(themes.Muted, ": ")
			d.soon(l)
		case d.d.Drives != "":
			l.Put(themes.Muted, ": no pull is held, a step waits for the next")
		}
	}
}

// stopped tells whether why the last run stopped is still of interest. A live consumer decides
// other things after that.
func (d *drawing) stopped() bool {
	h := &d.d.Hit
	return h.Step != 0 && h.Why != "" && !d.d.Running && (h.Step == d.d.Steps || d.d.Drives != "")
}

// firstHeld is the task of a live consumer that a person holds for longest, -1 for none.
func (d *drawing) firstHeld() int {
	first := -1
	if d.d.Drives == "" {
		return first
	}
	for i := range d.d.Tasks {
		if t := &d.d.Tasks[i]; t.Held && (first < 0 || t.Due.Before(d.d.Tasks[first].Due)) {
			first = i
		}
	}
	return first
}

// schedule sums up a consumer that nobody steps.
func (d *drawing) schedule(l *views.Pen) {
	f := d.f
	n := len(d.d.Tasks)
	if n == 0 {
		l.Put(themes.Text, "No pull task")
		return
	}
	l.Text(themes.Text, views.Exact(int64(f.parked))).Put(themes.Text, " of ").Text(themes.Text, views.Exact(int64(n))).
		Put(themes.Text, views.Plural(n, " pull waits for messages", " pulls wait for messages")).Put(themes.Muted, ", ").
		Text(themes.Text, views.Exact(int64(f.delayed))).Put(themes.Muted, " put back")
	if f.next >= 0 && l.Left() > 30 {
		l.Put(themes.Muted, ": ")
		d.soon(l)
	}
}

// mark is the worst that is on show.
func (d *drawing) mark() snapshot.Mark {
	switch {
	case len(d.d.Broken) > 0 || d.f.wrong > 0:
		return snapshot.MarkBad
	case !d.d.Known:
		return snapshot.MarkUnknown
	case d.old:
		return snapshot.MarkStale
	}
	return snapshot.MarkOK
}

// markOf is the state of one task.
func (d *drawing) markOf(t *snapshot.SchedTask) snapshot.Mark {
	switch {
	case t.Wrong != "":
		return snapshot.MarkBad
	case t.Cause != "" && t.State == snapshot.TaskDelayed || t.Dropped:
		return snapshot.MarkWatch
	case d.old:
		return snapshot.MarkStale
	}
	return snapshot.MarkOK
}
