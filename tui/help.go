package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// help lists the keys that work in the view below it. What is typed narrows the list, enter
// carries out the action under the cursor.
type help struct {
	name    views.Safe // of the view
	rows    []helpRow  // all
	found   []int      // rows that the text leaves
	text    line
	at, top int // into found
	shown   int
	foot    []views.Spans

	canvas views.Canvas
}

// helpRow is a heading, or an action when id is set.
type helpRow struct {
	head views.Safe
	id   keymap.ID
	keys views.Safe
	help views.Safe
	why  views.Lit // why it does not work now
	find string    // what typed text is looked for in
}

func (m *model) openHelp() {
	top := m.stack.top()
	h := &help{name: m.clean.Cell(top.view.Place().Names()[0])}
	for _, g := range m.cfg.Keys.HelpGroups(top.view.Place()) {
		h.rows = append(h.rows, helpRow{head: m.clean.Cell(g.Group.String())})
		for _, a := range g.Actions {
			h.rows = append(h.rows, m.helpRow(a))
		}
	}
	for _, p := range m.cfg.KeyProblems {
		h.foot = append(h.foot, views.Spans{views.Say(themes.Bad, "problem  "), {Tok: themes.Text, Text: m.clean.Cell(p.String())}})
	}
	log := views.Own("nothing is logged; --log-file FILE writes a log")
	if m.cfg.LogPath != "" {
		log = m.clean.Cell(m.cfg.LogPath)
	}
	h.foot = append(h.foot, views.Spans{views.Say(themes.Muted, "log      "), {Tok: themes.Text, Text: log}})
	h.search()
	m.push(h)
}

func (m *model) helpRow(a keymap.Action) helpRow {
	g := m.theme.Glyphs
	r := helpRow{id: a.ID, help: m.clean.Cell(a.Help), why: m.off(a.ID)}
	for i, k := range a.Keys {
		if i > 0 {
			r.keys = views.Join(r.keys, views.Own(" "))
		}
		r.keys = views.Join(r.keys, views.KeyName(m.clean.Cell(k), g))
	}
	if a.Changing() {
		r.help = views.Join(views.Own("(!) "), r.help)
	}
	r.find = strings.ToLower(strings.Join(a.Keys, " ") + " " + a.Help + " " + a.Label + " " + string(a.ID))
	return r
}

// search finds the rows that hold what was typed; headings stay when something below them
// does. The cursor is put on the first action.
func (h *help) search() {
	want := strings.ToLower(string(h.text.text))
	h.found, h.at, h.top = h.found[:0], 0, 0
	head := -1
	for i, r := range h.rows {
		switch {
		case r.id == "":
			head = i
		case strings.Contains(r.find, want):
			if head >= 0 {
				h.found, head = append(h.found, head), -1
			}
			h.found = append(h.found, i)
		}
	}
	h.step(1, 0)
}

// step puts the cursor on the action at or after row at, in direction by.
func (h *help) step(by, at int) {
	for at >= 0 && at < len(h.found) {
		if h.rows[h.found[at]].id != "" {
			h.at = at
			return
		}
		at += by
	}
}

func (h *help) act(m *model, id keymap.ID) tea.Cmd {
	page, last := max(h.shown-1, 1), len(h.found)-1
	switch id {
	case keymap.Up:
		h.step(-1, h.at-1)
		if h.at <= 1 {
			h.top = 0
		}
	case keymap.Down:
		h.step(1, h.at+1)
	case keymap.Top:
		h.step(1, 0)
		h.top = 0
	case keymap.Bottom:
		h.step(-1, last)
	case keymap.HalfUp, keymap.PageUp:
		h.step(1, max(h.at-page, 0))
	case keymap.HalfDown, keymap.PageDown:
		h.step(-1, min(h.at+page, last))
	case keymap.Accept:
		if len(h.found) == 0 {
			return nil
		}
		m.closeOverlay()
		return m.act(h.rows[h.found[h.at]].id)
	}
	m.frame.touch()
	return nil
}

