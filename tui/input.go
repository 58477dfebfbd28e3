package tui

import (
	"slices"
	"strings"
	"unicode"

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
}

func newInput(i views.Input) *input {
	in := &input{asked: i}
	in.line.insert([]rune(i.Text)...)
	return in
}

// typed is the input as the status line shows it, with what the view says of it.
func (i *input) typed(top *place, in views.In) *views.Typed {
	t := &views.Typed{Prompt: i.asked.Prompt, Text: string(i.line.text), Cursor: i.line.at}
	if f, ok := top.view.(views.Filterer); ok {
		t.Note, t.Bad = f.FilterNote(in)
	}
	return t
}

// edit changes the line and tells the view.
func (m *model) edit(change func(*line)) {
	before := string(m.input.line.text)
	change(&m.input.line)
	m.frame.touch()
	if now := string(m.input.line.text); now != before {
		m.tell(views.Event{Action: views.SetFilter, Text: now})
	}
}

// actInput carries out an action while text is typed.
func (m *model) actInput(id keymap.ID) tea.Cmd {
	switch id {
	case keymap.Quit:
		return m.leave(id)
	case keymap.InputAccept:
		m.endInput(true)
	case keymap.InputCancel:
		m.endInput(false)
	}
	return nil
}

// endInput leaves the input. Without keep the text is what it was before.
func (m *model) endInput(keep bool) {
	asked := m.input.asked
	m.input = nil
	if !keep {
		m.tell(views.Event{Action: views.SetFilter, Text: asked.Text})
	}
}

// editKey does what a key that is no text does in a line.
func (m *model) editKey(key string) {
	m.edit(func(l *line) {
		switch key {
		case " ":
			l.insert(' ')
		case "tab":
			l.complete(m.input.asked.Terms)
		default:
			l.key(key)
		}
	})
}

// line is a line of text with a cursor.
type line struct {
	text []rune
	at   int // runes before the cursor
}

// insert puts runes before the cursor. Breaks and tabs become blanks, other controls are
// left out, and so is what does not fit.
func (l *line) insert(runes ...rune) {
	clean := make([]rune, 0, min(len(runes), maxInput))
	for _, r := range runes {
		if len(l.text)+len(clean) >= maxInput {
			break
		}
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			clean = append(clean, ' ')
		case !unicode.IsControl(r) && r != unicode.ReplacementChar:
			clean = append(clean, r)
		}
	}
	l.text = slices.Insert(l.text, l.at, clean...)
	l.at += len(clean)
}

// key moves the cursor and deletes.
func (l *line) key(key string) {
	switch key {
	case "left":
		l.at = max(l.at-1, 0)
	case "right":
		l.at = min(l.at+1, len(l.text))
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.text)
	case "ctrl+left":
		l.at = l.wordStart()
	case "ctrl+right":
		l.at = l.wordEnd()
	case "backspace", "ctrl+h":
		l.cut(max(l.at-1, 0), l.at)
	case "delete", "ctrl+d":
		l.cut(l.at, min(l.at+1, len(l.text)))
	case "ctrl+w":
		l.cut(l.wordStart(), l.at)
	case "ctrl+u":
		l.cut(0, l.at)
	case "ctrl+k":
		l.cut(l.at, len(l.text))
	}
}

func (l *line) cut(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.at = from
}

func (l *line) wordStart() int {
	i := l.at
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}

func (l *line) wordEnd() int {
	i := l.at
	for i < len(l.text) && l.text[i] == ' ' {
		i++
	}
	for i < len(l.text) && l.text[i] != ' ' {
		i++
	}
	return i
}

// complete finishes the word before the cursor with the first term that begins with it, or
// replaces a whole term by the next one that shares its beginning up to : or a comparison.
func (l *line) complete(terms []string) {
	from := l.wordStart()
	word := string(l.text[from:l.at])
	not := strings.HasPrefix(word, "!")
	word = strings.TrimPrefix(word, "!")
	next := nextTerm(terms, word)
	if next == "" {
		return
	}
	if not {
		next = "!" + next
	}
	l.cut(from, l.at)
	l.insert([]rune(next)...)
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
