package tui

import (
	"encoding/base64"
	"encoding/hex"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
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
	g := m.theme.Glyphs
	give := func(text string) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd {
			m.clip(text, m.clean.Cell(text))
			return nil
		}
	}
	m.push(&dialog{
		title: "Copy",
		lines: []views.Spans{
			{{Tok: themes.Text, Text: c.Shown.Cut(60, g)}},
			{{Tok: themes.Watch, Text: views.Join(views.Sign(g.Watch), views.Own(" "), views.Exact(int64(hidden)),
				views.Own(views.Plural(hidden, " character of it does not show as it is,", " characters of it do not show as they are,")))}},
			{views.Say(themes.Text, "  and could act where it is pasted.")},
		},
		buttons: []button{
			{label: "Cancel"}, {label: "As shown", do: give(c.Shown.String())},
			{label: "Hex", do: give(hex.EncodeToString([]byte(c.Raw)))},
			{label: "Base64", do: give(base64.StdEncoding.EncodeToString([]byte(c.Raw)))},
		},
	})
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
