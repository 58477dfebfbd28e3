package tui

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// How long a toast stays. A bad one stays until a key is pressed.
const (
	toastOK   = 3 * time.Second
	toastWarn = 6 * time.Second
)

// toasts is the sentence in the status line. A newer one replaces an older one, but not a
// bad one that nobody has seen yet.
type toasts struct {
	now     *views.Note
	expires time.Time // zero: when a key is pressed
}

func (m *model) toast(level snapshot.Mark, text views.Safe) {
	t := &m.toasts
	if t.now != nil && t.now.Level == snapshot.MarkBad && level != snapshot.MarkBad {
		return
	}
	t.now, t.expires = &views.Note{Level: level, Text: text}, m.now().Add(toastOK)
	switch level {
	case snapshot.MarkBad:
		t.expires = time.Time{}
	case snapshot.MarkWarn:
		t.expires = m.now().Add(toastWarn)
	}
	m.frame.touch()
}

// hit tells that a run was stopped, and by what, on whichever view is on top.
func (m *model) hit(before, now snapshot.SchedHit) {
	if now == before || now.Step == 0 || now.Why == "" {
		return
	}
	level := snapshot.MarkWarn
	if now.Bad {
		level = snapshot.MarkBad
	}
	if m.cfg.Bell {
		_, _ = m.write([]byte{'\a'}) // a terminal that is gone is noticed by the next frame
	}
	m.toast(level, views.Join(views.Own("Stopped at step "), views.Total(now.Step, true), views.Own(": "), m.clean.Cell(now.Why)))
}

// acknowledge takes a key as sign that a bad toast was read.
func (t *toasts) acknowledge() {
	if t.now != nil && t.expires.IsZero() {
		t.now = nil
	}
}

func (t *toasts) expire(now time.Time) {
	if t.now != nil && !t.expires.IsZero() && !now.Before(t.expires) {
		t.now = nil
	}
}

// until is when the toast goes by itself, zero for never.
func (t *toasts) until() time.Time {
	if t.now == nil {
		return time.Time{}
	}
	return t.expires
}

func (t *toasts) note() *views.Note { return t.now }
