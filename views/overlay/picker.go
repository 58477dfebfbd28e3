package overlay

import (
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// Picker lets a person take one of some options.
type Picker struct {
	pick views.Pick
	sel  int
}

// NewPicker starts on the option in force.
func NewPicker(p views.Pick) Picker {
	k := Picker{pick: p}
	for i, o := range p.Options {
		if o.ID == p.Now {
			k.sel = i
		}
	}
	return k
}

// TakesText implements Overlay.
func (p Picker) TakesText() bool { return false }

// Render implements Overlay.
func (p Picker) Render(in In) views.Box {
	g, clean := in.Theme.Glyphs, in.cleaner()
	name, note := 8, 0
	for _, o := range p.pick.Options {
		name, note = max(name, o.Name.Width()), max(note, o.Note.Width())
	}
	w := name + note + 10
	if note > 0 {
		w += 2
	}
	w = max(w, views.Own(p.pick.Title).Width()+20)
	b := views.Center(w, len(p.pick.Options)+2, in.W-2, in.H-2)
	var c views.Canvas
	inner := frame(&c, b, views.Spans{views.Say(themes.Title, p.pick.Title)}, escNote(in, clean, keymap.Cancel), g)
	top := views.TopFor(0, p.sel, inner.H, len(p.pick.Options))
	for y := 0; y < inner.H && top+y < len(p.pick.Options); y++ {
		o := p.pick.Options[top+y]
		l := inner.Line(y)
		if top+y == p.sel {
			inner.Shade(y, themes.Select)
			l.Glyph(themes.Title, g.Cursor)
		}
		l.To(1)
		if o.ID == p.pick.Now {
			l.Glyph(themes.OK, g.OK)
		}
		l.To(3).Text(themes.Text, o.Name.Middle(max(l.Left(), 1), g))
		if note > 0 {
			l.To(3+name+2).Text(themes.Muted, o.Note.Cut(max(l.Left(), 1), g))
		}
		inner.Hit(0, y, inner.W, 1, views.Hit{Action: views.Point, Text: o.ID})
	}
	return finish(&c, b, in.Theme)
}

// Reduce implements Overlay.
func (p Picker) Reduce(ev views.Event) (Overlay, Result) {
	n := len(p.pick.Options)
	to := p.sel
	switch ev.Action {
	case keymap.Cancel:
		return p, Result{Done: true}
	case keymap.Accept:
		if n == 0 {
			return p, Result{Done: true}
		}
		return p, Result{Done: true, Accepted: true, Choice: p.pick.Options[p.sel].ID}
	case keymap.Up, views.WheelUp, keymap.PrevPane:
		to -= ev.Step()
	case keymap.Down, views.WheelDown, keymap.NextPane:
		to += ev.Step()
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = n - 1
	case keymap.HalfUp, keymap.PageUp:
		to -= 5
	case keymap.HalfDown, keymap.PageDown:
		to += 5
	case views.Point:
		for i, o := range p.pick.Options {
			if o.ID == ev.Text {
				to = i
			}
		}
	}
	to = min(max(to, 0), max(n-1, 0))
	if to == p.sel || n == 0 {
		return p, Result{}
	}
	p.sel = to
	return p, Result{Preview: p.pick.Options[to].ID}
}

// ThemePick offers the built-in themes and those of the user, whose names clean makes safe.
func ThemePick(now string, own []string, clean *views.Cleaner) views.Pick {
	p := views.Pick{Title: "Theme", Now: now}
	for _, name := range themes.Choices() {
		p.Options = append(p.Options, views.Option{ID: name, Name: clean.Cell(name), Note: views.Own(themeNote(name))})
	}
	for _, name := range own {
		p.Options = append(p.Options, views.Option{ID: name, Name: clean.Cell(name), Note: views.Own("yours")})
	}
	return p
}

func themeNote(name string) views.Lit {
	switch name {
	case "auto":
		return "dark or light, as the terminal is"
	case "mqscope":
		return "no state told by red against green"
	case "high-contrast":
		return "nothing below 7:1"
	case "deuteranopia":
		return "blue against orange"
	case "tritanopia":
		return "teal against red"
	case "terminal-16":
		return "the terminal's own colours"
	case "mono":
		return "bold, underline, reverse"
	}
	return ""
}
