package infer

import (
	"slices"
	"strings"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// Step takes the next event.
func (s *State) Step(e Event) {
	s.At, s.Seq = e.At, e.Seq
	switch f := e.Fact.(type) {
	case ClientKnown:
		s.known(f)
	case Closed:
		s.closed(e, f)
	case MemberSeen:
		s.memberSeen(e, f)
	case Beat:
		s.beat(e, f)
	case MemberLeft:
		if g := s.Groups[f.Group]; g != nil && g.Members[f.Client] != nil {
			delete(g.Members, f.Client)
			s.members--
		}
	case MembersChanged:
		if g := s.group(f.Group); g != nil {
			g.ChangedAt = e.At
		}
	case MembersListed:
		if g := s.group(f.Group); g != nil {
			g.Listed, g.ListedAt = f.Members, e.At
		}
	case RouteSeen:
		s.routeSeen(e, f)
	case SentBack:
		if g := s.group(f.Group); g != nil && f.Code == protocol.Success {
			g.SentBack++
		}
	case OffsetsSeen:
		s.ends(e, f.Queue, f.Min, f.Max)
	case Stored:
		if end := s.Ends[f.Queue].Max; !end.OK() || end.V <= f.Offset {
			s.ends(e, f.Queue, -1, f.Offset+1)
		}
	case Noted:
		switch f.Note.Kind {
		case capture.NoteGap, capture.NoteLost, capture.NoteSkipped:
			s.Gaps++
		}
	default:
		s.stepQueue(e)
	}
}

// stepQueue takes events about single queues.
func (s *State) stepQueue(e Event) {
	switch f := e.Fact.(type) {
	case Assigned:
		if q := s.queue(f.Group, f.Queue); q != nil {
			s.offsets -= len(q.offsets)
			q.assigned(e, f)
			s.offsets += len(q.offsets)
		}
	case Released:
		if q := s.queue(f.Group, f.Queue); q != nil {
			q.Pullers = slices.DeleteFunc(q.Pullers, func(p Puller) bool { return p.Client == f.Client })
		}
	case PullSent:
		if q := s.queue(f.Group, f.Queue); q != nil {
			s.offsets -= len(q.offsets)
			q.pullSent(e, f)
			s.offsets += len(q.offsets)
		}
	case PullDone:
		if q := s.queue(f.Group, f.Queue); q != nil {
			had := len(q.offsets)
			q.pullDone(e, f, min(maxOffsets, had+allOffsets-s.offsets))
			s.offsets += len(q.offsets) - had
		}
		if f.Status != mq.PullFailed {
			s.ends(e, f.Queue, f.Min, f.Max)
		}
	case Committed:
		if q := s.queue(f.Group, f.Queue); q != nil && f.Code == protocol.Success {
			s.offsets -= len(q.offsets)
			q.committed(e, f.Offset)
			s.offsets += len(q.offsets)
		}
	case NoCommit:
		if q := s.queue(f.Group, f.Queue); q != nil && !q.Committed.OK() {
			q.Committed = snapshot.UnknownBecause[int64]("the group has not committed an offset yet")
		}
	case Locked:
		s.locked(e, f)
	case Unlocked:
		for _, mq := range f.Queues {
			if q := s.queue(f.Group, mq); q != nil && q.Lock.Client == f.Client {
				q.Lock = Lock{}
			}
		}
	case Acked:
		if q := s.queue(f.Group, f.Queue); q != nil && f.Code == protocol.Success {
			q.Acked++
		}
	case Deferred:
		if q := s.queue(f.Group, f.Queue); q != nil && f.Code == protocol.Success {
			q.Deferred++
		}
	}
}

// known gives a client its name, also where its address stood for it.
func (s *State) known(f ClientKnown) {
	old, ok := s.Clients[f.Addr]
	if !ok {
		old = "[" + f.Addr + "]"
		if len(s.Clients) >= maxClients {
			s.Dropped++
			return
		}
	}
	s.Clients[f.Addr] = f.Client
	if !strings.HasPrefix(old, "[") {
		return
	}
	for _, g := range s.Groups {
		for _, q := range g.Queues {
			if p := q.puller(old); p != nil && !q.pulledBy(f.Client) {
				p.Client = f.Client
			}
			if q.lastAsker == old {
				q.lastAsker = f.Client
			}
			if q.Lock.Client == old {
				q.Lock.Client = f.Client
			}
		}
	}
}

func (s *State) memberSeen(e Event, f MemberSeen) {
	g := s.group(f.Group)
	if g == nil {
		return
	}
	m := g.Members[f.Client]
	if m == nil {
		if s.members >= maxMembers {
			s.Dropped++
			return
		}
		s.members++
		m = &Member{Client: f.Client, Since: e.At}
		g.Members[f.Client] = m
	}
	m.heardOf(e)
	m.Model, m.Type, m.From, m.Subscriptions = f.Model, f.Type, f.From, f.Subscriptions
	if f.Model == mq.Broadcasting {
		for _, q := range g.Queues {
			q.ownOffsets()
		}
	}
}

// same tells whether a heartbeat says nothing new of m.
func (m *Member) same(f MemberSeen) bool {
	return m.Model == f.Model && m.Type == f.Type && m.From == f.From &&
		slices.EqualFunc(m.Subscriptions, f.Subscriptions, func(a, b protocol.SubscriptionData) bool {
			return a.Topic == b.Topic && a.SubString == b.SubString && a.ExpressionType == b.ExpressionType
		})
}

func (s *State) beat(e Event, f Beat) {
	for _, name := range f.Consumers {
		if m := s.member(name, f.Client); m != nil {
			m.heardOf(e)
		}
	}
}

// heardOf notes a heartbeat.
func (m *Member) heardOf(e Event) {
	m.LastBeat = e.At
	if !slices.Contains(m.Conns, e.Conn) && len(m.Conns) < maxConns {
		m.Conns = append(m.Conns, e.Conn)
	}
}

func (s *State) closed(e Event, f Closed) {
	delete(s.Clients, f.Client)
	for _, g := range s.Groups {
		for _, m := range g.Members {
			m.Conns = slices.DeleteFunc(m.Conns, func(c int) bool { return c == e.Conn })
		}
	}
}

func (s *State) routeSeen(e Event, f RouteSeen) {
	for _, b := range f.Brokers {
		if _, ok := s.Brokers[b.Addr]; ok || len(s.Brokers) < maxClients {
			s.Brokers[b.Addr] = b.Name
		}
	}
	if f.Topic == "" {
		return
	}
	old, ok := s.Routes[f.Topic]
	routed := s.routed + len(f.Queues) + len(f.Brokers) - len(old.Queues) - len(old.Brokers)
	if !ok && len(s.Routes) >= maxTopics || routed > maxRouted {
		s.Dropped++
		return
	}
	s.routed = routed
	s.Routes[f.Topic] = Route{At: e.At, Known: f.Known, Queues: f.Queues, Brokers: f.Brokers}
}

func (s *State) ends(e Event, q mq.MessageQueue, low, high int64) {
	v, ok := s.Ends[q]
	if !ok && len(s.Ends) >= maxQueues {
		s.Dropped++
		return
	}
	if low >= 0 {
		v.Min = snapshot.Of(low, e.At)
	}
	if high >= 0 {
		v.Max = snapshot.Of(high, e.At)
	}
	s.Ends[q] = v
}

func (s *State) locked(e Event, f Locked) {
	for _, mq := range f.Held {
		q := s.queue(f.Group, mq)
		switch {
		case q == nil:
		case q.Lock.Client == f.Client:
			q.Lock.Renewed = e.At
			q.Lock.Renewals++
		default:
			q.Lock = Lock{Client: f.Client, Since: e.At, Renewed: e.At}
		}
	}
	for _, mq := range f.Refuse {
		if q := s.queue(f.Group, mq); q != nil && q.Lock.Client == f.Client {
			q.Lock = Lock{}
		}
	}
}
