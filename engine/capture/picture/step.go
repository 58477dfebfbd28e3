package picture

import (
	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// Step takes the next event; s is the state that has just taken it.
func (m *Memory) Step(s *infer.State, e infer.Event) {
	name := ""
	switch f := e.Fact.(type) {
	case infer.PullSent:
		m.pullSent(s, e, f)
		return // what is told of a pull is told when it is answered
	case infer.Stored:
		return // a producer's
	case infer.PullDone:
		name = f.Group
		m.pullDone(s, e, f)
	case infer.Committed:
		name = f.Group
		m.committed(s, e, f)
	case infer.Assigned:
		name = f.Group
		m.hands(s, e, f.Group, f.Queue)
	case infer.Released:
		name = f.Group
		m.hands(s, e, f.Group, f.Queue)
	case infer.Popped:
		name = f.Group
		m.popped(s, e, f)
	default:
		name = m.rest(s, e)
	}
	if _, ok := e.Fact.(infer.Failed); ok && e.Conn == m.lastConn {
		name = m.lastGroup
	}
	m.lastGroup, m.lastConn = name, e.Conn
	if g := m.groups[name]; g != nil && name != "" {
		g.entries.add(e, &m.entries)
		return
	}
	m.others.add(e, &m.entries)
}

// rest takes what comes seldom, and returns the group that it is about.
func (m *Memory) rest(s *infer.State, e infer.Event) string {
	switch f := e.Fact.(type) {
	case infer.Opened:
		m.opened(e, f)
	case infer.Closed:
		m.closed(e, f)
	case infer.ClientKnown:
		m.known(s, f)
	case infer.RouteSeen:
		if v := m.serverOf(e.Conn); v != nil {
			v.Names, v.LastAt = true, e.At
		}
	case infer.Beat:
		return m.beat(s, e, f)
	case infer.Acked:
		if g := m.group(s, f.Group); g != nil && f.Code == protocol.Success {
			g.each(f.Client, func(c *snapshot.Counters) { c.Acked++ })
		}
		return f.Group
	case infer.Deferred:
		if g := m.group(s, f.Group); g != nil && f.Code == protocol.Success {
			g.each(f.Client, func(c *snapshot.Counters) { c.Deferred++ })
		}
		return f.Group
	case infer.SentBack:
		if g := m.group(s, f.Group); g != nil {
			g.each(f.Client, func(c *snapshot.Counters) {
				if f.Code == protocol.Success {
					c.SentBack++
				} else {
					c.SendBackFailed++
				}
			})
		}
		return f.Group
	case infer.Locked:
		m.locked(s, e, f.Group, nil, f.Refuse)
		return f.Group
	case infer.Unlocked:
		m.locked(s, e, f.Group, f.Queues, nil)
		return f.Group
	case infer.OffsetsSeen, infer.Failed, infer.Unreadable, infer.Noted:
		return ""
	default:
		return m.members(s, e)
	}
	return ""
}

// members takes what is told of who belongs to a group.
func (m *Memory) members(s *infer.State, e infer.Event) string {
	name := infer.About(e.Fact).Group
	g := m.group(s, name)
	if g == nil {
		return name
	}
	switch f := e.Fact.(type) {
	case infer.MemberSeen:
		delete(g.left, f.Client)
		g.told = f
		if f.New {
			g.why, g.whyAt = cut(f.Client, 120)+" joined", e.At
		}
	case infer.MemberLeft:
		putFew(&g.left, f.Client, e.At)
		g.why, g.whyAt = cut(f.Client, 120)+" left", e.At
		g.explain(f.Client, e.At)
	case infer.BrokerAssigned:
		putFew(&g.topics, f.Topic, true)
		g.pop = g.pop || f.Pop
	}
	return name
}

func (m *Memory) beat(s *infer.State, e infer.Event, f infer.Beat) string {
	server := m.conns[e.Conn]
	name := ""
	for _, of := range f.Consumers {
		g := m.group(s, of)
		if g == nil {
			continue
		}
		name = of
		if f.Answered && f.Code == protocol.Success && server != "" {
			putFew(&g.beats, server, e.At)
		}
	}
	return name
}

func (m *Memory) opened(e infer.Event, f infer.Opened) {
	m.ready()
	v := m.servers[f.Server]
	if v == nil {
		if len(m.servers) >= maxServers {
			return
		}
		v = &server{}
		m.servers[f.Server] = v
	}
	if _, ok := m.conns[e.Conn]; !ok && len(m.conns) < maxConns {
		m.conns[e.Conn] = f.Server
		v.Open++
	}
}

func (m *Memory) closed(e infer.Event, f infer.Closed) {
	if v := m.serverOf(e.Conn); v != nil && v.Open > 0 {
		v.Open--
	}
	delete(m.conns, e.Conn)
}

func (m *Memory) serverOf(conn int) *server {
	addr, ok := m.conns[conn]
	if !ok {
		return nil
	}
	return m.servers[addr]
}

// known gives a client its name where its address stood for it.
func (m *Memory) known(s *infer.State, f infer.ClientKnown) {
	old := "[" + f.Addr + "]"
	if !m.unnamed[old] {
		return
	}
	delete(m.unnamed, old)
	for _, g := range m.groups {
		for _, q := range g.queues {
			q.rename(old, f.Client)
		}
		for i := range g.passes {
			g.passes[i].rename(old, f.Client)
		}
		if c := g.clients[old]; c != nil {
			delete(g.clients, old)
			add(g.counters(f.Client), c)
		}
	}
}

// locked notes that the group uses locks, and when some were given back or refused.
func (m *Memory) locked(s *infer.State, e infer.Event, name string, back, refused []mq.MessageQueue) {
	g := m.group(s, name)
	if g == nil {
		return
	}
	g.locks = true
	for _, id := range back {
		if sq := s.Groups[name].Queues[id]; sq != nil && sq.Lock.Client == "" {
			g.queue(sq).freed = e.At
		}
	}
	for _, id := range refused {
		if sq := s.Groups[name].Queues[id]; sq != nil {
			g.queue(sq).refused = e.At
		}
	}
}

// each changes the counters of a group and those of one of its clients.
func (g *group) each(client string, change func(*snapshot.Counters)) {
	change(&g.total)
	if c := g.counters(client); c != nil {
		change(c)
	}
}

// counters are those of a client; nil when too many are kept.
func (g *group) counters(client string) *snapshot.Counters {
	c := g.clients[client]
	if c == nil && len(g.clients) < maxPerGroup {
		c = &snapshot.Counters{}
		put(&g.clients, client, c)
	}
	return c
}

// add adds what one client did under two names.
func add(to, from *snapshot.Counters) {
	if to == nil {
		return
	}
	to.Pulls, to.PullsFailed, to.Received = to.Pulls+from.Pulls, to.PullsFailed+from.PullsFailed, to.Received+from.Received
	to.Filtered, to.Commits, to.CommitsFailed = to.Filtered+from.Filtered, to.Commits+from.Commits, to.CommitsFailed+from.CommitsFailed
	to.SentBack, to.SendBackFailed = to.SentBack+from.SentBack, to.SendBackFailed+from.SendBackFailed
	to.Acked, to.Deferred = to.Acked+from.Acked, to.Deferred+from.Deferred
}

// cut shortens a text from the network.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
