package infer

import (
	"net/netip"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// clientAt names the client behind an address.
func (s *State) clientAt(addr netip.AddrPort) string {
	if !addr.IsValid() {
		return ""
	}
	if id, ok := s.Clients[addr.String()]; ok {
		return id
	}
	return "[" + addr.String() + "]"
}

func (s *State) group(name string) *Group {
	g := s.Groups[name]
	if g == nil {
		if len(s.Groups) >= maxGroups {
			s.Dropped++
			return nil
		}
		g = &Group{Name: name, Members: make(map[string]*Member), Queues: make(map[mq.MessageQueue]*Queue)}
		s.Groups[name] = g
	}
	return g
}

// queue finds or makes the queue of a group; nil when there is no room for it.
func (s *State) queue(group string, q mq.MessageQueue) *Queue {
	g := s.group(group)
	if g == nil {
		return nil
	}
	if v := g.Queues[q]; v != nil {
		return v
	}
	if s.queues >= maxQueues {
		s.Dropped++
		return nil
	}
	s.queues++
	v := &Queue{
		Queue: q, Pulls: make(map[mq.PullStatus]int),
		Next:      snapshot.UnknownBecause[int64]("no pull of it was seen"),
		Committed: snapshot.UnknownBecause[int64]("no commit of it was seen"),
		Window:    snapshot.UnknownBecause[int]("no commit of it was seen"),
	}
	g.Queues[q] = v
	if s.broadcasting(group) {
		v.ownOffsets()
	}
	return v
}

// ownOffsets marks the queue as one whose offsets members keep for themselves.
func (q *Queue) ownOffsets() {
	q.Committed, q.Window = snapshot.NA[int64](), snapshot.NA[int]()
}

func (s *State) member(group, client string) *Member {
	if g := s.Groups[group]; g != nil {
		return g.Members[client]
	}
	return nil
}

// broadcasting tells whether all members of a group get all messages, as they said.
func (s *State) broadcasting(group string) bool {
	g := s.Groups[group]
	if g == nil {
		return false
	}
	for _, m := range g.Members {
		if m.Model == mq.Broadcasting {
			return true
		}
	}
	return false
}

// onBroker tells whether the connection leads to the broker of that name.
func (s *State) onBroker(name string, c capture.Conn) bool {
	addr := c.Server.String()
	return name == addr || s.Brokers[addr] == name
}
