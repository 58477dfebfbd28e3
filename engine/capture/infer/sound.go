package infer

import (
	"errors"
	"fmt"
	"slices"

	"mqscope/engine/mq"
)

// Check makes a State that was read from a file fit for Step, whatever the file said: what the
// State counts of itself is counted anew. The error says what no State can be.
func (s *State) Check() error {
	made := NewState()
	orMake(&s.Clients, made.Clients)
	orMake(&s.Brokers, made.Brokers)
	orMake(&s.Routes, made.Routes)
	orMake(&s.Groups, made.Groups)
	orMake(&s.Ends, made.Ends)
	if len(s.Clients) > maxClients || len(s.Brokers) > maxClients || len(s.Routes) > maxTopics ||
		len(s.Groups) > maxGroups || len(s.Ends) > maxQueues {
		return errors.New("more clients, brokers, topics or groups than are ever kept")
	}
	s.queues, s.members, s.offsets = 0, 0, 0
	for name, g := range s.Groups {
		if g == nil || g.Name != name {
			return fmt.Errorf("no group behind the name %.40q", name)
		}
		if err := g.check(); err != nil {
			return err
		}
		s.queues += len(g.Queues)
		s.members += len(g.Members)
		for _, q := range g.Queues {
			s.offsets += len(q.offsets)
		}
	}
	if s.queues > maxQueues || s.members > maxMembers || s.offsets > allOffsets {
		return errors.New("more queues, members or offsets than are ever kept")
	}
	return nil
}

func (g *Group) check() error {
	orMake(&g.Members, map[string]*Member{})
	orMake(&g.Queues, map[mq.MessageQueue]*Queue{})
	for id, m := range g.Members {
		if m == nil || m.Client != id || len(m.Conns) > maxConns {
			return fmt.Errorf("no member behind the id %.40q", id)
		}
	}
	for id, q := range g.Queues {
		if q == nil || q.Queue != id || len(q.Pullers) > maxPullers || len(q.offsets) > maxOffsets {
			return fmt.Errorf("no queue behind the name %.80q", id.Path())
		}
		if !slices.IsSorted(q.offsets) {
			return fmt.Errorf("offsets of %.80q that are not in order", id.Path())
		}
		orMake(&q.Pulls, map[mq.PullStatus]int{})
	}
	return nil
}

func orMake[K comparable, V any](m *map[K]V, empty map[K]V) {
	if *m == nil {
		*m = empty
	}
}

// Size is about how many bytes of memory s takes.
func (s *State) Size() int {
	const entry, name = 64, 48 // of a map; of a text that is not shared
	n := 512 + (len(s.Clients)+len(s.Brokers))*(entry+2*name) + len(s.Ends)*(entry+176)
	for _, r := range s.Routes {
		n += 2*entry + 40*len(r.Queues) + 40*len(r.Brokers)
	}
	for _, g := range s.Groups {
		n += 4*entry + 16*len(g.Listed)
		for _, m := range g.Members {
			n += 4*entry + 8*len(m.Conns) + 160*len(m.Subscriptions)
		}
		for _, q := range g.Queues {
			n += 9*entry + 96*len(q.Pullers) + 8*cap(q.offsets) + entry
		}
	}
	return n
}
