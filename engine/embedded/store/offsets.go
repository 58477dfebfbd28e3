package store

import (
	"maps"
	"slices"
)

// Offsets keeps one number per group, topic and queue: consume offsets, remembered pull
// offsets, pending resets (Java: ConsumerOffsetManager). The zero value is empty.
type Offsets struct {
	table map[groupTopic]map[int32]int64
}

type groupTopic struct{ group, topic string }

// Get returns the offset stored for a queue.
func (o *Offsets) Get(group, topic string, queue int32) (int64, bool) {
	v, ok := o.table[groupTopic{group, topic}][queue]
	return v, ok
}

// Put stores any value: brokers check neither range nor direction.
func (o *Offsets) Put(group, topic string, queue int32, offset int64) {
	if o.table == nil {
		o.table = map[groupTopic]map[int32]int64{}
	}
	k := groupTopic{group, topic}
	m := o.table[k]
	if m == nil {
		m = map[int32]int64{}
		o.table[k] = m
	}
	m[queue] = offset
}

// Take returns the value of a queue and forgets it.
func (o *Offsets) Take(group, topic string, queue int32) (int64, bool) {
	k := groupTopic{group, topic}
	v, ok := o.table[k][queue]
	if ok {
		delete(o.table[k], queue)
		if len(o.table[k]) == 0 {
			delete(o.table, k)
		}
	}
	return v, ok
}

// Queues returns a copy of what is stored for a group and topic.
func (o *Offsets) Queues(group, topic string) map[int32]int64 {
	return maps.Clone(o.table[groupTopic{group, topic}])
}

// Topics lists, sorted, the topics for which group has an offset.
func (o *Offsets) Topics(group string) []string {
	var names []string
	for k := range o.table {
		if k.group == group {
			names = append(names, k.topic)
		}
	}
	slices.Sort(names)
	return names
}

// Groups lists, sorted, the groups that have an offset for topic.
func (o *Offsets) Groups(topic string) []string {
	var names []string
	for k := range o.table {
		if k.topic == topic {
			names = append(names, k.group)
		}
	}
	slices.Sort(names)
	return names
}

// Pair is a group and a topic that something is stored for.
type Pair struct{ Group, Topic string }

// Pairs lists, sorted, all groups and topics.
func (o *Offsets) Pairs() []Pair {
	pairs := make([]Pair, 0, len(o.table))
	for k := range o.table {
		pairs = append(pairs, Pair{k.group, k.topic})
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		if a.Group != b.Group {
			return cmpText(a.Group, b.Group)
		}
		return cmpText(a.Topic, b.Topic)
	})
	return pairs
}

func cmpText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// DeleteTopic forgets all offsets of a topic.
func (o *Offsets) DeleteTopic(topic string) {
	maps.DeleteFunc(o.table, func(k groupTopic, _ map[int32]int64) bool { return k.topic == topic })
}

// DeleteGroup forgets all offsets of a group.
func (o *Offsets) DeleteGroup(group string) {
	maps.DeleteFunc(o.table, func(k groupTopic, _ map[int32]int64) bool { return k.group == group })
}
