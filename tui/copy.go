package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/overlay"
)

// copy puts text on the clipboard. Text with characters that do not show as they are is
// offered in forms that hold nothing hidden, since whoever pastes it would not see it.
func (m *model) copy(c views.CopyText) {
	hidden := 0
	if c.Hidden && len(c.Raw) <= maxClipboard {
		hidden = m.hiddenIn(c)
	}
	if hidden == 0 {
		m.clip(c.Raw, c.Shown)
		return
	}
	m.push(&layer{Overlay: overlay.NewPicker(overlay.CopyPick()), taken: func(m *model, r overlay.Result) tea.Cmd {
		text := overlay.CopyAs(r.Choice, c)
		m.clip(text, m.clean.Cell(text))
		return nil
	}})
	m.toast(snapshot.MarkWatch, views.Join(views.Exact(int64(hidden)),
		views.Own(views.Plural(hidden, " character does not show as it is: ", " characters do not show as they are: ")), c.Shown))
}

// hiddenIn counts the characters of a text that do not show as they are. The text as shown
// also counts as hidden when it was merely too long to show.
func (m *model) hiddenIn(c views.CopyText) int {
	if strings.ContainsAny(c.Raw, "\t\n") {
		return c.Shown.Hidden()
	}
	lines, rest := m.clean.Body([]byte(c.Raw))
	if rest > 0 {
		return c.Shown.Hidden()
	}
	n := 0
	for _, l := range lines {
		n += l.Hidden()
	}
	return n
}

// clip sends text to the terminal's clipboard. Whether the terminal takes it can not be
// known: the toast says how it was sent.
func (m *model) clip(text string, shown views.Safe) {
	sequence, ok := clipboardSequence(text)
	if !ok {
		m.toast(snapshot.MarkWarn, views.Join(views.Exact(int64(len(text))), views.Own(" bytes are too many for the clipboard, "),
			views.Exact(maxClipboard), views.Own(" are sent at most")))
		return
	}
	if _, err := m.write([]byte(sequence)); err != nil {
		m.toast(snapshot.MarkBad, views.Join(views.Own("The terminal took no clipboard text: "), m.clean.Cell(err.Error())))
		return
	}
	m.toast(snapshot.MarkOK, views.Join(views.Own("Copied "), shown.Middle(max(m.w-30, 10), m.theme.Glyphs), views.Own(" (OSC 52)")))
}