// cancel first takes the typed text back.
func (h *help) cancel(m *model) bool {
	if len(h.text.text) == 0 {
		return true
	}
	h.text = line{}
	h.search()
	m.frame.touch()
	return false
}

func (h *help) key(key string) {
	if key == " " {
		h.text.insert(' ')
		h.search()
		return
	}
	before := string(h.text.text)
	h.text.key(key)
	if string(h.text.text) != before {
		h.search()
	}
}

func (h *help) takesText() bool { return true }

// typed adds to the text; the question mark that opened help closes it again.
func (h *help) typed(m *model, r rune) {
	if r = keymap.Fold(r); r == '?' && len(h.text.text) == 0 {
		m.closeOverlay()
		return
	}
	h.text.insert(r)
	h.search()
}

func (h *help) pick(m *model, text string, double bool) tea.Cmd {
	for i, f := range h.found {
		if id := h.rows[f].id; id != "" && string(id) == text {
			h.at = i
			if double {
				return h.act(m, keymap.Accept)
			}
		}
	}
	m.frame.touch()
	return nil
}

func (h *help) draw(m *model, w, hh int) views.Box {
	g := m.theme.Glyphs
	box := views.Center(min(w-4, 92), min(len(h.rows)+len(h.foot)+3, hh-2), w, hh)
	title := views.Spans{{Tok: themes.Title, Text: views.Join(views.Own("Help "), views.Sign(g.Dot), views.Own(" "), h.name)},
		views.Say(themes.Muted, " (only keys that work here)")}
	note := views.Spans{views.Say(themes.Key, "enter"), views.Say(themes.KeyText, " does it  "), views.Say(themes.Key, "esc"), views.Say(themes.KeyText, " closes")}
	in := views.Pane{Title: title, Note: note, Focused: true, Boxed: true}.Draw(h.canvas.Reset(box.W, box.H), g)
	l := in.Line(0).Space(1).Put(themes.Key, "type to search: ").Text(themes.Text, m.clean.Cell(string(h.text.text)).Tail(max(in.W-40, 1), g))
	if len(h.found) == 0 {
		l.Space(2).Put(themes.Muted, "no key does that")
	}
	list := in.Below(1).Above(len(h.foot))
	h.list(list, g)
	for i, f := range h.foot {
		l := in.Line(in.H - len(h.foot) + i).Space(1)
		for _, s := range f {
			l.Text(s.Tok, s.Text.Cut(max(l.Left()-1, 0), g))
		}
	}
	box.Lines, box.Hits = h.canvas.Lines(m.theme), h.canvas.Hits()
	return box
}

func (h *help) list(a views.Area, g *themes.Glyphs) {
	h.shown = max(a.H, 1)
	if h.at == 1 {
		h.top = 0
	}
	h.top = views.TopFor(h.top, h.at, a.H, len(h.found))
	wide := 0
	for _, r := range h.rows {
		wide = max(wide, r.keys.Width())
	}
	wide = min(wide, max(a.W/3, 8))
	for y := range min(a.H, len(h.found)-h.top) {
		r := h.rows[h.found[h.top+y]]
		l := a.Line(y)
		if r.id == "" {
			l.Space(1).Text(themes.Title, r.head)
			continue
		}
		if h.top+y == h.at {
			a.Shade(y, themes.Select)
			l.Glyph(themes.Title, g.Cursor)
		}
		l.To(2).Text(themes.Key, r.keys.Cut(wide, g))
		l.To(4 + wide)
		if r.why == "" {
			l.Text(themes.Text, r.help.Cut(max(l.Left()-1, 1), g))
		} else {
			l.Text(themes.Faint, r.help.Cut(max(l.Left()-1, 1), g)).Space(1)
			l.Put(themes.Muted, "off: ").Put(themes.Muted, r.why)
		}
		a.Hit(0, y, a.W, 1, views.Hit{Action: views.Point, Text: string(r.id)})
	}
}
