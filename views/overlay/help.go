package overlay

import (
	"strings"

	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// Help lists the keys that work in a place. Typing filters, accepting runs the action.
type Help struct {
	title    views.Lit
	groups   []keymap.HelpGroup
	off      map[keymap.ID]views.Lit
	problems []keymap.Problem
	log      string
	text     string
	sel      int
}

// NewHelp is the help of a place: off says what does not work now and why, problems which
// entries of the configuration were not used, log where the log file is.
func NewHelp(title views.Lit, keys *keymap.Map, at keymap.Place, off []views.Off, problems []keymap.Problem, log string) Help {
	h := Help{title: title, groups: keys.HelpGroups(at), off: map[keymap.ID]views.Lit{}, problems: problems, log: log}
	for _, o := range off {
		h.off[o.ID] = o.Why
	}
	return h
}

// TakesText implements Overlay.
func (h Help) TakesText() bool { return true }

// line is a heading or an action.
type line struct {
	head   string
	action *keymap.Action
	note   string
}

// lines are what passes the typed text; n is how many of them are actions.
func (h Help) lines() (out []line, n int) {
	for g := range h.groups {
		var in []line
		for i := range h.groups[g].Actions {
			a := &h.groups[g].Actions[i]
			if h.matches(a) {
				in = append(in, line{action: a})
			}
		}
		if len(in) > 0 {
			out = append(out, line{head: h.groups[g].Group.String()})
			out = append(out, in...)
			n += len(in)
		}
	}
	if h.text == "" {
		for i, p := range h.problems {
			if i == 0 {
				out = append(out, line{head: "PROBLEMS in your configuration"})
			}
			out = append(out, line{note: p.String()})
		}
		if h.log != "" {
			out = append(out, line{head: "LOG"}, line{note: h.log})
		}
	}
	return out, n
}

func (h Help) matches(a *keymap.Action) bool {
	for _, t := range views.ParseFilter(h.text) {
		t.Value = t.Key + t.Op + t.Value // nothing here has columns, and keys are such signs
		hit := t.MatchText(a.Help) || t.MatchText(string(a.ID)) || t.MatchText(a.Label)
		for _, k := range a.Keys {
			hit = hit || strings.EqualFold(k, t.Value)
		}
		if hit == t.Not {
			return false
		}
	}
	return true
}

// chosen is the action under the cursor.
func (h Help) chosen() *keymap.Action {
	all, _ := h.lines()
	i := 0
	for _, l := range all {
		if l.action != nil {
			if i == h.sel {
				return l.action
			}
			i++
		}
	}
	return nil
}

// Render implements Overlay.
func (h Help) Render(in In) views.Box {
	g, clean := in.Theme.Glyphs, in.cleaner()
	lines, n := h.lines()
	full, _ := Help{groups: h.groups, problems: h.problems, log: h.log}.lines()
	cols := 1
	if in.W >= 110 {
		cols = 2
	}
	rows := (len(full) + cols) / cols
	width := 72
	if cols == 2 {
		width = 112
	}
	b := views.Center(min(in.W-4, width), min(rows+3, in.H-2), in.W, in.H)
	var canvas views.Canvas
	title := views.Spans{views.Say(themes.Title, "Help "), {Tok: themes.Faint, Text: views.Sign(g.Dot)}, views.Say(themes.None, " "), views.Say(themes.Text, h.title), views.Say(themes.Muted, ", keys that work here")}
	inner := frame(&canvas, b, title, escNote(in, clean, keymap.InputCancel), g)
	body := inner.Above(1)
	h.body(body, lines, cols, in, clean)
	l := inner.Line(inner.H - 1)
	l.Put(themes.Muted, "type to search: ").Text(themes.Text, clean.Cell(h.text).Tail(max(l.Left()-24, 1), g)).Put(themes.Match, "_")
	l.Right(views.Span{Tok: themes.Muted, Text: views.Exact(int64(n))}, views.Say(themes.Muted, views.Plural(n, " action", " actions")))
	return finish(&canvas, b, in.Theme)
}

// body draws the lines in columns, from top to bottom and then from left to right.
func (h Help) body(a views.Area, lines []line, cols int, in In, clean *views.Cleaner) {
	if a.H < 1 {
		return
	}
	lines = columns(lines, a.H)
	at, i := 0, 0
	for k, l := range lines {
		if l.action != nil {
			if i == h.sel {
				at = k
			}
			i++
		}
	}
	page := a.H * cols
	top := 0
	if len(lines) > page {
		top = views.TopFor(0, min(at+1, len(lines)-1), page, len(lines))
	}
	w := a.W / cols
	for k := top; k < len(lines) && k-top < page; k++ {
		x, y := (k-top)/a.H*w, (k-top)%a.H
		h.draw(a.Sub(x, y, w-1, 1), lines[k], k == at && lines[k].action != nil, in, clean)
	}
}

// columns puts a blank line where a heading would end a column of n lines.
func columns(lines []line, n int) []line {
	var out []line
	for _, l := range lines {
		if l.head != "" && len(out)%n == n-1 {
			out = append(out, line{})
		}
		out = append(out, l)
	}
	return out
}

func (h Help) draw(a views.Area, ln line, sel bool, in In, clean *views.Cleaner) {
	g := in.Theme.Glyphs
	l := a.Line(0)
	switch {
	case ln.head != "":
		l.Text(themes.Title, clean.Cell(ln.head))
		return
	case ln.action == nil:
		l.Space(1).Text(themes.Text, clean.Cell(ln.note).Cut(max(l.Left(), 1), g))
		return
	}
	act := ln.action
	if sel {
		a.Shade(0, themes.Select)
		l.Glyph(themes.Title, g.Cursor)
	}
	l.To(1)
	why, off := h.off[act.ID]
	tok := themes.Key
	if off {
		tok = themes.Faint
	}
	for _, k := range act.Keys {
		name := views.KeyName(clean.Cell(k), g)
		if l.At()+name.Width() > 12 && l.At() > 1 {
			break
		}
		l.Text(tok, name).Space(1)
	}
	l.To(max(13, l.At()))
	if act.Changing() {
		l.Put(themes.Danger, "(!) ")
	}
	if off {
		l.Put(themes.Faint, "off: ").Text(themes.Faint, views.Own(why).Cut(max(l.Left(), 1), g))
	} else {
		l.Text(themes.Text, clean.Cell(act.Help).Cut(max(l.Left(), 1), g))
	}
	a.Hit(0, 0, a.W, 1, views.Hit{Action: views.Point, Text: string(act.ID)})
}

// Reduce implements Overlay.
func (h Help) Reduce(ev views.Event) (Overlay, Result) {
	_, n := h.lines()
	switch ev.Action {
	case keymap.Cancel, keymap.InputCancel:
		return h, Result{Done: true}
	case views.SetFilter:
		h.text, h.sel = ev.Text, 0
		return h, Result{}
	case keymap.Up, keymap.InputUp, views.WheelUp:
		h.sel -= ev.Step()
	case keymap.Down, keymap.InputDown, views.WheelDown:
		h.sel += ev.Step()
	case views.Point:
		all, _ := h.lines()
		i := 0
		for _, l := range all {
			if l.action != nil {
				if string(l.action.ID) == ev.Text {
					h.sel = i
				}
				i++
			}
		}
	case keymap.Accept, keymap.InputAccept:
		a := h.chosen()
		if a == nil {
			return h, Result{}
		}
		if _, off := h.off[a.ID]; off {
			return h, Result{}
		}
		return h, Result{Done: true, Accepted: true, Run: a.ID}
	}
	h.sel = min(max(h.sel, 0), max(n-1, 0))
	return h, Result{}
}
