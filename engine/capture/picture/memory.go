package picture

import (
	"maps"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Bounds of what a Memory keeps, whatever a capture claims. Groups and queues are no more than
// a State has.
const (
	maxDetailed = 2_048   // queues with histograms and histories, of all groups together
	maxSeries   = 2_048   // brokers with histograms, of all groups together
	maxEntries  = 65_536  // events, of all groups together
	maxChanges  = 200_000 // queues that changed hands, of all groups together
	maxServers  = 10_000
	maxConns    = 50_000
	maxPerGroup = 1_000 // clients, servers and topics that a group remembers something of
)

// Memory is what screens show and a State does not keep. Its methods are for one goroutine.
type Memory struct {
	groups  map[string]*group
	servers map[string]*server // by address
	conns   map[int]string     // server of each open connection
	unnamed map[string]bool    // clients called by their address that have something
	others  ring               // events that are about no group

	lastGroup string // of the event before, for failures, which follow what they are about
	lastConn  int

	detailed, series, entries, changes int
}

// server is one address that clients spoke to.
type server struct {
	Open   int  // connections
	Names  bool // it answered as a name server does
	LastAt time.Time
}

// group is what is remembered of one consumer group.
type group struct {
	queues  map[mq.MessageQueue]*queue
	brokers map[string]*series // pulls, by broker
	total   snapshot.Counters
	clients map[string]*snapshot.Counters
	beats   map[string]time.Time // answered heartbeats, by server
	left    map[string]time.Time // members that left
	topics  map[string]bool      // whose queues a broker allots
	told    infer.MemberSeen     // what a member last said of itself
	passes  []pass
	entries ring

	locks, lite, pop bool   // what was seen of it
	why              string // the last thing that makes members rebalance
	whyAt            time.Time
	changedAt        time.Time // when a queue last changed hands
}

// NewMemory is a memory of nothing.
func NewMemory() *Memory {
	m := &Memory{}
	m.ready()
	return m
}

// ready makes the maps that are missing, as in a Memory that was stored when it was empty.
func (m *Memory) ready() {
	if m.groups == nil {
		m.groups = make(map[string]*group)
	}
	if m.servers == nil {
		m.servers = make(map[string]*server)
	}
	if m.conns == nil {
		m.conns = make(map[int]string)
	}
	if m.unnamed == nil {
		m.unnamed = make(map[string]bool)
	}
}

// group finds or makes the memory of a group that s has; nil for others.
func (m *Memory) group(s *infer.State, name string) *group {
	g := m.groups[name]
	if g == nil {
		if s.Groups[name] == nil {
			return nil
		}
		m.ready()
		g = &group{}
		m.groups[name] = g
	}
	return g
}

// queue finds or makes the memory of a queue that s has; nil for others.
func (g *group) queue(sq *infer.Queue) *queue {
	q := g.queues[sq.Queue]
	if q == nil {
		q = &queue{max: -1, committed: -1}
		put(&g.queues, sq.Queue, q)
	}
	return q
}

// put sets a value of a map that may not be made yet.
func put[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = make(map[K]V)
	}
	(*m)[k] = v
}

// putFew is put, unless the map is full and the key is new.
func putFew[K comparable, V any](m *map[K]V, k K, v V) {
	if _, ok := (*m)[k]; ok || len(*m) < maxPerGroup {
		put(m, k, v)
	}
}

// Clone copies m, so that it can be kept while m goes on.
func (m *Memory) Clone() *Memory {
	c := *m
	c.conns, c.unnamed, c.others = maps.Clone(m.conns), maps.Clone(m.unnamed), m.others.clone()
	c.servers = cloneAll(m.servers, func(s server) server { return s })
	c.groups = cloneAll(m.groups, func(g group) group {
		g.queues = cloneAll(g.queues, queue.clone)
		g.brokers = cloneAll(g.brokers, series.clone)
		g.clients = cloneAll(g.clients, func(c snapshot.Counters) snapshot.Counters { return c })
		g.beats, g.left, g.topics = maps.Clone(g.beats), maps.Clone(g.left), maps.Clone(g.topics)
		g.passes, g.entries = slices.Clone(g.passes), g.entries.clone()
		for i := range g.passes {
			g.passes[i].changes = slices.Clone(g.passes[i].changes)
		}
		return g
	})
	return &c
}

// cloneAll copies a map and what it points to.
func cloneAll[K comparable, V any](m map[K]*V, clone func(V) V) map[K]*V {
	if m == nil {
		return nil
	}
	c := make(map[K]*V, len(m))
	for k, v := range m {
		w := clone(*v)
		c[k] = &w
	}
	return c
}
