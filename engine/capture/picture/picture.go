package picture

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

const (
	// windowsOfAllUpTo queues, a picture has the windows of all; above, of watched ones.
	windowsOfAllUpTo = 64
	// staleAfter is when a reading counts as old: a pull is held for less.
	staleAfter = 45 * time.Second
	// maxQueues of one picture.
	maxQueues = 50_000
)

// Options say what a picture is of.
type Options struct {
	Group string
	// Client is the member whose queues count as "mine"; "" is the whole group. Round trips of
	// brokers and events are those of the group all the same.
	Client  string
	Watched []mq.MessageQueue // these have histories and pulls over time
	At      time.Time         // now; not before s.At
}

// drawing is one picture in the making.
type drawing struct {
	s  *infer.State
	m  *Memory
	o  Options
	sg *infer.Group // nil when the group was not seen
	g  *group       // never nil
	at time.Time

	broadcast bool
	wanted    map[string]bool              // topics that somebody of the group subscribes to
	poppers   map[mq.MessageQueue][]string // of queues -1, which stand for all of their broker
	watched   map[mq.MessageQueue]bool
}

// Picture is the snapshot of one group. It changes neither s nor m, which must have taken the
// same events.
func Picture(s *infer.State, m *Memory, o Options) *snapshot.Snapshot {
	d := &drawing{s: s, m: m, o: o, sg: s.Groups[o.Group], g: m.groups[o.Group], at: o.At, watched: map[mq.MessageQueue]bool{}, wanted: map[string]bool{}}
	if d.at.Before(s.At) {
		d.at = s.At
	}
	if d.g == nil {
		d.g = &group{}
	}
	if d.sg == nil {
		d.sg = &infer.Group{Name: o.Group}
	}
	for _, m := range d.sg.Members {
		for _, sub := range m.Subscriptions {
			d.wanted[sub.Topic] = true
		}
	}
	if len(d.sg.Members) == 0 {
		for _, sub := range d.g.told.Subscriptions {
			d.wanted[sub.Topic] = true
		}
	}
	for _, q := range o.Watched {
		d.watched[q] = true
	}
	p := &snapshot.Snapshot{
		Seq: s.Seq, At: d.at, Wall: d.at,
		Source:  snapshot.Source{Kind: snapshot.Recorded, State: snapshot.Running},
		Mode:    snapshot.Mode{ReadOnly: true},
		Replay:  snapshot.Replay{Known: true, Inferred: true, Client: o.Client, At: s.At, Event: s.Seq, Told: s.Seq},
		Windows: map[mq.MessageQueue]snapshot.Window{}, Histories: map[mq.MessageQueue]snapshot.History{},
		BrokerPulls: map[string]snapshot.Series{}, QueuePulls: map[mq.MessageQueue]snapshot.Series{},
		Counters: d.counters(),
	}
	p.Events.Entries, p.Events.Dropped = m.stream(d.g)
	p.Group = d.group()
	d.poppers = d.poppersOf()
	p.Queues = d.queues(p)
	d.membersOf(p)
	p.Topics = d.topics(p)
	p.Cluster = d.cluster(p)
	p.Rebalances = d.g.rebalances(p.Queues)
	if !d.broadcast && p.Group.Kind != snapshot.PopKind { // else nothing is shared out
		p.Strategies, p.WhatIf = rebalance.StrategyNames(), planner(p)
	}
	for name, b := range d.g.brokers {
		p.BrokerPulls[name] = b.picture(d.at)
	}
	return p
}

// counters are those of the client, or of the whole group.
func (d *drawing) counters() snapshot.Counters {
	if d.o.Client == "" {
		return d.g.total
	}
	if c := d.g.clients[d.o.Client]; c != nil {
		return *c
	}
	return snapshot.Counters{}
}

