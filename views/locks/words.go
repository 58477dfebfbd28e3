package locks

import (
	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// answer says in one line how the locks stand.
func (d *drawing) answer(l *views.Pen) {
	g, m := d.in.Theme.Glyphs, d.m
	worst := views.LockOther
	for k := range views.LockKinds {
		if m.counts[k] > 0 {
			worst = k
			break
		}
	}
	mark := worst.Mark()
	if m.old && mark == snapshot.MarkOK {
		mark = snapshot.MarkStale
	}
	l.Spans(views.MarkSpan(mark, g)).Space(1)
	n, ours := m.counts[worst], m.all-m.counts[views.LockOther]
	of := func(one, many views.Lit) {
		l.Text(views.MarkToken(mark), views.Exact(int64(n))).Put(themes.Text, " of ").Text(themes.Text, views.Exact(int64(ours)))
		l.Put(themes.Text, views.Plural(n, one, many))
	}
	switch worst {
	case views.LockMine:
		l.Put(themes.Text, "All ").Text(themes.Text, views.Exact(int64(ours))).Put(themes.Text, views.Plural(ours, " lock of ours is held", " locks of ours are held"))
	case views.LockHeld:
		l.Put(themes.Text, "All ").Text(themes.Text, views.Exact(int64(ours))).Put(themes.Text, views.Plural(ours, " lock is held", " locks are held"))
	case views.LockFree:
		of(" locks was given back, and nobody was seen to take it", " locks were given back, and nobody was seen to take them")
	case views.LockOther:
		l.Put(themes.Text, "None of ").Text(themes.Text, views.Exact(int64(m.all))).Put(themes.Text, " locks is ours: this member has no queue")
	case views.LockExpired:
		of(" locks has expired: its queue waits", " locks have expired: their queues wait")
	case views.LockTwoOwners:
		of(" queues has two believing owners", " queues have two believing owners")
	case views.LockRefused:
		of(" locks is refused: another client has it", " locks are refused: other clients have them")
	case views.LockLate:
		of(" renewals is late", " renewals are late")
	case views.LockSkew:
		of(" grants lies ahead: a clock is wrong", " grants lie ahead: a clock is wrong")
	case views.LockUnlocking:
		of(" queues could not be given up yet", " queues could not be given up yet")
	case views.LockUnknown:
		of(" locks is not known", " locks are not known")
	}
	if m.old {
		d.more(l, views.Spans{{Tok: themes.Stale, Text: views.Join(views.Own("as of "), views.Ago(d.in.Now, d.in.Snap.At, g))}})
	}
	for k := worst + 1; k < views.LockKinds; k++ {
		if m.counts[k] > 0 && !d.more(l, views.Spans{{Tok: views.MarkToken(k.Mark()), Text: views.Join(views.Own(k.Word()), views.Own(" "), views.Exact(int64(m.counts[k])))}}) {
			break
		}
	}
	if m.lock.ClientLease == 0 {
		l.Right(views.Say(themes.Muted, "leases are not on the wire "))
		return
	}
	l.Right(views.Say(themes.Muted, "lease "), views.Span{Tok: themes.Muted, Text: whole(m.lock.ClientLease, g)},
		views.Say(themes.Muted, ", at the broker "), views.Span{Tok: themes.Muted, Text: whole(m.lock.BrokerLease, g)}, views.Say(themes.None, " "))
}

// more adds an item, or a sign that there is one if room is short.
func (d *drawing) more(l *views.Pen, item views.Spans) bool {
	g := d.in.Theme.Glyphs
	if l.Left() < item.Width()+6 {
		l.Space(1).Glyph(themes.Faint, g.Ellipsis)
		return false
	}
	l.Space(1).Glyph(themes.Faint, g.Dot).Space(1).Spans(item...)
	return true
}

// footer says how much there is and what the selected lock comes to.
func (d *drawing) footer(l *views.Pen, pos, hidden int) {
	g, m := d.in.Theme.Glyphs, d.m
	l.Space(1)
	if pos >= 0 {
		l.Text(themes.Text, views.Exact(int64(pos+1))).Put(themes.Faint, "/")
	}
	l.Text(themes.Text, views.Exact(int64(len(m.rows))))
	if len(m.rows) != m.all {
		l.Put(themes.Muted, " of ").Text(themes.Muted, views.Exact(int64(m.all)))
	}
	if m.bad != nil {
		l.Space(1).Glyph(themes.Bad, g.Bad).Space(1).Text(themes.Bad, d.clean.Cell(m.bad.Error()).Cut(max(l.Left(), 8), g))
		return
	}
	if pos >= 0 {
		q, r := m.queue(pos)
		name := d.clean.QueueName(q.ID, m.short)
		text := d.explain(q, r)
		l.Space(1).Glyph(themes.Faint, g.Dot).Space(1).Spans(views.MarkSpan(d.mark(r), g)).Space(1)
		if room := l.Left() - text.Width() - 2; room >= 12 {
			l.Text(themes.Text, name.Middle(min(room, 36), g)).Put(themes.Muted, ": ")
		}
		l.Text(themes.Text, text.Cut(l.Left(), g))
	}
	if more := (views.Spans{
		{Tok: themes.Muted, Text: views.Join(views.Exact(int64(hidden)), views.Own(views.Plural(hidden, " column hidden ", " columns hidden ")))},
		{Tok: themes.Title, Text: views.Sign(g.MoreRight)}, views.Say(themes.Muted, " ("),
		{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.Right))}, views.Say(themes.Muted, ")"),
	}); hidden > 0 && l.Left() >= more.Width()+3 {
		l.Space(1).Glyph(themes.Faint, g.Dot).Space(1).Spans(more...)
	}
}

