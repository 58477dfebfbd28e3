package views

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
)

// badge is the source and what state it is in.
func (f *Framer) badge(c Chrome) Spans {
	g := c.Theme.Glyphs
	if c.Snap == nil {
		return Spans{Say(themes.Watch, "CONNECTING")}
	}
	tok, word := themes.ModeLive, f.clean.Cell(c.Snap.Source.Kind.String())
	out := Spans{{tok, Join(Sign(g.Live), word)}}
	switch c.Snap.Source.State {
	case snapshot.Connecting:
		out = append(out, Say(themes.Watch, " connecting"))
	case snapshot.Failing:
		out = append(out, Say(themes.Bad, " failing"))
	case snapshot.Stopping:
		out = append(out, Say(themes.Watch, " stopping"))
	case snapshot.Ended:
		out = append(out, Say(themes.Warn, " ended"))
	}
	return out
}

// rights says what this program may change and does.
func rights(s *snapshot.Snapshot) Spans {
	switch {
	case s == nil:
		return nil
	case s.Mode.Driving && s.Mode.Paused:
		return Spans{Say(themes.ModeArmed, "PAUSED consuming")}
	case s.Mode.ReadOnly:
		return Spans{Say(themes.Muted, "RO")}
	case s.Mode.Driving:
		return Spans{Say(themes.ModeArmed, "RW consuming")}
	}
	return Spans{Say(themes.ModeArmed, "RW")}
}

// age says which snapshot is shown and how old it is.
func age(c Chrome) Spans {
	s := c.Snap
	if s == nil {
		return Spans{Say(themes.Faint, "no data yet")}
	}
	tok := themes.Faint
	old := c.Now.Sub(s.At) > StaleAfter
	if old {
		tok = themes.Warn
	}
	out := Spans{}
	if c.Frozen {
		out = append(out, Say(themes.ModeReplay, "FROZEN"), Say(themes.None, "  "))
	}
	if c.W >= 80 {
		out = append(out, Span{themes.Faint, Join(Own("#"), Plain(int64(s.Seq)))}, Say(themes.None, "  "))
	}
	if old {
		out = append(out, Span{tok, Sign(c.Theme.Glyphs.Stale)})
	}
	return append(out, Span{tok, Ago(c.Now, s.At, c.Theme.Glyphs)})
}

func (f *Framer) header(l *Pen, c Chrome) {
	g := c.Theme.Glyphs
	right := append(rights(c.Snap), Say(themes.None, "  "))
	if len(right) == 1 {
		right = nil
	}
	right = append(right, age(c)...)
	room := l.Left() - right.Width() - 2
	l.Space(1)
	if c.W >= 100 {
		l.Put(themes.Title, "mqscope").Space(2)
	}
	l.Spans(f.badge(c)...)
	s := c.Snap
	if s == nil {
		l.Right(right...)
		return
	}
	add := func(gap int, spans ...Span) {
		if l.At()+gap+Spans(spans).Width() <= room {
			l.Space(gap).Spans(spans...)
		}
	}
	cluster := f.clean.Cell(s.Source.Name).Middle(24, g)
	group := f.clean.Cell(s.Group.Name).Middle(max(room-l.At()-2, 12), g)
	switch {
	case c.W >= 100:
		if !cluster.Empty() {
			add(2, Span{themes.Text, cluster})
		}
		if ns := f.nameServer(s); !ns.Empty() {
			add(2, Say(themes.Muted, "ns "), Span{themes.Text, ns})
		}
		if !group.Empty() {
			add(2, Say(themes.Muted, "group "), Span{themes.Text, group.Middle(max(room-l.At()-8, 10), g)})
		}
		add(2, Span{themes.Muted, f.clean.Cell(s.Group.Model.String())})
	case c.W >= 80:
		if !cluster.Empty() {
			add(1, Span{themes.Text, cluster}, Say(themes.Muted, "/"))
		}
		if !group.Empty() {
			gap := 0
			if cluster.Empty() {
				gap = 1
			}
			add(gap, Span{themes.Text, group.Middle(max(room-l.At()-1, 8), g)})
		}
	default:
		if !group.Empty() {
			add(1, Span{themes.Text, group.Middle(max(room-l.At()-1, 8), g)})
		}
	}
	l.Right(right...)
}

// nameServer is the address in use, else the first.
func (f *Framer) nameServer(s *snapshot.Snapshot) Safe {
	for _, e := range s.Cluster.NameServers {
		if e.InUse {
			return f.clean.Cell(e.Addr)
		}
	}
	if len(s.Cluster.NameServers) > 0 {
		return f.clean.Cell(s.Cluster.NameServers[0].Addr)
	}
	return Safe{}
}

func (f *Framer) tabs(a Area, y int, c Chrome) {
	l := a.Line(y).Space(1)
	for _, t := range Tabs() {
		from := l.At()
		tok := themes.Muted
		if t.ID == c.Tab {
			tok = themes.Title
			l.Glyph(themes.Title, c.Theme.Glyphs.Focus)
		} else {
			l.Space(1)
		}
		l.Text(themes.Key, f.key(c, t.Action)).Space(1).Put(tok, t.Name)
		a.Hit(from, y, l.At()-from, 1, Hit{Action: t.Action})
		l.Space(2)
	}
}

