package route

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Table has the newest route of each topic and, over all topics, the addresses of each
// broker name. It is not safe for concurrent use.
type Table struct {
	limits  Limits
	topics  map[string]entry
	brokers map[string]brokerEntry
}

type entry struct {
	topic *Topic
	seq   uint64
}

type brokerEntry struct {
	Broker
	seq uint64
}

// NewTable returns an empty table.
func NewTable(limits Limits) *Table {
	return &Table{limits: limits, topics: map[string]entry{}, brokers: map[string]brokerEntry{}}
}

// Change is what Apply did.
type Change struct {
	Topic *Topic // the route in force now
	First bool   // no route of the topic was known before
	// Stale says that a newer question was answered before: nothing was taken.
	Stale   bool
	Changed bool // something differs from the route before
	// QueuesChanged says that the readable queues differ.
	QueuesChanged bool
	// Moved has the names of brokers whose addresses changed, sorted.
	Moved []string
	// Gone has the addresses that brokers moved away from and that no broker has now.
	Gone []Found
}

// Apply takes in the answer to the seq-th question for a route. Answers may come in another
// order than their questions were sent: one that is older than what is stored is not used,
// neither for the topic nor for any of its brokers. A rejected route changes nothing.
func (t *Table) Apply(topic string, seq uint64, data *protocol.TopicRouteData) (Change, error) {
	next, err := New(topic, data, t.limits)
	if err != nil {
		return Change{}, err
	}
	old, known := t.topics[topic]
	if known && old.seq > seq {
		return Change{Topic: old.topic, Stale: true}, nil
	}
	c := Change{Topic: next, First: !known, Changed: true, QueuesChanged: true}
	if known {
		c.Changed = !next.equal(old.topic)
		c.QueuesChanged = !slices.Equal(next.readable, old.topic.readable)
	}
	t.topics[topic] = entry{next, seq}
	c.Moved, c.Gone = t.move(next.Brokers, seq)
	return c, nil
}

// move replaces the addresses of brokers, whole names at a time.
func (t *Table) move(brokers []Broker, seq uint64) (moved []string, gone []Found) {
	for _, b := range brokers {
		was, ok := t.brokers[b.Name]
		if ok && was.seq > seq {
			continue
		}
		t.brokers[b.Name] = brokerEntry{b, seq}
		if maps.Equal(was.Addrs, b.Addrs) {
			continue
		}
		moved = append(moved, b.Name)
		for id, a := range was.Addrs {
			gone = append(gone, Found{b.Name, id, a})
		}
	}
	if len(gone) == 0 {
		return moved, nil
	}
	inUse := map[string]struct{}{}
	for _, b := range t.brokers {
		for _, a := range b.Addrs {
			inUse[a] = struct{}{}
		}
	}
	gone = slices.DeleteFunc(gone, func(f Found) bool { _, ok := inUse[f.Addr]; return ok })
	slices.SortFunc(gone, compareFound)
	return moved, gone
}

// Topic returns the route of a topic.
func (t *Table) Topic(name string) (*Topic, bool) {
	e, ok := t.topics[name]
	return e.topic, ok
}

// Topics returns the names of all topics with a route, sorted.
func (t *Table) Topics() []string { return slices.Sorted(maps.Keys(t.topics)) }

// Forget drops the route of a topic. Addresses stay until DropOffline.
func (t *Table) Forget(topic string) { delete(t.topics, topic) }

// DropOffline removes each address that stands in no route any more, and broker names
// without an address, and returns what it removed, sorted by broker name and id
// (Java: MQClientInstance.cleanOfflineBroker).
func (t *Table) DropOffline() []Found {
	inUse := map[string]struct{}{}
	named := map[string]struct{}{}
	for _, e := range t.topics {
		for _, b := range e.topic.Brokers {
			named[b.Name] = struct{}{}
			for _, a := range b.Addrs {
				inUse[a] = struct{}{}
			}
		}
	}
	var gone []Found
	for name, b := range t.brokers {
		left := map[int64]string{}
		for id, a := range b.Addrs {
			if _, ok := inUse[a]; ok {
				left[id] = a
				continue
			}
			gone = append(gone, Found{name, id, a})
		}
		// A name whose addresses were all refused stays, so that lookups can say why.
		if _, ok := named[name]; len(left) == 0 && !ok {
			delete(t.brokers, name)
			continue
		}
		b.Addrs = left
		t.brokers[name] = b
	}
	slices.SortFunc(gone, compareFound)
	return gone
}

// Found is one address of a broker.
type Found struct {
	BrokerName string
	ID         int64
	Addr       string
}

// Slave tells whether the address is not the master's.
func (f Found) Slave() bool { return f.ID != mq.MasterID }

func compareFound(a, b Found) int {
	return cmp.Or(strings.Compare(a.BrokerName, b.BrokerName), cmp.Compare(a.ID, b.ID), strings.Compare(a.Addr, b.Addr))
}

// Find looks up the address of a broker by name and id: the exact id; for a slave that is
// not there the next higher id; and, unless onlyThis, any other address, the lowest id first
// (Java: MQClientInstance.findBrokerAddressInSubscribe).
func (t *Table) Find(name string, id int64, onlyThis bool) (Found, bool) {
	b, ok := t.brokers[name]
	if !ok {
		return Found{}, false
	}
	if a, ok := b.Addrs[id]; ok {
		return Found{name, id, a}, true
	}
	if id != mq.MasterID && id != math.MaxInt64 {
		if a, ok := b.Addrs[id+1]; ok {
			return Found{name, id + 1, a}, true
		}
	}
	if onlyThis || len(b.Addrs) == 0 {
		return Found{}, false
	}
	lowest := slices.Min(slices.Collect(maps.Keys(b.Addrs)))
	return Found{name, lowest, b.Addrs[lowest]}, true
}

// BrokersOf returns one address of each broker in the route of a topic, sorted by name: the
// master's, or a slave's that pick chooses among n (Java: findBrokerAddrByTopic, which takes
// a random one of them).
func (t *Table) BrokersOf(topic string, pick func(n int) int) []Found {
	e, ok := t.topics[topic]
	if !ok {
		return nil
	}
	var all []Found
	for _, b := range e.topic.Brokers {
		cur, ok := t.brokers[b.Name]
		if !ok || len(cur.Addrs) == 0 {
			continue
		}
		id := int64(mq.MasterID)
		if _, ok := cur.Addrs[id]; !ok {
			ids := slices.Sorted(maps.Keys(cur.Addrs))
			id = ids[pick(len(ids))]
		}
		all = append(all, Found{b.Name, id, cur.Addrs[id]})
	}
	return all
}

// Addrs returns every known address, sorted by broker name and id.
func (t *Table) Addrs() []Found {
	var all []Found
	for name, b := range t.brokers {
		for id, a := range b.Addrs {
			all = append(all, Found{name, id, a})
		}
	}
	slices.SortFunc(all, compareFound)
	return all
}

// NameOf tells whose address addr is: the first broker's by name and id.
func (t *Table) NameOf(addr string) (Found, bool) {
	var found Found
	known := false
	for name, b := range t.brokers {
		for id, a := range b.Addrs {
			if f := (Found{name, id, a}); a == addr && (!known || compareFound(f, found) < 0) {
				found, known = f, true
			}
		}
	}
	return found, known
}

// Refused returns the addresses of a broker that were not taken.
func (t *Table) Refused(name string) []Refusal { return t.brokers[name].Refused }
