package rebalance

import (
	"slices"

	"mqscope/engine/mq"
)

// nobody is the index of no member.
const nobody = -1

// comparison gives each queue of two outcomes a number, so that the rest is counting.
type comparison struct {
	queues   []mq.MessageQueue // of both topics, then strays, in order
	number   map[mq.MessageQueue]int
	from, to []int // by queue: the first member that loses or gains it
}

func compare(was, is outcome) WhatIf {
	w := WhatIf{Queues: union(was.queues, is.queues)}
	w.Common = len(was.queues) + len(is.queues) - len(w.Queues)
	c := number(w.Queues, was, is)
	members := slices.Concat(was.members, is.members)
	slices.SortFunc(members, mq.CompareJava)
	members = slices.Compact(members)
	w.Members = c.plans(members, was, is)
	w.Before, w.After = c.picture(was), c.picture(is)
	for i, q := range c.queues {
		if c.from[i] != nobody && c.to[i] != nobody {
			w.Moves = append(w.Moves, Move{Queue: q, From: members[c.from[i]], To: members[c.to[i]]})
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

// union returns the queues of two sorted lists, each once.
func union(a, b []mq.MessageQueue) []mq.MessageQueue {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, mq.MessageQueue.Compare)
	return slices.Compact(all)
}

func number(known []mq.MessageQueue, outcomes ...outcome) *comparison {
	c := &comparison{queues: slices.Clip(known), number: make(map[mq.MessageQueue]int, len(known))}
	for i, q := range known {
		c.number[q] = i
	}
	for _, o := range outcomes {
		for _, member := range o.members {
			for _, q := range o.shares[member] {
				if _, ok := c.number[q]; !ok {
					c.number[q] = len(c.queues)
					c.queues = append(c.queues, q)
				}
			}
		}
	}
	c.from = slices.Repeat([]int{nobody}, len(c.queues))
	c.to = slices.Clone(c.from)
	return c
}

// plans says what each member loses and gains.
func (c *comparison) plans(members []string, was, is outcome) []MemberPlan {
	plans := make([]MemberPlan, len(members))
	had := slices.Repeat([]int{nobody}, len(c.queues)) // by queue: the last member seen with it
	has := slices.Clone(had)
	for i, member := range members {
		p := &plans[i]
		*p = MemberPlan{
			ClientID: member, Before: was.shares[member], After: is.shares[member],
			Joins: was.clients[member] == 0, Leaves: is.clients[member] == 0,
		}
		c.mark(had, i, p.Before)
		c.mark(has, i, p.After)
		p.Lost = c.missing(p.Before, has, i, c.from)
		p.Gained = c.missing(p.After, had, i, c.to)
	}
	return plans
}

func (c *comparison) mark(seen []int, member int, queues []mq.MessageQueue) {
	for _, q := range queues {
		seen[c.number[q]] = member
	}
}

// missing returns the queues that member was not seen with, and notes it as the first to
// lose or gain them.
func (c *comparison) missing(queues []mq.MessageQueue, seen []int, member int, first []int) []mq.MessageQueue {
	var out []mq.MessageQueue
	for _, q := range queues {
		n := c.number[q]
		if seen[n] == member {
			continue
		}
		out = append(out, q)
		if first[n] == nobody {
			first[n] = member
		}
	}
	return out
}

func (c *comparison) picture(o outcome) Picture {
	var p Picture
	clients := make([]int, len(c.queues)) // by queue: how many get it
	for i, member := range o.members {
		queues := o.shares[member]
		if p.Max = max(p.Max, len(queues)); i == 0 {
			p.Min = len(queues)
		}
		p.Min = min(p.Min, len(queues))
		if len(queues) == 0 {
			p.Idle = append(p.Idle, member)
		}
		if o.clients[member] > 1 {
			p.Twins = append(p.Twins, member)
		}
		for _, q := range queues {
			clients[c.number[q]] += o.clients[member]
		}
	}
	known := make([]bool, len(c.queues))
	for _, q := range o.queues {
		n := c.number[q]
		known[n] = true
		if clients[n] == 0 {
			p.Orphans = append(p.Orphans, q)
		}
	}
	for n, q := range c.queues {
		if clients[n] > 1 {
			p.Doubles = append(p.Doubles, q)
		}
		if clients[n] > 0 && !known[n] {
			p.Strays = append(p.Strays, q)
		}
	}
	slices.SortFunc(p.Doubles, mq.MessageQueue.Compare)
	slices.SortFunc(p.Strays, mq.MessageQueue.Compare)
	return p
}