// key is the name of an action's first key.
func (f *Framer) key(c Chrome, id keymap.ID) Safe {
	return KeyName(f.clean.Cell(c.Keys.KeyOf(id)), c.Theme.Glyphs)
}

// KeyName draws arrows for the arrow keys and a word for the space bar.
func KeyName(key Safe, g *themes.Glyphs) Safe {
	switch key.text {
	case "up":
		return Sign(g.Up)
	case "down":
		return Sign(g.Down)
	case " ":
		return Own("space")
	}
	if key.text == "left" && !g.ASCII && g.Name == "unicode" {
		return Own("←")
	}
	if key.text == "right" && !g.ASCII && g.Name == "unicode" {
		return Own("→")
	}
	return key
}

func (f *Framer) crumb(l *Pen, c Chrome, body Out) {
	g := c.Theme.Glyphs
	l.Space(1)
	if !partsOf(c.W, c.H, nil).tabs {
		for _, t := range Tabs() {
			if t.ID == c.Tab {
				l.Put(themes.Muted, "[").Text(themes.Key, f.key(c, t.Action)).Put(themes.Muted, "] ")
			}
		}
	} else if c.Snap != nil && c.Snap.Group.Name != "" {
		l.Text(themes.Muted, f.clean.Cell(c.Snap.Group.Name).Middle(30, g))
		if len(body.Crumb) > 0 {
			l.Space(1).Glyph(themes.Faint, g.Crumb).Space(1)
		}
	}
	crumb := 0
	for _, part := range body.Crumb {
		crumb += part.width + 3
	}
	worst := body.Worst.fit(l.Left()-min(crumb, max(l.Left()*2/5, 20))-2, g)
	room := l.Left() - worst.Width() - 2
	end := l.At() + room
	for i, part := range body.Crumb {
		tok := themes.Muted
		if i == len(body.Crumb)-1 {
			tok = themes.Text
		}
		if i > 0 {
			l.Space(1).Glyph(themes.Faint, g.Crumb).Space(1)
		}
		l.Text(tok, part.Middle(max(end-l.At(), 1), g))
	}
	l.Right(append(append(Spans{}, worst...), Say(themes.None, " "))...)
}

// notice says what is wrong with the source, what is done about it and when.
func (f *Framer) notice(l *Pen, c Chrome) {
	g, s := c.Theme.Glyphs, c.Snap.Source
	l.Space(1)
	var end Spans
	switch {
	case s.State == snapshot.Ended:
		l.Glyph(themes.Warn, g.Warn).Put(themes.Warn, " Source ended")
	case s.State == snapshot.Connecting:
		l.Glyph(themes.Watch, g.Watch).Put(themes.Watch, " Not connected yet")
	default:
		l.Glyph(themes.Bad, g.Bad).Put(themes.Bad, " Source failing")
	}
	if !s.RetryAt.IsZero() {
		if s.RetryAt.After(c.Now) {
			end = Spans{Say(themes.Muted, "next try in "), {themes.Text, Age(s.RetryAt, c.Now, g)}}
		} else {
			end = Spans{Say(themes.Muted, "trying now")}
		}
	}
	cause := f.clean.Cell(s.Err)
	if kept := Say(themes.Faint, "  last good data below"); s.State == snapshot.Failing && l.Left() >= cause.width+end.Width()+kept.Text.width+5 {
		end = append(end, kept)
	}
	if !cause.Empty() {
		l.Put(themes.Muted, ": ")
		l.Text(themes.Text, cause.Cut(max(l.Left()-end.Width()-3, 8), g))
	}
	if len(end) > 0 {
		l.Right(append(end, Say(themes.None, " "))...)
	}
}

func (f *Framer) status(l *Pen, c Chrome, body Out) {
	g := c.Theme.Glyphs
	l.Space(1)
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

// Backlog is the one-line answer for the smallest space: what is wrong, what is waiting.
func Backlog(s *snapshot.Snapshot, g *themes.Glyphs) Spans {
	bad := 0
	for i := range s.Queues {
		if Severity(s.Queues[i].Mark) == 0 {
			bad++
		}
	}
	sum, missing := LagSum(s)
	out := Spans{}
	if bad > 0 {
		out = append(out, Span{themes.Bad, Join(Sign(g.Bad), Own(" "), Exact(int64(bad)), Own(" bad  "))})
	}
	return append(out, Say(themes.Muted, "lag "), AtLeast(sum, missing, false, g))
}

// LagSum is the backlog of the queues this member owns, and of how many it is not known. It
// is unknown when no part is known, and as old as its oldest part.
func LagSum(s *snapshot.Snapshot) (sum snapshot.Val[int64], missing int) {
	sum.Reason = "no lag is known yet"
	for i := range s.Queues {
		q := &s.Queues[i]
		if !q.Mine {
			continue
		}
		sum, missing = AddVal(sum, q.Lag, missing)
	}
	return sum, missing
}

// AddVal adds a part to a sum. Unknown parts are counted, a stale part makes the sum stale.
func AddVal(sum, part snapshot.Val[int64], missing int) (snapshot.Val[int64], int) {
	switch {
	case part.State == snapshot.NotApplicable:
	case !part.OK():
		missing++
	case !sum.OK():
		sum = part
	default:
		sum.V += part.V
		if part.State == snapshot.Stale {
			sum.State = snapshot.Stale
		}
		if part.At.Before(sum.At) {
			sum.At = part.At
		}
	}
	return sum, missing
}
