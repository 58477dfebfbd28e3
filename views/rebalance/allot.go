package rebalance

import (
	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// topicOnShow is what the snapshot says of the topic as a whole, nil if nothing.
func (f *facts) topicOnShow() *snapshot.Topic {
	for i := range f.snap.Topics {
		if f.snap.Topics[i].Name == f.current() {
			return &f.snap.Topics[i]
		}
	}
	return nil
}

// unaskable is why no what-if question can be answered, "" where one can.
func unaskable(s *snapshot.Snapshot) views.Lit {
	switch {
	case s.Group.Model.String() == "BROADCASTING":
		return "each member reads all queues, nothing is shared out"
	case s.Group.Kind == snapshot.PopKind:
		return "members pop what the broker chooses, nothing is shared out"
	case s.WhatIf == nil:
		return "this source can not be asked what if"
	}
	return ""
}

// allotter says who shares the queues out: the members by a strategy, or the broker.
func (d *drawing) allotter(l *views.Pen) {
	g, name := d.in.Theme.Glyphs, d.clean.Cell(d.in.Snap.Group.Strategy)
	if t := d.f.topicOnShow(); t != nil && t.AllottedBy == "broker" {
		l.Put(themes.Text, "the broker").Put(themes.Muted, " by ")
	}
	if name.Empty() {
		l.Put(themes.Unknown, "? strategy")
		return
	}
	l.Text(themes.Text, name.Middle(24, g))
}

// whyNotBroker says why the broker does not share the queues out although it was to.
func (d *drawing) whyNotBroker(l *views.Pen) {
	t := d.f.topicOnShow()
	if t == nil || t.AllotNote == "" || l.Left() < 24 {
		return
	}
	g := d.in.Theme.Glyphs
	l.Space(1).Glyph(themes.Faint, g.Dot).Space(1)
	l.Text(themes.Watch, d.clean.Cell(t.AllotNote).Cut(l.Left()-1, g))
}
