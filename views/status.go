package views

import (
	"mqscope/keymap"
	"mqscope/themes"
)

// status draws the status line: what is typed, else a toast, else the dock, else a remark.
func (f *Framer) status(a Area, c Chrome, body Out) {
	g, l := c.Theme.Glyphs, a.Line(0).Space(1)
	docked := c.Dock != nil && c.Snap != nil && c.Snap.Replay.Known
	switch {
	case c.Input != nil:
		f.typed(l, c)
	case c.Toast != nil:
		l.Spans(MarkSpan(c.Toast.Level, g)).Space(1).Text(themes.Text, c.Toast.Text.Cut(max(l.Left()-14, 8), g))
		if c.Toast.Key != "" {
			if a, ok := c.Keys.Find(c.Toast.Key); ok {
				l.Right(Span{themes.Key, f.key(c, a.ID)}, Span{themes.KeyText, Join(Own(" "), f.clean.Cell(a.Label), Own(" "))})
			}
		}
	case docked:
		c.Dock.Bar(a, c)
		return
	case c.MouseOff && l.Left() > 60:
		l.Put(themes.Faint, "mouse off: select text normally")
	}
	if n := body.Hidden; n > 0 && c.Input == nil && c.Toast == nil {
		word := Own(" hidden characters made visible ")
		if n == 1 {
			word = Own(" hidden character made visible ")
		}
		l.Right(Span{themes.Watch, Join(Sign(g.Watch), Own(" "), Exact(int64(n)), word)})
	}
}

// typed draws a text input with its cursor.
func (f *Framer) typed(l *Pen, c Chrome) {
	in, g := c.Input, c.Theme.Glyphs
	l.Put(themes.Key, in.Prompt)
	runes := []rune(in.Text)
	at := min(max(in.Cursor, 0), len(runes))
	before, after := f.clean.Cell(string(runes[:at])), f.clean.Cell(string(runes[at:]))
	note := Spans{{themes.Muted, in.Note}}
	if !in.Bad.Empty() {
		note = Spans{{themes.Bad, Join(Sign(g.Bad), Own(" "), in.Bad)}}
	}
	room := max(l.Left()-note.Width()-4, 8)
	l.Text(themes.Text, before.Tail(room, g))
	l.cursor(after)
	if !after.Empty() {
		l.Text(themes.Text, after.tail(after.width-after.first()).head(max(room-before.width, 0)))
	}
	if note.Width() > 0 {
		l.Right(append(note, Say(themes.None, " "))...)
	}
}

// first is the width of the first cluster.
func (s Safe) first() int {
	if s.text == "" {
		return 0
	}
	_, w := cluster(s.text)
	return w
}

// cursor draws the first cluster of s, or a blank, as the place where typing goes on.
func (p *Pen) cursor(s Safe) {
	from, text := p.x, Own(" ")
	if w := s.first(); w > 0 {
		text = s.head(w)
	}
	p.Text(themes.Text, text)
	for x := from; x < p.x && p.c != nil; x++ {
		p.c.cells[p.y*p.c.w+x].bg = themes.Select
	}
}

// hints draws what the keys do here, the best first, with help at the right.
func (f *Framer) hints(a Area, y int, c Chrome, body Out) {
	l := a.Line(y).Space(1)
	most := 9
	switch {
	case c.W < 80 || c.H < 24:
		most = 4
	case c.W < 100:
		most = 6
	}
	help, ok := c.Keys.Find(keymap.Help)
	var right Spans
	if ok && len(help.Keys) > 0 && c.Place&keymap.InViews != 0 {
		right = Spans{{themes.Key, f.key(c, keymap.Help)}, Say(themes.KeyText, " help ")}
	}
	end := l.Left() - right.Width()
	for _, id := range body.Keys {
		act, ok := c.Keys.Find(id)
		if !ok || len(act.Keys) == 0 || most == 0 {
			continue
		}
		key, label := f.key(c, id), f.clean.Cell(act.Label)
		if own, ok := body.Label[id]; ok {
			label = Own(own)
		}
		w := key.width + 1 + label.width
		if l.At()+w > end {
			break
		}
		from := l.At()
		l.Text(themes.Key, key).Space(1).Text(themes.KeyText, label)
		a.Hit(from, y, w, 1, Hit{Action: id})
		l.Space(2)
		most--
	}
	if right != nil {
		from := a.W - right.Width()
		l.Right(right...)
		if l.At() == a.W {
			a.Hit(from, y, right.Width(), 1, Hit{Action: keymap.Help})
		}
	}
}
