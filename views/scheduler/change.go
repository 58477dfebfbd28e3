package scheduler

import (
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
	"mqscope/views"
)

// changes offers what can be changed of what comes next; it is about the task under the
// cursor where it is about one.
func (v *View) changes(f *facts) views.Pick {
	p := views.Pick{Title: "Change what comes next"}
	for _, c := range [...]struct {
		what command.What
		note views.Lit
	}{
		{command.DelayTask, "the task of the cursor waits as long as you say"},
		{command.FailPull, "its next pull fails"},
		{command.AnswerPull, "its next pull is answered with a status of your choice"},
		{command.HangHandler, "the next call of the handler takes as long as you say"},
		{command.FailHandler, "the next call of the handler fails"},
		{command.ExpireLock, "the broker's lock of its queue is free at once"},
		{command.MemberJoins, "one member more in the group"},
		{command.MemberLeaves, "one member fewer in the group"},
		{command.Advance, "the clock goes on as far as you say"},
	} {
		if c.what == command.ExpireLock && !f.snap.Group.Orderly {
			continue
		}
		p.Options = append(p.Options, views.Option{ID: pickChange + string(c.what), Name: v.clean.Cell(string(c.what)), Note: views.Own(c.note)})
	}
	return p
}

// statuses are what a pull can be answered, as Java calls them.
func statuses() []views.Option {
	var out []views.Option
	for _, s := range [...]struct{ name, note views.Lit }{
		{"NO_NEW_MSG", "nothing beyond the offset"},
		{"NO_MATCHED_MSG", "messages, but none of ours"},
		{"OFFSET_ILLEGAL", "the offset is outside of the queue"},
		{"FLOW_CONTROL", "the broker has too much to do"},
		{"SYSTEM_ERROR", "the broker failed"},
	} {
		out = append(out, views.Option{ID: pickStatus + string(s.name), Name: views.Own(s.name), Note: views.Own(s.note)})
	}
	return out
}

// changed takes a change that was picked, and asks for what it lacks.
func (v *View) changed(st State, ev views.Event, f *facts) (State, []views.Intent) {
	c := command.Change{}
	if pos, _ := f.find(st); pos >= 0 {
		c.Queue, c.Task = f.at(pos).Queue, f.at(pos).ID
	}
	if !f.d.Virtual() {
		return st, nil
	}
	if status, ok := strings.CutPrefix(ev.Text, pickStatus); ok {
		c.What, c.Status = command.AnswerPull, status
		return st, needsTask(c)
	}
	what, ok := strings.CutPrefix(ev.Text, pickChange)
	if !ok {
		return st, nil
	}
	c.What = command.What(what)
	length := func(a asking, prompt views.Lit, text string) (State, []views.Intent) {
		if a != askAdvance && c.Queue == (snapshot.MessageQueue{}) {
			return st, needsTask(c)
		}
		st.asks = ask{what: a, queue: c.Queue, task: c.Task}
		if a == askAdvance {
			st.asks = ask{what: a}
		}
		return st, []views.Intent{views.Input{Prompt: prompt, Text: text, Submit: true, Note: "a length of time, as 500ms, 3s or 2m"}}
	}
	switch c.What {
	case command.DelayTask:
		return length(askDelay, "delay the task by ", "500ms")
	case command.HangHandler:
		return length(askHang, "the handler takes ", "1m")
	case command.Advance:
		return length(askAdvance, "advance the clock by ", "1s")
	case command.AnswerPull:
		return st, []views.Intent{views.Pick{Title: "Answer the next pull with", Options: statuses()}}
	case command.MemberJoins, command.MemberLeaves:
		return st, ask1(command.Change{What: c.What})
	case command.FailPull, command.FailHandler, command.ExpireLock:
		return st, needsTask(c)
	}
	return st, nil
}

// needsTask asks for a change that is about a task, if there is one.
func needsTask(c command.Change) []views.Intent {
	if c.Queue == (snapshot.MessageQueue{}) {
		return say("There is no task under the cursor to change something of")
	}
	return ask1(c)
}
