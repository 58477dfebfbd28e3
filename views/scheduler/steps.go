package scheduler

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
	"mqscope/keymap"
	"mqscope/views"
)

func ask1(c any) []views.Intent { return []views.Intent{views.Step{Command: c}} }

func goTo(step uint64) views.Intent { return views.Step{Command: command.Goto{Step: step}} }

func say(l views.Lit) []views.Intent {
	return []views.Intent{views.Toast{Level: snapshot.MarkWatch, Text: views.Own(l)}}
}

// steps handles what moves the consumer, and what is picked and typed for that. ok is false
// for other actions.
func (v *View) steps(st State, ev views.Event, f *facts) (_ State, ok bool, _ []views.Intent) {
	switch ev.Action {
	case keymap.StepOne, keymap.StepTask, keymap.StepBack, keymap.RunTo, keymap.RunUntil, keymap.Slower, keymap.Faster,
		keymap.BreakHere, keymap.Breakpoints, keymap.StepChange, keymap.PauseScreen, views.Picked, views.Entered:
	default:
		return st, false, nil
	}
	if !f.d.Stepping && !(f.remade() && onRecording(ev.Action)) {
		return st, true, nil
	}
	switch ev.Action {
	case keymap.StepOne:
		st.Step = 0
		return st, true, ask1(command.One{})
	case keymap.StepTask:
		st.Step = 0
		return st, true, ask1(command.Task{})
	case keymap.PauseScreen:
		if f.d.Running {
			return st, true, ask1(command.Pause{})
		}
		return st, true, ask1(command.Run{})
	case keymap.Slower:
		return st, true, ask1(command.Pace{Delta: -ev.Step()})
	case keymap.Faster:
		return st, true, ask1(command.Pace{Delta: ev.Step()})
	case keymap.StepBack:
		if !f.d.Virtual() {
			return st, true, nil
		}
		st.Step = 0
		return st, true, ask1(command.Back{N: ev.Step()})
	case keymap.RunTo:
		return st, true, v.runTo(st, ev, f)
	case keymap.RunUntil:
		st.asks = ask{what: askUntil}
		return st, true, []views.Intent{views.Input{Prompt: "until ", Terms: terms(), Submit: true, Note: "as flow.span, or span > 1500 && queue == 3"}}
	case keymap.BreakHere:
		return st, true, breakHere(st, ev, f)
	case keymap.Breakpoints:
		return st, true, []views.Intent{v.breakpoints(f)}
	case keymap.StepChange:
		if !f.d.Virtual() {
			return st, true, nil
		}
		return st, true, []views.Intent{v.changes(f)}
	case views.Picked:
		next, intents := v.picked(st, ev, f)
		return next, true, intents
	}
	next, intents := st.entered(ev.Text)
	return next, true, intents
}

// remade tells whether what is shown is a recording whose decisions are made again: it goes on to
// them and its breakpoints stop playing, all else of its moves is the transport's.
func (f *facts) remade() bool { return f.snap != nil && f.snap.Replay.Known && !f.snap.Replay.Inferred }

// onRecording tells whether an action works on such a recording: breakpoints, what to go on to, and
// answers to a question of these.
func onRecording(id keymap.ID) bool {
	switch id {
	case keymap.BreakHere, keymap.Breakpoints, keymap.RunTo, keymap.RunUntil, keymap.StepTask, views.Picked, views.Entered:
		return true
	}
	return false
}

// underCursor is the decision under the cursor of the lower pane, nil when that has not the
// keys or shows none.
func underCursor(st State, ev views.Event, f *facts) *entry {
	if ev.Focus == lowerPane && st.Mode != Lesson {
		rows := f.rows(st.Mode)
		if i := lineAt(rows, st.Step); i >= 0 && rows[i].line != nil {
			return &rows[i]
		}
	}
	return nil
}

// runTo runs to what the cursor is on: the next time that its line is reached, or the task's
// turn.
func (v *View) runTo(st State, ev views.Event, f *facts) []views.Intent {
	if e := underCursor(st, ev, f); e != nil {
		if e.line.Decision.Line == nil {
			return nil
		}
		return ask1(command.Until{Condition: e.line.Decision.Line.ID})
	}
	pos, _ := f.find(st)
	switch {
	case pos < 0:
		return say("There is no task to run to")
	case f.at(pos).ID == 0:
		return say("This queue has no task that could have a turn")
	}
	return ask1(command.Until{Task: f.at(pos).ID})
}

