package tui

import (
	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// carryOut does what a view intends.
func (m *model) carryOut(i views.Intent) {
	switch i := i.(type) {
	case views.Open:
		m.open(i)
	case views.GoBack:
		m.back()
	case views.CopyText:
		m.copy(i)
	case views.Toast:
		m.toast(i.Level, i.Text)
	case views.Input:
		m.input = newInput(i)
	case views.Pick:
		m.pick(i)
	case views.ReleaseLock:
		m.askRelease(i.Queue)
	case views.Step:
		m.step(i)
	case views.Play:
		m.play(i.Command)
	case views.Watch:
		m.stack.top().watch = i.Queues
		m.watch()
	}
}

// step passes on what a person asks of whoever steps the consumer. A consumer that is driven
// on a live cluster is left alone where nothing may be changed.
func (m *model) step(i views.Step) {
	if s := m.latest; s != nil && !s.Sched.Virtual() && !m.replaying() && m.newest() == nil {
		m.toast(snapshot.MarkWatch, m.readOnly())
		return
	}
	m.cfg.Source.Do(i.Command)
}

func (m *model) open(o views.Open) {
	if !m.stack.open(o.View, o.Arg) {
		m.noView(o.View)
		return
	}
	m.arrived()
}

func (m *model) noView(id string) {
	m.toast(snapshot.MarkWarn, views.Join(views.Own("There is no view named "), m.clean.Cell(id)))
}

// watch asks the engine for details of the queues that are open, and of those that open views
// show in detail.
func (m *model) watch() {
	m.cfg.Source.Do(engine.Watch{Queues: m.stack.watched(), Locks: m.stack.top().view.ID() == "locks"})
}
