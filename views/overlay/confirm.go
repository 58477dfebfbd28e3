package overlay

import (
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// Question is what a Confirm asks before something changes.
type Question struct {
	Risk    keymap.Risk
	What    views.Safe   // the change in one sentence, with its scope and cluster
	Effects []views.Safe // what it does, and whether it can be undone
	Send    views.Lit    // the word on the button
	// Name must be typed before a change of risk Broker is sent; untrusted text.
	Name string
}

// Confirm asks before a change. Its default is always Cancel, so that the key which opened
// it does not confirm it.
type Confirm struct {
	q     Question
	send  bool // the button under the cursor
	typed string
}

// NewConfirm starts on Cancel.
func NewConfirm(q Question) Confirm { return Confirm{q: q} }

// TakesText implements Overlay: a name is typed where a broker is changed.
func (c Confirm) TakesText() bool { return c.q.Risk == keymap.Broker }

// ready tells whether the change may be sent.
func (c Confirm) ready() bool {
	if c.TakesText() {
		return c.typed == c.q.Name && c.q.Name != ""
	}
	return c.send
}

// Render implements Overlay.
func (c Confirm) Render(in In) views.Box {
	g, clean := in.Theme.Glyphs, in.cleaner()
	w := 40
	for _, s := range append([]views.Safe{c.q.What}, c.q.Effects...) {
		w = max(w, s.Width()+14)
	}
	w = min(w, 84, in.W-2)
	var lines []views.Spans
	for _, part := range c.q.What.Wrap(w - 4) {
		lines = append(lines, views.Spans{{Tok: themes.Text, Text: part}})
	}
	for i, e := range c.q.Effects {
		for j, part := range e.Wrap(w - 12) {
			head := views.Say(themes.None, "        ")
			if i == 0 && j == 0 {
				head = views.Say(themes.Muted, "Effect  ")
			}
			lines = append(lines, views.Spans{head, {Tok: themes.Text, Text: part}})
		}
	}
	b := views.Center(w, len(lines)+4, in.W, in.H)
	var canvas views.Canvas
	title := views.Spans{views.Say(themes.Danger, "Confirm (!) "), views.Say(themes.Title, c.title())}
	if !c.q.Risk.Changing() {
		title[0] = views.Say(themes.Title, "Confirm ")
	}
	leave := keymap.Cancel
	if c.TakesText() {
		leave = keymap.InputCancel
	}
	note := views.Spans{{Tok: themes.Key, Text: clean.Cell(in.Keys.KeyOf(leave))}, views.Say(themes.KeyText, " cancels")}
	inner := frame(&canvas, b, title, note, g)
	for y, l := range lines {
		if y < inner.H-1 {
			inner.Line(y).Spans(l...)
		}
	}
	c.buttons(inner, clean, g)
	return finish(&canvas, b, in.Theme)
}

func (c Confirm) title() views.Lit {
	switch c.q.Risk {
	case keymap.Broker:
		return "changes the broker"
	case keymap.Local:
		return "replaces a file"
	}
	return "changes what the consumer does"
}

// buttons draws the last line: the input where one is asked for, and both ways out.
func (c Confirm) buttons(a views.Area, clean *views.Cleaner, g *themes.Glyphs) {
	y := a.H - 1
	l := a.Line(y)
	cancel, send := views.Join(views.Own("  Cancel  ")), views.Join(views.Own("  "), views.Own(c.q.Send), views.Own("  "))
	if !c.ready() {
		cancel = views.Own("[ Cancel ]")
	} else {
		send = views.Join(views.Own("[ "), views.Own(c.q.Send), views.Own(" ]"))
	}
	if c.TakesText() {
		room := max(a.W-cancel.Width()-send.Width()-3, 0)
		l.Put(themes.Muted, "Type ").Text(themes.Title, clean.Cell(c.q.Name).Middle(max(room/3, 6), g)).Put(themes.Muted, ": ")
		l.Text(themes.Text, clean.Cell(c.typed).Tail(max(room-l.At()-1, 1), g)).Put(themes.Match, "_")
	}
	ctok, stok := themes.Title, themes.Faint
	if c.ready() {
		ctok, stok = themes.Muted, themes.Danger
	}
	at := max(a.W-cancel.Width()-send.Width()-1, 0)
	l.To(at).Text(ctok, cancel)
	a.Hit(at, y, cancel.Width(), 1, views.Hit{Action: keymap.Cancel})
	at += cancel.Width() + 1
	l.To(at).Text(stok, send)
	a.Hit(at, y, send.Width(), 1, views.Hit{Action: views.Point, Text: "send"})
}

// Reduce implements Overlay.
func (c Confirm) Reduce(ev views.Event) (Overlay, Result) {
	switch ev.Action {
	case keymap.Cancel, keymap.InputCancel:
		return c, Result{Done: true}
	case views.SetFilter:
		c.typed = ev.Text
	case keymap.Left, keymap.Right, keymap.NextPane, keymap.PrevPane, keymap.Up, keymap.Down:
		c.send = !c.send
	case views.Point:
		c.send = ev.Text == "send"
	case keymap.Accept, keymap.InputAccept:
		if c.TakesText() && !c.ready() {
			return c, Result{} // a half-typed name sends nothing and loses nothing
		}
		return c, Result{Done: true, Accepted: c.ready(), Choice: c.typed}
	}
	return c, Result{}
}