// explain says in words what a lock comes to.
func (d *drawing) explain(q *snapshot.Queue, r views.Lock) views.Safe {
	g := d.in.Theme.Glyphs
	switch r.Kind {
	case views.LockTwoOwners:
		return views.Join(views.Exact(int64(len(r.Believers))), views.Own(" clients believe they own it (double owner)"))
	case views.LockExpired:
		if r.Broker > 0 {
			return views.Own("not consumed until the broker grants it again")
		}
		return views.Own("not consumed, and any client may get it now")
	case views.LockRefused:
		if r.Counted && r.Client > 0 {
			return views.Join(views.Own("refused, yet our lease runs "), left(r.Client, g), views.Own(" more: two may consume"))
		}
		return views.Own("another client has it; which one, the broker does not say")
	case views.LockLate:
		return views.Join(views.Own("its renewal is "), whole(-r.Renew, g), views.Own(" late"))
	case views.LockSkew:
		return views.Own("granted later than now: a clock is wrong")
	case views.LockUnlocking:
		return views.Own("it is to be given up, but a listener still has its messages")
	case views.LockOther:
		return views.Own("another member's queue: the broker tells only its owner")
	case views.LockFree:
		return views.Join(views.Own("given back "), whole(max(d.m.at.Sub(q.Lock.Since), 0), g), views.Own(" ago; nobody was seen to take it"))
	case views.LockHeld:
		return views.Join(views.Own("held for "), whole(max(d.m.at.Sub(q.Lock.Since), 0), g), views.Own(", granted again "),
			views.Exact(int64(r.Renewals)), views.Own(views.Plural(r.Renewals, " time", " times")))
	case views.LockUnknown:
		if q.Inferred {
			return views.Own("no lock of it was seen, or it was refused")
		}
		return views.Own("the broker was not asked yet, or did not answer")
	}
	if q.Inferred {
		return views.Join(views.Own("held by this client for "), whole(max(d.m.at.Sub(q.Lock.Since), 0), g))
	}
	return views.Own("ours, renewed in time")
}

// worst is the right end of the crumb line.
func (d *drawing) worst(q *snapshot.Queue, r views.Lock) views.Spans {
	g := d.in.Theme.Glyphs
	m := d.mark(r)
	return views.Spans{views.MarkSpan(m, g), views.Say(themes.None, " "),
		{Tok: views.MarkToken(m), Text: d.clean.QueueName(q.ID, d.m.short).Middle(36, g)},
		views.Say(themes.None, "  "), {Tok: views.MarkToken(m), Text: views.Own(r.Kind.Word())}}
}

func (d *drawing) spoken(q *snapshot.Queue, r views.Lock) views.Safe {
	parts := []views.Safe{views.Own("Lock of "), d.clean.FullName(q.ID), views.Own(", "), views.Own(r.Kind.Word()),
		views.Own(", the broker says "), says(r.Says).Text, views.Own(", client lease ")}
	parts = append(parts, d.spokenLease(r))
	parts = append(parts, views.Own(", renewal "), d.renew(r).Text, views.Own(". "), d.explain(q, r))
	return views.Join(append(parts, views.Own("."))...)
}

func (d *drawing) spokenLease(r views.Lock) views.Safe {
	g := d.in.Theme.Glyphs
	switch {
	case !r.Counted:
		return views.Own("not known")
	case r.Client <= 0:
		return views.Join(views.Own("expired "), whole(-r.Client, g), views.Own(" ago"))
	}
	return views.Join(left(r.Client, g), views.Own(" left"))
}