// breakHere sets a breakpoint where the cursor is, or takes the one away that is there.
func breakHere(st State, ev views.Event, f *facts) []views.Intent {
	set := command.SetBreakpoint{}
	if e := underCursor(st, ev, f); e != nil {
		if e.line.Decision.Line == nil {
			return nil
		}
		set.Text = e.line.Decision.Line.ID
	} else if pos, _ := f.find(st); pos >= 0 {
		set.Queue = f.at(pos).Queue
	} else {
		return say("There is no task to break on")
	}
	none := snapshot.MessageQueue{}
	for i := range f.d.Breakpoints {
		b := &f.d.Breakpoints[i]
		if set.Queue != none && b.Queue == set.Queue || set.Queue == none && b.Queue == none && b.Words == set.Text && b.Condition == "" {
			return ask1(command.Delete{Index: i, Words: b.Words})
		}
	}
	return ask1(set)
}

// Options of picks begin with what they are about.
const (
	pickNew    = "new"
	pickBreak  = "break\x00"
	pickToggle = "toggle\x00"
	pickDelete = "delete\x00"
	pickChange = "change\x00"
	pickStatus = "status\x00"
)

// breakpoints offers the breakpoints there are, and a new one.
func (v *View) breakpoints(f *facts) views.Pick {
	p := views.Pick{Title: "Breakpoints", Options: []views.Option{{ID: pickNew, Name: views.Own("new"), Note: views.Own("as in scripts: flow.span if span > 1500 && queue == 3")}}}
	for i := range f.d.Breakpoints {
		b := &f.d.Breakpoints[i]
		note := []views.Safe{views.Own("on, ")}
		if b.Off {
			note[0] = views.Own("off, ")
		}
		note = append(note, views.Total(b.Hits, false), views.Own(views.Plural(int(min(b.Hits, 2)), " hit", " hits")))
		if b.After > 0 {
			note = append(note, views.Own(", stops after "), views.Total(b.After, false))
		}
		if b.Note != "" {
			note = append(note, views.Own(", "), v.clean.Cell(b.Note))
		}
		name := v.breakName(b)
		if b.Name != "" && b.Words != "" {
			name = views.Join(v.clean.Cell(b.Name), views.Own(": "), name)
		}
		p.Options = append(p.Options, views.Option{ID: pickBreak + strconv.Itoa(i) + "\x00" + b.Words, Name: name, Note: views.Join(note...)})
	}
	return p
}

// place is the breakpoint that an option is about; ok is false when the list has changed.
func (f *facts) place(id string) (index int, words string, ok bool) {
	n, words, _ := strings.Cut(id, "\x00")
	index, err := strconv.Atoi(n)
	return index, words, err == nil && index >= 0 && index < len(f.d.Breakpoints) && f.d.Breakpoints[index].Words == words
}

// picked takes what was chosen from a list.
func (v *View) picked(st State, ev views.Event, f *facts) (State, []views.Intent) {
	if ev.Text == pickNew {
		st.asks = ask{what: askBreakpoint}
		return st, []views.Intent{views.Input{Prompt: "break ", Terms: terms(), Submit: true, Note: "a line, and if you like: if span > 1500 && queue == 3"}}
	}
	for _, kind := range [...]string{pickBreak, pickToggle, pickDelete} {
		id, ok := strings.CutPrefix(ev.Text, kind)
		if !ok {
			continue
		}
		i, words, there := f.place(id)
		switch {
		case !there:
			return st, say("That breakpoint is not there any more")
		case kind == pickToggle:
			return st, ask1(command.Toggle{Index: i, Words: words})
		case kind == pickDelete:
			return st, ask1(command.Delete{Index: i, Words: words})
		}
		turn := views.Lit("switch off")
		if f.d.Breakpoints[i].Off {
			turn = "switch on"
		}
		return st, []views.Intent{views.Pick{Title: "This breakpoint", Options: []views.Option{
			{ID: pickToggle + id, Name: views.Own(turn)}, {ID: pickDelete + id, Name: views.Own("delete")}}}}
	}
	return v.changed(st, ev, f)
}

// entered takes what was typed.
func (st State) entered(text string) (State, []views.Intent) {
	a := st.asks
	st.asks = ask{}
	text = strings.TrimSpace(text)
	if text == "" {
		return st, nil
	}
	c := command.Change{Queue: a.queue, Task: a.task}
	switch a.what {
	case askNothing:
		return st, nil
	case askBreakpoint:
		return st, ask1(command.SetBreakpoint{Text: text})
	case askUntil:
		st.Step = 0
		return st, ask1(command.Until{Condition: text})
	case askDelay:
		c.What = command.DelayTask
	case askHang:
		c.What = command.HangHandler
	case askAdvance:
		c.What = command.Advance
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return st, say("That is no length of time; write it as 500ms, 3s or 2m")
	}
	c.For = d
	return st, ask1(c)
}

// terms complete what is typed as a breakpoint: the lines there are, by their ids.
func terms() []string {
	var out []string
	for _, l := range decision.Lines() {
		out = append(out, l.ID)
	}
	return slices.Compact(out)
}
