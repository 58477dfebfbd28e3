package views

import (
	"strings"

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
	tok := themes.ModeLive
	if c.Snap.Source.Kind == snapshot.Recorded {
		tok = themes.ModeReplay
	}
	out := Spans{{tok, Join(Sign(g.Live), f.clean.Cell(c.Snap.Source.Kind.String()))}}
	if c.Snap.Replay.Inferred {
		out = append(out, Say(themes.Watch, " inferred"))
	}
	if c.Snap.Sched.Virtual() {
		out = Spans{Say(themes.ModeReplay, "STEP")}
	}
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
	if d := &c.Snap.Sched; d.Stepping && d.Drives != "" {
		out = append(out, Say(themes.None, " "), Say(themes.ModeArmed, "STEP drives "), Span{themes.ModeArmed, f.clean.Cell(d.Drives).Middle(max(c.W/3, 12), g)})
	}
	return out
}

// rights says what this program may change and does.
func rights(c Chrome) Spans {
	s := c.Snap
	switch {
	case s == nil:
		return nil
	case !c.Armed.IsZero():
		return Spans{Say(themes.ModeArmed, "ARMED "), {themes.ModeArmed, Age(c.Armed, c.Wall, c.Theme.Glyphs)}}
	case s.Mode.Driving && s.Mode.Paused:
		return Spans{Say(themes.ModeArmed, "PAUSED consuming")}
	case s.Mode.ReadOnly:
		return Spans{Say(themes.Muted, "RO")}
	case s.Sched.Virtual():
		return Spans{Say(themes.Muted, "virtual time")}
	case s.Mode.Driving:
		return Spans{Say(themes.ModeArmed, "RW consuming")}
	}
	return Spans{Say(themes.ModeArmed, "RW")}
}

// recorder says that the source is recorded, and warns where the recording comes to its end.
func recorder(c Chrome) Spans {
	if c.Snap == nil || !c.Snap.Recorder.On {
		return nil
	}
	r := &c.Snap.Recorder
	word, size := Own("REC "), Bytes(r.Bytes, false)
	if r.Box {
		word = Own("BOX ")
	}
	if r.Limit > 0 && c.W >= 100 {
		size = Join(size, Own(" of "), Bytes(r.Limit, false))
	}
	if !r.Box && r.Limit > 0 && r.Bytes >= r.Limit/10*9 {
		return Spans{{themes.Warn, Join(Sign(c.Theme.Glyphs.Warn), word, size)}}
	}
	return Spans{{themes.ModeArmed, word}, {themes.Text, size}}
}

// when says of which event and day a recording shows a picture.
func when(c Chrome) Spans {
	out := Spans{}
	if c.W >= 80 {
		out = append(out, Span{themes.Faint, Join(Own("#"), Total(c.Snap.Replay.Event, true))}, Say(themes.None, "  "))
	}
	return append(out, Span{themes.Text, Day(c.Snap.At)})
}

// age says which snapshot is shown and how old it is.
func age(c Chrome) Spans {
	s := c.Snap
	if s == nil {
		return Spans{Say(themes.Faint, "no data yet")}
	}
	if s.Replay.Known {
		return when(c)
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
	var right Spans
	for _, part := range []Spans{recorder(c), rights(c)} {
		if len(part) > 0 {
			right = append(append(right, part...), Say(themes.None, "  "))
		}
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
	add := func(gap int, spans ...Span) bool {
		fits := l.At()+gap+Spans(spans).Width() <= room
		if fits {
			l.Space(gap).Spans(spans...)
		}
		return fits
	}
	cluster := f.clean.Cell(s.Source.Name).Middle(24, g)
	group := f.clean.Cell(s.Group.Name).Middle(max(room-l.At()-2, 12), g)
	if s.Sched.Stepping && s.Sched.Drives == s.Group.Name {
		group = Safe{} // the badge names it
	}
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
		if mode := s.Group.Mode(); !add(2, Span{themes.Muted, f.clean.Cell(mode)}) {
			kind, _, _ := strings.Cut(mode, " ")
			add(2, Span{themes.Muted, f.clean.Cell(kind)})
		}
	case c.W >= 80:
		if !cluster.Empty() {
			add(1, Span{themes.Text, cluster})
			if !group.Empty() {
				add(0, Say(themes.Muted, "/"))
			}
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

// replayNotice says what is wrong with a recording.
func (f *Framer) replayNotice(l *Pen, r *snapshot.Replay, g *themes.Glyphs) {
	what := r.Departed
	if what != "" {
		l.Glyph(themes.Bad, g.Bad).Put(themes.Bad, " What follows is not what was recorded: ")
	} else {
		what = r.Damage
		l.Glyph(themes.Warn, g.Warn).Put(themes.Warn, " Recording ")
	}
	l.Text(themes.Text, f.clean.Cell(what).Cut(max(l.Left()-1, 8), g))
}

// notice says what is wrong with the source, what is done about it and when.
func (f *Framer) notice(l *Pen, c Chrome) {
	g, s := c.Theme.Glyphs, c.Snap.Source
	l.Space(1)
	if r := &c.Snap.Replay; r.Departed != "" || !failing(c.Snap) {
		f.replayNotice(l, r, g)
		return
	}
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
