package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
	"mqscope/views/transport"
)

// replaying tells whether a recording is shown.
func (m *model) replaying() bool { return m.latest != nil && m.latest.Replay.Known }

// dockLines is how many lines the events around the position of a recording take.
func (m *model) dockLines() int {
	if !m.replaying() || m.alone || m.stack.top().zoomed {
		return 0
	}
	return transport.Height(m.w, m.h)
}

// taken tells whether an action does not work while a recording is shown: its keys do something
// else, or it changes something.
func (m *model) taken(id keymap.ID) bool {
	a, ok := m.cfg.Keys.Find(id)
	return ok && (a.Changing() || m.cfg.Keys.Hidden(&a))
}

// play asks whoever plays the recording for something.
func (m *model) play(cmd any) {
	if !m.replaying() {
		m.toast(snapshot.MarkWatch, views.Own("No recording is shown here"))
		return
	}
	m.cfg.Source.Do(cmd)
}

// transport carries out an action of the transport; it reports false for others.
func (m *model) transport(id keymap.ID) bool {
	var cmd any
	switch id {
	case keymap.ReplayPlay:
		cmd = command.Play{Stop: m.replaying() && m.latest.Replay.Playing}
	case keymap.ReplayStep:
		cmd = m.oneStep(command.Step{N: 1})
	case keymap.ReplayBack:
		cmd = m.oneStep(command.Step{N: -1})
	case keymap.ReplaySlower:
		cmd = command.Speed{Delta: -1}
	case keymap.ReplayFaster:
		cmd = command.Speed{Delta: 1}
	case keymap.ReplayBefore:
		cmd = command.Interest{Back: true}
	case keymap.ReplayAfter:
		cmd = command.Interest{}
	case keymap.ReplayMark:
		m.askNote()
		return true
	case keymap.ReplayLines:
		m.alone = !m.alone
		return true
	default:
		return false
	}
	m.play(cmd)
	return true
}

// oneStep is a step of an event, and on the Scheduler screen, which shows decisions, of one decision.
func (m *model) oneStep(s command.Step) any {
	if m.stack.top().view.ID() != "scheduler" || m.latest == nil || m.latest.Replay.Inferred {
		return s
	}
	return command.Decision{Back: s.N < 0}
}

// askNote asks for the note of a bookmark where the recording stands. It does not play on while
// that is typed: the bookmark is meant for what was seen.
func (m *model) askNote() {
	if !m.replaying() {
		return
	}
	r := &m.latest.Replay
	mark, note := command.Mark{}, views.Lit("enter sets a bookmark here, esc does not")
	for _, b := range r.Bookmarks {
		if b.Event == r.Event {
			mark, note = command.Mark{Number: b.Number, Note: b.Note}, "the note of the bookmark that is here"
		}
	}
	goOn := func(*model) {}
	if r.Playing {
		m.play(command.Play{Stop: true})
		goOn = func(m *model) { m.play(command.Play{}) }
	}
	m.input = newInput(views.Input{Prompt: "note ", Text: mark.Note, Submit: true, Note: note})
	m.input.left = goOn
	m.input.done = func(m *model, text string) tea.Cmd {
		m.play(command.Mark{Number: mark.Number, Note: text})
		goOn(m)
		return nil
	}
}

// replayed tells what a new picture of a recording says beside what it shows.
func (m *model) replayed(before, now *snapshot.Snapshot) {
	r := &now.Replay
	if !r.Known {
		return
	}
	var was snapshot.Replay
	if before != nil {
		was = before.Replay
	}
	if was.Known {
		m.marksChanged(was.Bookmarks, r.Bookmarks)
	}
	if r.Note != "" && r.Noted != was.Noted {
		m.toast(snapshot.MarkWatch, capital(m.clean, r.Note))
	}
}

// marksChanged says that a bookmark was set or taken away.
func (m *model) marksChanged(before, now []snapshot.Bookmark) {
	find := func(list []snapshot.Bookmark, n int) *snapshot.Bookmark {
		i := slices.IndexFunc(list, func(b snapshot.Bookmark) bool { return b.Number == n })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	say := func(n int, what views.Lit) {
		m.toast(snapshot.MarkOK, views.Join(views.Own("Bookmark "), views.Exact(int64(n)), views.Own(what)))
	}
	for _, b := range now {
		switch old := find(before, b.Number); {
		case old == nil:
			say(b.Number, " is set")
		case old.Note != b.Note:
			say(b.Number, " has another note")
		}
	}
	for _, b := range before {
		if find(now, b.Number) == nil {
			say(b.Number, " is taken away")
		}
	}
}

// records tells whether what is shown is recorded.
func (m *model) records() bool {
	return m.latest != nil && m.latest.Recorder.On && m.latest.Source.State != snapshot.Ended
}

// recorded tells that a recording to a file began or ended, and of one that ended by itself.
func (m *model) recorded(before, now *snapshot.Recorder) {
	was, is := before.On && !before.Box, now.On && !now.Box
	if saved := now.Saved; saved.Times != before.Saved.Times {
		m.savedBox(saved)
	}
	switch {
	case now.Err != "" && now.Err != before.Err:
		m.toast(snapshot.MarkBad, views.Join(views.Own("Recording ended: "), m.clean.Cell(now.Err)))
	case is && (!was || now.File != before.File):
		m.toast(snapshot.MarkOK, views.Join(views.Own("Recording to "), m.clean.Cell(now.File), views.Own(", :stop ends it")))
	case was && !is:
		size := views.Bytes(max(before.Bytes, now.Bytes), false)
		m.toast(snapshot.MarkOK, views.Join(views.Own("Recorded "), size, views.Own(" to "), m.clean.Cell(before.File), leftOut(max(before.LeftOut, now.LeftOut))))
	}
}

// leftOut says how many messages a recording has not.
func leftOut(n int64) views.Safe {
	if n == 0 {
		return views.Own("")
	}
	return views.Join(views.Own(", without "), views.Count(n, false), views.Own(" messages that came too fast"))
}

// savedBox tells where the black box was saved to, and why if nobody asked for it.
func (m *model) savedBox(b snapshot.SavedBox) {
	if b.Why == "" {
		m.toast(snapshot.MarkOK, views.Join(views.Own("Black box saved to "), m.clean.Cell(b.File)))
		return
	}
	m.toast(snapshot.MarkBad, views.Join(m.clean.Cell(b.Why), views.Own(": black box saved to "), m.clean.Cell(b.File)))
}

// capital begins a sentence.
func capital(clean *views.Cleaner, text string) views.Safe {
	if text[0] >= 'a' && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	return clean.Cell(text)
}
