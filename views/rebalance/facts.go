package rebalance

import (
	"slices"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// facts is what a snapshot says of who has which queue of one topic.
type facts struct {
	snap  *snapshot.Snapshot
	topic string

	topics  []string
	queues  []int32 // of the topic, in the order of ids
	ids     []snapshot.MessageQueue
	blocks  []block
	short   views.ShortNames
	members []string // client ids of the group, sorted
	lines   []line   // members and other owners by id, at last one for queues without an owner
	doubles []int32  // positions of queues with two believing owners
	nobody  []int32  // positions of queues without a known owner
	unread  []int32  // positions of queues whose owner does not want the topic
	idle    int      // members without a queue
	locked  bool     // the topic's queues are locked at the broker
	each    bool     // each member reads all queues, and nobody owns one
	old     bool     // an owner is known from long ago only
	why     string   // owners are not known, untrusted text
	sign    uint64   // changes when owners or members do

	differs map[string][]snapshot.Difference // by member that subscribes otherwise
}

// block is the queues of one broker, which stand side by side.
type block struct {
	broker  string
	from, n int
}

// line is one member: the positions of the queues that it has on either side.
type line struct {
	id            string
	me            bool
	nobody        bool // stands for queues without an owner
	listed        bool // in the member list
	joins, leaves bool
	before, after []int32
	cached        int // messages of the topic that it holds, of ourselves only
	missing       int // queues of which that is not known
	inListener    int
}

// facts returns what is known of a topic; an unknown topic is the first one.
func (v *View) facts(s *snapshot.Snapshot, topic string) *facts {
	f := &v.memo
	if f.snap == s && f.topic == topic {
		return f
	}
	*f = facts{snap: s, topic: topic, topics: topicsOf(s), short: views.ShortBrokers(s), queues: f.queues[:0], ids: f.ids[:0], blocks: f.blocks[:0]}
	name := f.current()
	for i := range s.Queues {
		q := &s.Queues[i]
		if q.ID.Topic != name || q.ID.QueueID < 0 {
			continue // below zero are clients that leave the queue to the broker
		}
		if n := len(f.blocks); n == 0 || f.blocks[n-1].broker != q.ID.BrokerName {
			f.blocks = append(f.blocks, block{broker: q.ID.BrokerName, from: len(f.queues)})
		}
		f.blocks[len(f.blocks)-1].n++
		f.queues = append(f.queues, int32(i))
		f.ids = append(f.ids, q.ID)
	}
	f.each = s.Replay.Inferred && s.Replay.Client == "" && s.Group.Model.String() == "BROADCASTING" && len(s.Members) > 1
	f.owners()
	return f
}

// current is the topic on show: the one asked for, or the first.
func (f *facts) current() string {
	if slices.Contains(f.topics, f.topic) || len(f.topics) == 0 {
		return f.topic
	}
	return f.topics[0]
}

// topicsOf are the topics of a consumer, those with many queues before retry topics.
func topicsOf(s *snapshot.Snapshot) []string {
	var out []string
	for i := range s.Topics {
		out = append(out, s.Topics[i].Name)
	}
	for i := range s.Group.Subscriptions {
		out = append(out, s.Group.Subscriptions[i].Topic)
	}
	for i := range s.Queues {
		if i == 0 || s.Queues[i].ID.Topic != s.Queues[i-1].ID.Topic {
			out = append(out, s.Queues[i].ID.Topic)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if r, q := strings.HasPrefix(a, "%"), strings.HasPrefix(b, "%"); r != q {
			if r {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(out)
}

// owners finds who has which queue.
func (f *facts) owners() {
	s := f.snap
	at := map[string]int{}
	add := func(id string) int {
		i, ok := at[id]
		if !ok {
			i = len(f.lines)
			at[id] = i
			f.lines = append(f.lines, line{id: id, me: id == s.Group.ClientID && id != ""})
		}
		return i
	}
	if s.MembersKnown.State != snapshot.Unknown || len(s.Members) > 0 {
		for i := range s.Members {
			l := add(s.Members[i].ID)
			f.lines[l].listed, f.lines[l].me = true, f.lines[l].me || s.Members[i].Me
			f.members = append(f.members, s.Members[i].ID)
			if differs := s.Members[i].Differs; len(differs) > 0 {
				if f.differs == nil {
					f.differs = map[string][]snapshot.Difference{}
				}
				f.differs[s.Members[i].ID] = differs
			}
		}
	}
	slices.Sort(f.members)
	f.members = slices.Compact(f.members)
	f.sign = 14695981039346656037 // FNV-1a
	put := func(s string, end byte) {
		for i := range len(s) {
			f.sign = (f.sign ^ uint64(s[i])) * 1099511628211
		}
		f.sign = (f.sign ^ uint64(end)) * 1099511628211
	}
	for pos, i := range f.queues {
		q := &s.Queues[i]
		lock := &q.Lock
		if q.Unread {
			f.unread = append(f.unread, int32(pos))
		}
		f.locked = f.locked || lock.Used
		switch {
		case q.Owner.OK() && q.Owner.V != "":
			l := add(q.Owner.V)
			f.lines[l].before = append(f.lines[l].before, int32(pos))
			f.old = f.old || q.Owner.State == snapshot.Stale
			if q.Mine || q.Inferred {
				f.lines[l].inListener += q.InListener
				f.lines[l].cached += q.Count.V
				if q.Count.State == snapshot.Unknown {
					f.lines[l].missing++
				}
			}
		case f.each:
		default:
			f.nobody = append(f.nobody, int32(pos))
			if f.why == "" {
				f.why = q.Owner.Reason
			}
		}
		put(q.Owner.V, 0)
		if len(lock.Believers) > 1 {
			f.doubles = append(f.doubles, int32(pos))
			for _, id := range lock.Believers {
				if !q.Owner.OK() || id != q.Owner.V {
					l := add(id)
					f.lines[l].before = append(f.lines[l].before, int32(pos))
				}
			}
		}
	}
	for _, id := range f.members {
		put(id, 1)
	}
	for i := range f.lines {
		for pos := range f.queues {
			if f.each {
				f.lines[i].before = append(f.lines[i].before, int32(pos))
			}
		}
	}
	slices.SortFunc(f.lines, func(a, b line) int { return strings.Compare(a.id, b.id) })
	for i := range f.lines {
		if f.lines[i].listed && len(f.lines[i].before) == 0 && len(f.queues) > 0 {
			f.idle++
		}
	}
	if len(f.nobody) > 0 {
		f.lines = append(f.lines, line{nobody: true, before: f.nobody})
	}
}

// spread is the least and the most queues that a member has.
func (f *facts) spread() (least, most int) {
	first := true
	for i := range f.lines {
		if l := &f.lines[i]; l.listed {
			n := len(l.before)
			if first {
				least = n
			}
			least, most, first = min(least, n), max(most, n), false
		}
	}
	return least, most
}
