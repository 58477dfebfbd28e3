package rebalance

import (
	"fmt"
	"slices"

	"mqscope/engine/mq"
)

// Situation is a group as its members see it: what Plan compares two of.
type Situation struct {
	Strategy Strategy // nil: Averagely
	// Deviations are members that do otherwise. The last one that names a member counts.
	Deviations []Deviation
	// Members are the client ids as a broker lists them. An id that stands there twice is
	// two clients with one name: both take the queues of the first place and, in Java's
	// clients, nobody those of the second.
	Members []string
	// EachOnce allots as if each id stood there once, as Rebalance does.
	EachOnce bool
	// Queues are those of one topic, or of several: each is allotted on its own.
	Queues []mq.MessageQueue
}

// Deviation is a strategy that only some members use: a change of strategy that is half
// rolled out or, as ByConfig, what a member was seen to hold.
type Deviation struct {
	Strategy Strategy // nil: Averagely
	Members  []string
}

// WhatIf is what a change of members, queues or strategy would lead to. Queues are in the
// order of MessageQueue.Compare, members in that of their ids. All lists are to be read only.
type WhatIf struct {
	Queues        []mq.MessageQueue // of both situations
	Common        int               // queues that are in both
	Members       []MemberPlan      // of both situations
	Before, After Picture
	Moves         []Move
	Percent       float64 // moves, of the common queues
	// Gains is how many queues the members have to take up: with an orderly listener, how
	// many locks.
	Gains int
}

// MemberPlan is what the change means to one client id.
type MemberPlan struct {
	ClientID      string
	Joins, Leaves bool
	Before, After []mq.MessageQueue
	Lost, Gained  []mq.MessageQueue
}

// Delta is how many queues more the member has afterwards.
func (m MemberPlan) Delta() int { return len(m.After) - len(m.Before) }

// Move is a queue of both situations that one member loses and another gains; the first of
// each, where there are several.
type Move struct {
	Queue    mq.MessageQueue
	From, To string
}

// Picture is how one situation looks. A sound one has no orphans, doubles, strays or twins.
type Picture struct {
	Min, Max int               // queues of the member with the fewest and the most
	Orphans  []mq.MessageQueue // that nobody gets
	Doubles  []mq.MessageQueue // that two clients or more get: each message is consumed twice
	Strays   []mq.MessageQueue // that somebody gets although the topic does not have them
	Idle     []string          // members without a queue
	Twins    []string          // client ids that several clients have
}

// Plan tells what happens when a group goes from one situation to another, by the same code
// that allots queues in a pass. It fails where a strategy does; a group without members or
// a topic without queues is no error.
func Plan(before, after Situation) (WhatIf, error) {
	was, err := before.allot()
	if err != nil {
		return WhatIf{}, fmt.Errorf("before the change: %w", err)
	}
	is, err := after.allot()
	if err != nil {
		return WhatIf{}, fmt.Errorf("after the change: %w", err)
	}
	return compare(was, is), nil
}

// outcome is a situation with what everybody gets.
type outcome struct {
	queues  []mq.MessageQueue
	members []string       // each once
	clients map[string]int // by member: how many have this id
	shares  map[string][]mq.MessageQueue
}

func (s Situation) allot() (outcome, error) {
	listed := slices.Clone(s.Members)
	slices.SortFunc(listed, mq.CompareJava)
	queues := slices.Clone(s.Queues)
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	o := outcome{
		queues:  slices.Compact(queues),
		members: slices.Compact(slices.Clone(listed)),
		clients: make(map[string]int, len(listed)),
		shares:  make(map[string][]mq.MessageQueue, len(listed)),
	}
	for _, member := range listed {
		o.clients[member]++
	}
	if s.EachOnce {
		listed = o.members
	}
	for from, to := 0, 0; from < len(o.queues) && len(listed) > 0; from = to {
		for to < len(o.queues) && o.queues[to].Topic == o.queues[from].Topic {
			to++
		}
		theirs, err := s.allotTopic(o.queues[from:to:to], listed)
		if err != nil {
			return o, fmt.Errorf("allot queues of %s: %w", o.queues[from].Topic, err)
		}
		for _, member := range o.members {
			o.shares[member] = append(o.shares[member], theirs[member]...)
		}
	}
	for member, share := range o.shares {
		slices.SortFunc(share, mq.MessageQueue.Compare)
		o.shares[member] = slices.Compact(share)
	}
	return o, nil
}

// allotTopic returns what everybody gets of one topic.
func (s Situation) allotTopic(queues []mq.MessageQueue, listed []string) (map[string][]mq.MessageQueue, error) {
	theirs, err := namedShares(s.Strategy, queues, listed)
	if err != nil {
		return nil, err
	}
	for _, d := range s.Deviations {
		others, err := namedShares(d.Strategy, queues, listed)
		if err != nil {
			return nil, err
		}
		for _, member := range d.Members {
			theirs[member] = others[member]
		}
	}
	return theirs, nil
}

// namedShares is shares with a default, and with the name of the strategy in errors.
func namedShares(s Strategy, queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error) {
	if s == nil {
		s = Averagely{}
	}
	theirs, err := shares(s, queues, members)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	return theirs, nil
}
