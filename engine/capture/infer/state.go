package infer

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// Bounds of what a State remembers, whatever a capture claims.
const (
	maxGroups  = 10_000
	maxQueues  = 50_000 // of all groups together
	maxMembers = 20_000 // of all groups together
	maxClients = 50_000
	maxTopics  = 50_000
	maxRouted  = 500_000 // queues and addresses of all routes together
	maxConns   = 64      // of one member
	maxOffsets = 100_000 // delivered but not committed, of one queue
	allOffsets = 4_000_000
)

// State is what was seen up to an event. Its maps and values are for reading.
type State struct {
	At      time.Time
	Seq     uint64            // of the last event
	Clients map[string]string // client by address
	Brokers map[string]string // broker name by address
	Routes  map[string]Route  // by topic
	Groups  map[string]*Group
	Ends    map[mq.MessageQueue]Ends
	Dropped int // things that did not fit into the bounds
	Gaps    int // notes of bytes missing from the capture

	queues, members, offsets, routed int
}

// Route is the newest route of a topic.
type Route struct {
	At      time.Time
	Known   bool
	Queues  []mq.MessageQueue
	Brokers []Broker
}

// Ends is what answers told of the ends of a queue.
type Ends struct{ Min, Max snapshot.Val[int64] }

// Group is one consumer group.
type Group struct {
	Name     string
	Members  map[string]*Member // by client
	Queues   map[mq.MessageQueue]*Queue
	Listed   []string // the members that a broker last told
	ListedAt time.Time
	// ChangedAt is when a broker last told a member that the members changed.
	ChangedAt time.Time
	SentBack  int
}

// Member is one client in a group.
type Member struct {
	Client        string
	Conns         []int // on which its heartbeats came, of those still open
	Since         time.Time
	LastBeat      time.Time
	Model         mq.MessageModel
	Type          mq.ConsumeType
	From          mq.ConsumeFromWhere
	Subscriptions []protocol.SubscriptionData
}

// Queue is one queue as one group uses it.
type Queue struct {
	Queue   mq.MessageQueue
	Pullers []Puller // who pulls it, in the order in which they began
	// Next is the offset of the next pull; Committed what the broker has for the group.
	Next, Committed snapshot.Val[int64]
	// Window is how many messages were delivered and not committed.
	Window     snapshot.Val[int]
	Lock       Lock
	LastStatus mq.PullStatus
	LastAt     time.Time // of the last answer to a pull
	Pulls      map[mq.PullStatus]int
	Delivered  int // messages
	Acked      int // popped messages
	Deferred   int // popped messages whose time to come back was changed

	lastAsker string
	offsets   []int64 // delivered, not below Committed, rising
	blind     string  // why offsets are not all
}

// Puller is a client that pulls a queue.
type Puller struct {
	Client string
	Since  time.Time
	Last   time.Time // when it last asked or was answered
	Open   int       // pulls that are at the broker
	Pop    bool
}

// Lock is who holds the lock of a queue. It is nobody when Client is empty, as far as seen.
type Lock struct {
	Client         string
	Since, Renewed time.Time
	Renewals       int
}

// NewState is a picture of nothing.
func NewState() *State {
	return &State{
		Clients: make(map[string]string), Brokers: make(map[string]string), Routes: make(map[string]Route),
		Groups: make(map[string]*Group), Ends: make(map[mq.MessageQueue]Ends),
	}
}

// Clone copies s, so that it can be kept while s goes on.
func (s *State) Clone() *State {
	c := *s
	c.Clients, c.Brokers, c.Routes = maps.Clone(s.Clients), maps.Clone(s.Brokers), maps.Clone(s.Routes)
	c.Ends, c.Groups = maps.Clone(s.Ends), make(map[string]*Group, len(s.Groups))
	for name, g := range s.Groups {
		d := *g
		d.Members, d.Queues = make(map[string]*Member, len(g.Members)), make(map[mq.MessageQueue]*Queue, len(g.Queues))
		for id, m := range g.Members {
			m := *m
			m.Conns = slices.Clone(m.Conns)
			d.Members[id] = &m
		}
		for mq, q := range g.Queues {
			q := *q
			q.Pullers, q.offsets, q.Pulls = slices.Clone(q.Pullers), slices.Clone(q.offsets), maps.Clone(q.Pulls)
			d.Queues[mq] = &q
		}
		c.Groups[name] = &d
	}
	return &c
}

// At folds events up to and including t; they are in the order of their Seq.
func At(events []Event, t time.Time) *State {
	s := NewState()
	for _, e := range events {
		if e.At.After(t) {
			break
		}
		s.Step(e)
	}
	return s
}

// Lag is how many messages the group has not committed yet.
func (s *State) Lag(group string, q mq.MessageQueue) snapshot.Val[int64] {
	g := s.Groups[group]
	switch {
	case g == nil || g.Queues[q] == nil:
		return snapshot.UnknownBecause[int64]("the group was not seen to use the queue")
	case g.Queues[q].Committed.State == snapshot.NotApplicable:
		return snapshot.NA[int64]()
	case !g.Queues[q].Committed.OK():
		return snapshot.UnknownBecause[int64](g.Queues[q].Committed.Reason)
	}
	end := s.Ends[q].Max
	if !end.OK() {
		return snapshot.UnknownBecause[int64]("no answer told where the queue ends")
	}
	c := g.Queues[q].Committed
	at := c.At
	if end.At.Before(at) {
		at = end.At
	}
	return snapshot.Of(end.V-c.V, at)
}

// SortedGroups are the groups by name.
func (s *State) SortedGroups() []*Group {
	return slices.SortedFunc(maps.Values(s.Groups), func(a, b *Group) int { return cmp.Compare(a.Name, b.Name) })
}

// SortedQueues are the queues of g in their usual order.
func (g *Group) SortedQueues() []*Queue {
	return slices.SortedFunc(maps.Values(g.Queues), func(a, b *Queue) int { return a.Queue.Compare(b.Queue) })
}

// Owner is who began to pull the queue last; false when nobody does.
func (q *Queue) Owner() (Puller, bool) {
	if len(q.Pullers) == 0 {
		return Puller{}, false
	}
	return q.Pullers[len(q.Pullers)-1], true
}

func (q *Queue) puller(client string) *Puller {
	for i := range q.Pullers {
		if q.Pullers[i].Client == client {
			return &q.Pullers[i]
		}
	}
	return nil
}

func (q *Queue) pulledBy(client string) bool { return q.puller(client) != nil }
