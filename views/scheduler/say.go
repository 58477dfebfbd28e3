package scheduler

import (
	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// say fills what is told beside the picture.
func (d *drawing) say(out *views.Out) {
	g := d.in.Theme.Glyphs
	out.Mark = d.mark()
	out.Panes = d.lay.panes(d.f.traced)
	for i := range d.d.Outside {
		if left := d.d.Outside[i].Until.Sub(d.in.Now); left > 0 && left < views.LeaseSoon {
			out.Tick = countdown
		}
	}
	if d.in.Focus == lowerPane && d.f.traced && d.st.Mode != Lesson {
		rows := d.f.rows(d.st.Mode)
		if i := lineAt(rows, d.st.Step); i >= 0 && rows[i].line != nil {
			out.Spoken = views.Join(views.Own("Decision "), views.Total(rows[i].step, true), views.Own(": "), d.clean.Cell(decision.Words(&rows[i].line.Decision)), views.Own("."))
		}
	}
	if d.pos < 0 {
		if out.Spoken.Empty() {
			out.Spoken = views.Own("Scheduler. No task.")
		}
		return
	}
	t := d.f.at(d.pos)
	name, mark := d.clean.QueueName(t.Queue, d.f.short), d.markOf(t)
	out.Worst = views.Spans{views.MarkSpan(mark, g), views.Say(themes.None, " "), {Tok: views.MarkToken(mark), Text: views.Join(number(t.ID), views.Own(" "), name.Middle(32, g))}}
	switch {
	case t.Wrong != "":
		out.Worst = append(out.Worst, views.Say(themes.None, "  "), views.Span{Tok: themes.Bad, Text: d.clean.Cell(t.Wrong)})
	case t.Cause != "":
		out.Worst = append(out.Worst, views.Say(themes.None, "  "), views.Span{Tok: themes.Warn, Text: views.Join(views.Own("!"), d.clean.Cause(string(t.Cause)))})
	}
	if out.Spoken.Empty() {
		out.Spoken = views.Join(views.Own("Task "), number(t.ID), views.Own(" of "), d.clean.FullName(t.Queue), views.Own(", "), d.state(t).Text,
			views.Own(" "), d.due(t).Text, views.Own(", why "), d.why(t).Text, views.Own(", "), views.Own(views.MarkWord(mark)), views.Own("."))
	}
}

// watching are the keys of a screen that steps nothing.
func watching() []keymap.ID {
	return []keymap.ID{keymap.Open, keymap.Related, keymap.Next, keymap.PauseScreen, keymap.Zoom, keymap.Copy, keymap.PauseConsume, keymap.Theme}
}

// elsewhere are the keys where there is no task to do something about.
func elsewhere() []keymap.ID {
	return []keymap.ID{keymap.ViewQueues, keymap.ViewEvents, keymap.PauseScreen, keymap.Theme}
}

// keys says which keys work, and why others do not.
func (d *drawing) keys(out *views.Out) {
	out.ReadOnly(d.in.Snap)
	if !d.d.Stepping {
		out.Keys = watching()
		ids := []keymap.ID{keymap.StepOne, keymap.StepBack, keymap.Slower, keymap.Faster, keymap.StepChange}
		if works := []keymap.ID{keymap.RunTo, keymap.RunUntil, keymap.StepTask, keymap.BreakHere, keymap.Breakpoints}; d.f.remade() {
			out.Keys = append(works, out.Keys...)
		} else {
			ids = append(ids, works...)
		}
		for _, id := range ids {
			out.Off = append(out.Off, views.Off{ID: id, Why: whyNoSteps(d.in.Snap)})
		}
		if d.empty() {
			out.Keys = elsewhere()
		}
		return
	}
	out.Keys = []keymap.ID{keymap.StepOne}
	if d.d.Virtual() {
		out.Keys = append(out.Keys, keymap.StepBack)
	}
	out.Keys = append(out.Keys, keymap.PauseScreen, keymap.RunTo, keymap.BreakHere, keymap.Mode, keymap.NextPane, keymap.StepTask)
	if d.d.Virtual() {
		out.Keys = append(out.Keys, keymap.StepChange)
	} else {
		for _, id := range []keymap.ID{keymap.StepBack, keymap.StepChange} {
			out.Off = append(out.Off, views.Off{ID: id, Why: "only on virtual time: a live cluster goes on by itself"})
		}
	}
	out.Keys = append(out.Keys, keymap.Breakpoints, keymap.RunUntil, keymap.Slower, keymap.Faster, keymap.PointBefore, keymap.PointAfter,
		keymap.Open, keymap.Related, keymap.Next, keymap.Zoom, keymap.Copy, keymap.PauseConsume, keymap.Theme)
	out.Label = map[keymap.ID]views.Lit{keymap.PauseScreen: "run", keymap.Mode: d.nextMode()}
	if d.d.Running {
		out.Label[keymap.PauseScreen] = "pause"
	}
	if d.in.Focus == lowerPane && d.d.Virtual() {
		out.Label[keymap.Open] = "go there"
	}
}

// whyNoSteps is why the consumer is not stepped here.
func whyNoSteps(s *snapshot.Snapshot) views.Lit {
	switch {
	case s.Replay.Inferred:
		return "no decision is known of what was seen on the wire"
	case s.Replay.Known:
		return "what was recorded can not be changed"
	}
	return "nobody steps this consumer: start with --step"
}

// nextMode is what the key for modes turns to.
func (d *drawing) nextMode() views.Lit {
	switch d.st.next(d.d, d.lay) {
	case History:
		return "history"
	case Lesson:
		return "lesson"
	}
	return "trace"
}
