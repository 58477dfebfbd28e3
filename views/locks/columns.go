package locks

import (
	"slices"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// columns are the table's columns. Small screens show the client's lease as a bar and the
// broker's in words.
func columns(wide bool) []views.Column {
	var broker views.Lit = "BROKER LEASE"
	if !wide {
		broker = "BROKER"
	}
	return []views.Column{
		{ID: "mark", Frozen: true, Tight: true},
		{ID: "queue", Head: "QUEUE", Min: 14, Max: 48, Grow: 6, Frozen: true, Cut: views.CutMiddle},
		{ID: "says", Head: "LOCK", Prio: 1},
		{ID: "believes", Head: "CLIENT BELIEVES", Min: 12, Max: 40, Prio: 6, Cut: views.CutMiddle},
		{ID: "age", Head: "AGE", Right: true, Prio: 5},
		{ID: "client", Head: "CLIENT LEASE", Prio: 2},
		{ID: "broker", Head: broker, Prio: 4},
		{ID: "renew", Head: "RENEW", Prio: 3},
		{ID: "unlock", Head: "UNLOCK", Right: true, Prio: 7},
	}
}

// columnsOf leaves out what never shows of a group that was seen from outside.
func columnsOf(wide bool, s *snapshot.Snapshot) []views.Column {
	all := columns(wide)
	if s == nil || !s.Replay.Inferred {
		return all
	}
	all = slices.DeleteFunc(all, func(c views.Column) bool { return c.ID == "client" || c.ID == "broker" || c.ID == "unlock" })
	for i := range all {
		if all[i].ID == "believes" {
			all[i].Head = "HELD BY"
		}
	}
	return all
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in   views.In
	m    *memo
	st   State
	wide bool
	cols []views.Column
	tick time.Duration // what counts down needs the next frame then
}

func (d *drawing) fill(row int, cells []views.Span) {
	q, r := d.m.queue(row)
	if r.Counted && r.Client > 0 && r.Client < views.LeaseSoon && !d.m.old {
		d.tick = countdown
	}
	for c := range d.cols {
		cells[c] = d.cell(d.cols[c].ID, q, r)
	}
}

func (d *drawing) cell(column string, q *snapshot.Queue, r views.Lock) views.Span {
	g := d.in.Theme.Glyphs
	switch column {
	case "mark":
		return views.MarkSpan(d.mark(r), g)
	case "queue":
		return views.Span{Tok: themes.Text, Text: d.clean.QueueName(q.ID, d.m.short)}
	case "says":
		return says(r.Says)
	case "believes":
		if r.Kind == views.LockOther && q.Owner.OK() { // whom it is allotted to, as far as we know
			return views.Span{Tok: themes.Muted, Text: views.Join(views.Own("("), d.clean.Cell(q.Owner.V), views.Own(")"))}
		}
		return d.believers(r.Believers)
	case "age":
		return d.age(r)
	case "client":
		return d.lease(r, r.Client, r.ClientLease, true)
	case "broker":
		return d.lease(r, r.Broker, r.BrokerLease, d.wide)
	case "renew":
		return d.renew(r)
	}
	if r.Kind == views.LockOther {
		return views.Say(themes.Faint, "-")
	}
	if r.Tries > 0 {
		return views.Span{Tok: themes.Watch, Text: views.Count(int64(r.Tries), d.in.Exact)}
	}
	return views.Say(themes.Muted, "0")
}

// mark is how bad a lock is. What is old is not known to be well.
func (d *drawing) mark(r views.Lock) snapshot.Mark {
	if m := r.Kind.Mark(); m != snapshot.MarkOK || !d.m.old {
		return m
	}
	return snapshot.MarkStale
}

// says is what the broker said last.
func says(w snapshot.LockWord) views.Span {
	switch w {
	case snapshot.LockMine:
		return views.Say(themes.LockMine, "mine")
	case snapshot.LockHeld:
		return views.Say(themes.LockMine, "held")
	case snapshot.LockFree:
		return views.Say(themes.Watch, "free")
	case snapshot.LockRefused:
		return views.Say(themes.LockOther, "refused")
	}
	return views.Say(themes.Unknown, "unknown")
}

// believers are the client ids that take themselves for the owner: all of them when there
// are two, else a few and how many more.
func (d *drawing) believers(ids []string) views.Span {
	if len(ids) == 0 {
		return views.Say(themes.Unknown, "?")
	}
	tok := themes.Text
	if len(ids) > 1 {
		tok = themes.LockExpired
	}
	mine := d.in.Snap.Group.ClientID
	if len(ids) == 1 && ids[0] == mine && mine != "" {
		return views.Span{Tok: tok, Text: views.Join(d.clean.Cell(mine), views.Own(" (me)"))}
	}
	var name views.Safe
	for i, id := range ids {
		if i == 2 && len(ids) > 2 {
			name = views.Join(name, views.Own(" +"), views.Exact(int64(len(ids)-i)))
			break
		}
		if i > 0 {
			name = views.Join(name, views.Own(" + "))
		}
		if id == mine && mine != "" {
			name = views.Join(name, views.Own("me"))
		} else {
			name = views.Join(name, d.clean.Cell(id))
		}
	}
	return views.Span{Tok: tok, Text: name}
}

// approx marks a text that was worked out of an old snapshot.
func (d *drawing) approx(s views.Span) views.Span {
	if !d.m.old {
		return s
	}
	return views.Span{Tok: themes.Stale, Text: views.Join(views.Own("~"), s.Text)}
}

func (d *drawing) age(r views.Lock) views.Span {
	g := d.in.Theme.Glyphs
	switch {
	case !r.Granted:
		return views.Say(themes.Unknown, "?")
	case r.Skewed:
		return views.Span{Tok: themes.Watch, Text: views.Join(views.Own("clock skew "), views.Duration(r.Age.Truncate(time.Second), g))}
	}
	return d.approx(views.Span{Tok: themes.Text, Text: whole(max(r.Age, 0), g)})
}

// whole writes a length of time in whole seconds, so that it changes once a second.
func whole(t time.Duration, g *themes.Glyphs) views.Safe {
	return views.Duration(t.Truncate(time.Second), g)
}

// left writes what is left of a lease: in tenths of a second when that is little.
func left(t time.Duration, g *themes.Glyphs) views.Safe {
	if t < views.LeaseSoon {
		return views.Duration(t.Truncate(100*time.Millisecond), g)
	}
	return whole(t, g)
}

// lease draws what is left of a lease, or since when it has ended.
func (d *drawing) lease(r views.Lock, rest, of time.Duration, bar bool) views.Span {
	g := d.in.Theme.Glyphs
	switch {
	case !r.Counted:
		return views.Say(themes.Unknown, "?")
	case rest <= 0:
		return d.approx(views.Span{Tok: themes.LockExpired, Text: views.Join(views.Own("expired "), whole(-rest, g), views.Own(" ago"))})
	}
	tok := themes.LockMine
	if rest < views.LeaseSoon {
		tok = themes.LockLate
	}
	if !bar {
		return d.approx(views.Span{Tok: tok, Text: views.Join(left(rest, g), views.Own(" left"))})
	}
	n := d.barWidth()
	part := 0
	if of > 0 {
		part = min(int(float64(n)*float64(rest)/float64(of)+0.5), n)
	}
	var gap views.Lit = " "
	number := left(rest, g)
	if number.Width() < 3 {
		gap = "  "
	}
	return d.approx(views.Span{Tok: tok, Text: views.Join(d.bars(n, g)[part], views.Own(gap), number)})
}

// barWidth is how many cells a full lease has.
func (d *drawing) barWidth() int {
	switch {
	case d.wide:
		return 14
	case d.in.W >= 80:
		return 12
	}
	return 8
}

// bars are all fillings of a bar of n cells, made once.
func (v *View) bars(n int, g *themes.Glyphs) []views.Safe {
	if v.bar.n == n && v.bar.set == g.Name {
		return v.bar.fills
	}
	v.bar.n, v.bar.set, v.bar.fills = n, g.Name, v.bar.fills[:0]
	for part := range n + 1 {
		s := views.Own("[")
		for i := range n {
			sign := g.BarEmpty
			if i < part {
				sign = g.Wait // single cells: rows of full bars would be one block
			}
			s = views.Join(s, views.Sign(sign))
		}
		v.bar.fills = append(v.bar.fills, views.Join(s, views.Own("]")))
	}
	return v.bar.fills
}

// renew is when the lock is renewed next. Where there is no room for who believes what, two
// owners are told here.
func (d *drawing) renew(r views.Lock) views.Span {
	g := d.in.Theme.Glyphs
	switch {
	case r.Kind == views.LockTwoOwners && !d.wide:
		return views.Say(themes.LockExpired, "2 owners")
	case !r.Planned && (r.Renewals > 0 || r.Says == snapshot.LockHeld):
		return views.Span{Tok: themes.Muted, Text: views.Join(views.Count(int64(r.Renewals), d.in.Exact), views.Own(views.Plural(r.Renewals, " time", " times")))}
	case !r.Planned && (!r.Granted || r.ClientLease == 0):
		return views.Say(themes.Unknown, "?")
	case !r.Planned:
		return views.Say(themes.Muted, "-")
	case r.Late():
		return d.approx(views.Span{Tok: themes.LockLate, Text: views.Join(views.Own("late "), whole(-r.Renew, g))})
	case r.Renew <= 0:
		return d.approx(views.Say(themes.Text, "due"))
	}
	return d.approx(views.Span{Tok: themes.Muted, Text: views.Join(views.Own("in "), whole(r.Renew, g))})
}
