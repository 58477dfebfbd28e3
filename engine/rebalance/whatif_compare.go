package rebalance

import (
	"slices"

	"mqscope/engine/mq"
)

// nobody is the index of no member.
const nobody = -1

// comparison gives each queue of two outcomes a number, so that the rest is counting.
type comparison struct {
	known  int               // so many queues are of the topics, in order; strays follow
	queues []mq.MessageQueue // by number
	number map[mq.MessageQueue]int
}

// side is an outcome in numbers.
type side struct {
	outcome
	numbers [][]int // of the queues, by index in the member list of both sides
	topic   []bool  // by queue: the topic has it
}

func compare(before, after outcome) WhatIf {
	w := WhatIf{Queues: union(before.queues, after.queues, mq.MessageQueue.Compare)}
	w.Common = len(before.queues) + len(after.queues) - len(w.Queues)
	members := union(before.members, after.members, mq.CompareJava)
	c := comparison{known: len(w.Queues), queues: slices.Clip(w.Queues), number: make(map[mq.MessageQueue]int, len(w.Queues))}
	for i, q := range w.Queues {
		c.number[q] = i
	}
	was, is := c.side(before, members), c.side(after, members)
	var from, to []int
	w.Members, from, to = c.plans(members, was, is)
	w.Before, w.After = c.picture(members, was), c.picture(members, is)
	for i, q := range w.Queues {
		if was.topic[i] && is.topic[i] && from[i] != nobody && to[i] != nobody {
			w.Moves = append(w.Moves, Move{Queue: q, From: members[from[i]], To: members[to[i]]})
		}
	}
	if w.Common > 0 {
		w.Percent = 100 * float64(len(w.Moves)) / float64(w.Common)
	}
	for _, m := range w.Members {
		w.Gains += len(m.Gained)
	}
	return w
}

// union returns what is in two sorted lists, each once.
func union[T comparable](a, b []T, order func(T, T) int) []T {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, order)
	return slices.Compact(all)
}

// side numbers the queues of o. Those that no topic has get numbers after all others.
func (c *comparison) side(o outcome, members []string) side {
	s := side{outcome: o, numbers: make([][]int, len(members))}
	for i, member := range members {
		queues := o.shares[member]
		numbers := make([]int, len(queues))
		for j, q := range queues {
			n, ok := c.number[q]
			if !ok {
				n = len(c.queues)
				c.number[q], c.queues = n, append(c.queues, q)
			}
			numbers[j] = n
		}
		s.numbers[i] = numbers
	}
	if len(o.queues) == c.known {
		s.topic = slices.Repeat([]bool{true}, c.known)
		return s
	}
	s.topic = make([]bool, c.known)
	for _, q := range o.queues {
		s.topic[c.number[q]] = true
	}
	return s
}

// plans says what each member loses and gains, and of each queue the first member that
// loses and the first that gains it.
func (c *comparison) plans(members []string, was, is side) (plans []MemberPlan, from, to []int) {
	plans = make([]MemberPlan, len(members))
	from = slices.Repeat([]int{nobody}, len(c.queues))
	to, had, has := slices.Clone(from), slices.Clone(from), slices.Clone(from)
	for i, member := range members {
		for _, n := range was.numbers[i] {
			had[n] = i
		}
		for _, n := range is.numbers[i] {
			has[n] = i
		}
		plans[i] = MemberPlan{
			ClientID: member,
			Joins:    was.clients[member] == 0,
			Leaves:   is.clients[member] == 0,
			Before:   was.shares[member],
			After:    is.shares[member],
			Lost:     c.missing(was.numbers[i], i, has, from),
			Gained:   c.missing(is.numbers[i], i, had, to),
		}
	}
	return plans, from, to
}

// missing returns those queues of a member that it is not the last one seen with, and notes
// the first to miss each.
func (c *comparison) missing(numbers []int, member int, seen, first []int) []mq.MessageQueue {
	var out []mq.MessageQueue
	for _, n := range numbers {
		if seen[n] == member {
			continue
		}
		out = append(out, c.queues[n])
		if first[n] == nobody {
			first[n] = member
		}
	}
	return out
}

func (c *comparison) picture(members []string, s side) Picture {
	var p Picture
	clients := make([]int, len(c.queues)) // by queue: how many get it
	counts := make([]int, 0, len(s.members))
	for i, member := range members {
		times := s.clients[member]
		if times == 0 {
			continue
		}
		for _, n := range s.numbers[i] {
			clients[n] += times
		}
		counts = append(counts, len(s.numbers[i]))
		if len(s.numbers[i]) == 0 {
			p.Idle = append(p.Idle, member)
		}
		if times > 1 {
			p.Twins = append(p.Twins, member)
		}
	}
	if len(counts) > 0 {
		p.Min, p.Max = slices.Min(counts), slices.Max(counts)
	}
	for n, q := range c.queues {
		inTopic := n < c.known && s.topic[n]
		switch {
		case inTopic && clients[n] == 0:
			p.Orphans = append(p.Orphans, q)
		case !inTopic && clients[n] > 0:
			p.Strays = append(p.Strays, q)
		}
		if clients[n] > 1 {
			p.Doubles = append(p.Doubles, q)
		}
	}
	slices.SortFunc(p.Doubles, mq.MessageQueue.Compare)
	slices.SortFunc(p.Strays, mq.MessageQueue.Compare)
	return p
}
