package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/views"
)

// maxInput is how many runes a line of text holds: a filter, not a page.
const maxInput = 1000

// input is a line of text that is being typed for the view on top.
type input struct {
	asked views.Input
	line  line
	// done takes the text instead of the view, once it is accepted; left is what follows when it
	// is not, may be nil.
	done func(m *model, text string) tea.Cmd
	left func(m *model)
	// note says what the text comes to, in place of the note that was asked for; may be nil.
	note func(text string) (note, bad views.Safe)
	// firstOnly says that only the first word is completed.
	firstOnly bool
}

func newInput(i views.Input) *input {
	return &input{asked: i, line: newLine(i.Text)}
}

// typed is the input as the status line shows it, with what the view says of it.
func (i *input) typed(top *place, in views.In) *views.Typed {
	t := &views.Typed{Prompt: i.asked.Prompt, Text: i.line.text(), Cursor: i.line.at()}
	if i.note != nil {
		t.Note, t.Bad = i.note(t.Text)
		return t
	}
	if i.asked.Submit {
		t.Note = views.Own(i.asked.Note)
		return t
	}
	if f, ok := top.view.(views.Filterer); ok {
		t.Note, t.Bad = f.FilterNote(in)
	}
	return t
}

// terms are the completions where the cursor is.
func (i *input) terms() []string {
	if text := []rune(i.line.text()); i.firstOnly && slices.Contains(text[:i.line.at()], ' ') {
		return nil
	}
	return i.asked.Terms
}

// edit changes the line and tells the view.
func (m *model) edit(change func(*line)) {
	before := m.input.line.text()
	change(&m.input.line)
	m.frame.touch()
	if now := m.input.line.text(); now != before && !m.input.asked.Submit {
		m.tell(views.Event{Action: views.SetFilter, Text: now})
	}
}

// actInput carries out an action while text is typed.
func (m *model) actInput(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.Quit:
		return m.leave(id)
	case keymap.InputAccept:
		return m.endInput(true)
	case keymap.InputCancel:
		return m.endInput(false)
	case keymap.Complete:
		m.edit(func(l *line) { l.complete(m.input.terms()) })
	}
	return nil
}

// endInput leaves the input. Without keep the text is what it was before.
func (m *model) endInput(keep bool) tea.Cmd {
	asked, text, done, left := m.input.asked, m.input.line.text(), m.input.done, m.input.left
	m.input = nil
	switch {
	case done != nil && keep:
		return done(m, text)
	case left != nil:
		left(m)
	case asked.Submit && keep:
		m.tell(views.Event{Action: views.Entered, Text: text})
	case asked.Submit:
	case !keep:
		m.tell(views.Event{Action: views.SetFilter, Text: asked.Text})
	}
	return nil
}

// inputKey does what a key that is no text does in a line.
func (m *model) inputKey(name string) {
	m.edit(func(l *line) {
		switch name {
		case " ":
			l.insert(' ')
		default:
			l.key(name)
		}
	})
}

// line is a line of text with a cursor: the field of Bubbles without its own drawing, since
// frames are drawn by views, and without its paste key, which would read the clipboard.
type line struct{ field textinput.Model }

func newLine(text string) line {
	f := textinput.New()
	f.CharLimit = maxInput
	none := key.NewBinding()
	f.KeyMap.Paste, f.KeyMap.AcceptSuggestion = none, none
	f.KeyMap.NextSuggestion, f.KeyMap.PrevSuggestion = none, none
	f.Focus()
	f.SetValue(text)
	return line{f}
}

// text is what was typed so far.
func (l *line) text() string { return l.field.Value() }

// at is how many runes stand before the cursor.
func (l *line) at() int { return l.field.Position() }

// insert puts runes before the cursor. Breaks and tabs become blanks, other controls are
// left out, and so is what does not fit.
func (l *line) insert(runes ...rune) {
	l.field, _ = l.field.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: runes})
}

// key moves the cursor and deletes; a key that does neither is left alone.
func (l *line) key(name string) {
	if t, ok := editKey(name); ok {
		l.field, _ = l.field.Update(tea.KeyMsg{Type: t})
	}
}

// editKey is the type of a key that edits, by its name.
func editKey(name string) (tea.KeyType, bool) {
	for _, t := range [...]tea.KeyType{
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlA, tea.KeyCtrlE, tea.KeyCtrlLeft, tea.KeyCtrlRight,
		tea.KeyBackspace, tea.KeyCtrlH, tea.KeyDelete, tea.KeyCtrlD, tea.KeyCtrlW, tea.KeyCtrlU, tea.KeyCtrlK,
	} {
		if t.String() == name {
			return t, true
		}
	}
	return 0, false
}

// complete finishes the word before the cursor with the first term that begins with it, or
// replaces a whole term by the next one that shares its beginning up to : or a comparison.
func (l *line) complete(terms []string) {
	runes, at := []rune(l.text()), l.at()
	from := at
	for from > 0 && runes[from-1] != ' ' {
		from--
	}
	word, not := strings.CutPrefix(string(runes[from:at]), "!")
	next := nextTerm(terms, word)
	if next == "" {
		return
	}
	if not {
		next = "!" + next
	}
	l.field.SetValue(string(runes[:from]) + next + string(runes[at:]))
	l.field.SetCursor(from + len([]rune(next)))
}

func nextTerm(terms []string, word string) string {
	if at := slices.Index(terms, word); at >= 0 {
		head := word[:strings.IndexAny(word+":", ":<>")]
		for i := 1; i < len(terms); i++ {
			if t := terms[(at+i)%len(terms)]; strings.HasPrefix(t, head) {
				return t
			}
		}
		return ""
	}
	for _, t := range terms {
		if strings.HasPrefix(t, word) {
			return t
		}
	}
	return ""
}
