package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/overlay"
)

// armedFor is how long changes may be made after they were armed.
const armedFor = 10 * time.Minute

// arms is until when changes may be made; the zero value is read-only.
type arms struct{ until time.Time }

// armed is until when changes may be made, zero when they may not.
func (m *model) armed() time.Time {
	if m.now().Before(m.arms.until) {
		return m.arms.until
	}
	return time.Time{}
}

// turnArms arms changes, or disarms them.
func (m *model) turnArms() {
	switch {
	case !m.armed().IsZero():
		m.disarm()
		m.toast(snapshot.MarkOK, views.Own("Disarmed: nothing can be changed"))
	case m.newest() == nil:
		m.toast(snapshot.MarkWatch, m.readOnly())
	default:
		m.arms.until = m.now().Add(armedFor)
		m.toast(snapshot.MarkWarn, views.Join(views.Own("Armed for 10 minutes; each change asks first. "),
			m.clean.Cell(m.cfg.Keys.KeyOf(keymap.Arm)), views.Own(" disarms")))
	}
}

// readOnly is why nothing can be changed when newest is nil.
func (m *model) readOnly() views.Safe {
	if m.replaying() {
		return views.Own("A recording can not be changed")
	}
	if m.cfg.ReadOnly {
		return views.Own("Started with --read-only always: nothing can be changed")
	}
	return views.Own("Nothing is driven here, so nothing can be changed")
}

func (m *model) disarm() { m.arms.until = time.Time{} }

// askRelease asks before the broker's lock of a queue is given back.
func (m *model) askRelease(q snapshot.MessageQueue) {
	s := m.newest()
	if s == nil || m.armed().IsZero() {
		m.toast(snapshot.MarkWatch, views.Join(views.Own("Not armed: "), m.clean.Cell(m.cfg.Keys.KeyOf(keymap.Arm)), views.Own(" arms changes first")))
		return
	}
	m.push(&layer{Overlay: overlay.NewConfirm(overlay.ReleaseLock(s, q, m.clean)), taken: func(m *model, _ overlay.Result) tea.Cmd {
		if m.armed().IsZero() { // it ran out while the question was open
			m.toast(snapshot.MarkWarn, views.Own("Not armed any more: nothing was sent"))
			return nil
		}
		m.cfg.Source.Do(engine.ReleaseLock{Queue: q})
		m.toast(snapshot.MarkOK, views.Own("Release asked for, Events tells when the lock went back"))
		return nil
	}})
}