// group is what members said of themselves, and what follows from what they did.
func (d *drawing) group() snapshot.Group {
	out := snapshot.Group{
		Name: d.o.Group, ClientID: d.o.Client, Kind: snapshot.UnseenKind, Model: mq.UnknownModel, From: mq.UnknownFromWhere,
		LastRebalance: snapshot.UnknownBecause[time.Time]("no queue was seen to change hands"),
	}
	if !d.g.changedAt.IsZero() {
		out.LastRebalance = snapshot.Of(d.g.changedAt, d.g.changedAt)
		out.RebalanceNote = d.g.passes[len(d.g.passes)-1].why
	}
	m := d.speaker()
	if m == nil {
		return out
	}
	out.Model, out.From = m.Model, m.From
	d.broadcast = m.Model == mq.Broadcasting
	switch {
	case d.g.pop || m.Type == mq.Popping:
		out.Kind = snapshot.PopKind
	case m.Type == mq.Passively && d.g.locks:
		out.Kind, out.Orderly = snapshot.PushKind, true
	case m.Type == mq.Passively:
		out.Kind = snapshot.PassiveKind
	case m.Type == mq.Actively && d.g.lite:
		out.Kind = snapshot.LiteKind
	case m.Type == mq.Actively:
		out.Kind = snapshot.PullKind
	}
	for _, sub := range d.subscriptions() {
		text := snapshot.Subscription{Topic: sub.Topic, Expression: sub.SubString}
		if r, ok := d.s.Routes[sub.Topic]; ok && r.Known {
			text.Queues = snapshot.Of(len(r.Queues), r.At)
		} else {
			text.Queues.Reason = "its route was not seen"
		}
		out.Subscriptions = append(out.Subscriptions, text)
	}
	return out
}

// speaker is the member that the picture takes settings from: the client, the first one, or who
// was there last.
func (d *drawing) speaker() *infer.MemberSeen {
	of := func(m *infer.Member) *infer.MemberSeen {
		return &infer.MemberSeen{Model: m.Model, Type: m.Type, From: m.From, Subscriptions: m.Subscriptions}
	}
	if m := d.sg.Members[d.o.Client]; m != nil {
		return of(m)
	}
	if len(d.sg.Members) > 0 && d.o.Client == "" {
		return of(d.sg.Members[slices.Min(slices.Collect(maps.Keys(d.sg.Members)))])
	}
	if t := &d.g.told; t.Client != "" && (d.o.Client == "" || d.o.Client == t.Client) {
		return t
	}
	return nil
}

// subscriptions are those of the client, or of all members: the first one's of each topic.
func (d *drawing) subscriptions() []protocol.SubscriptionData {
	var out []protocol.SubscriptionData
	seen := map[string]bool{}
	if len(d.sg.Members) == 0 {
		return slices.Clone(d.g.told.Subscriptions)
	}
	for _, id := range slices.Sorted(maps.Keys(d.sg.Members)) {
		if d.o.Client != "" && id != d.o.Client {
			continue
		}
		for _, sub := range d.sg.Members[id].Subscriptions {
			if !seen[sub.Topic] {
				seen[sub.Topic] = true
				out = append(out, sub)
			}
		}
	}
	slices.SortFunc(out, func(a, b protocol.SubscriptionData) int { return cmp.Compare(a.Topic, b.Topic) })
	return out
}

// ids are the queues of the picture: those of the routes of subscribed topics, and those that
// somebody of the group was seen to use.
func (d *drawing) ids() []mq.MessageQueue {
	ids := slices.Collect(maps.Keys(d.sg.Queues))
	for _, topic := range slices.Sorted(maps.Keys(d.wanted)) {
		if r := d.s.Routes[topic]; len(ids)+len(r.Queues) <= maxQueues {
			ids = append(ids, r.Queues...)
		}
	}
	slices.SortFunc(ids, mq.MessageQueue.Compare)
	return slices.Compact(ids)
}

// poppersOf are the clients that pop whatever queue a broker chooses.
func (d *drawing) poppersOf() map[mq.MessageQueue][]string {
	out := map[mq.MessageQueue][]string{}
	if !d.g.pop {
		return out
	}
	for id, q := range d.sg.Queues {
		for _, p := range q.Pullers {
			if p.Pop && id.QueueID < 0 {
				out[id] = append(out[id], p.Client)
			}
		}
	}
	return out
}
