package rebalance

import (
	"slices"
	"strings"
	"time"

	"mqscope/engine/snapshot"
)

// askAgain is how old an answer may get: what it says of messages held changes all the time.
const askAgain = 5 * time.Second

// answer is what the planner said to a question.
type answer struct {
	req  snapshot.PlanRequest
	sign uint64
	at   time.Time
	plan snapshot.Plan
}

// ask returns the plan for p. The planner is asked when the question, the owners or the
// members are others than before, and now and then.
func (v *View) ask(f *facts, p Params, now time.Time) *snapshot.Plan {
	req := p.request(f.snap, f.current(), f.members)
	a := &v.answer
	age := now.Sub(a.at)
	if a.sign == f.sign && age >= 0 && age < askAgain && a.req.Topic == req.Topic && a.req.Strategy == req.Strategy && slices.Equal(a.req.Members, req.Members) {
		return &a.plan
	}
	*a = answer{req: req, sign: f.sign, at: now, plan: f.snap.WhatIf(req)}
	return &a.plan
}

// table is both sides of the screen.
type table struct {
	ids    []snapshot.MessageQueue
	blocks []block
	lines  []line
	double []int32 // positions that two members have on the left
	two    bool    // there is a right side
	past   bool    // both are of a rebalance that was seen
}

// now is the left side alone.
func (f *facts) now() table {
	return table{ids: f.ids, blocks: f.blocks, lines: f.lines, double: f.doubles}
}

// with adds what a plan says on the right.
func (f *facts) with(p *snapshot.Plan) table {
	t := f.now()
	t.two = true
	t.lines = slices.Clone(f.lines)
	position := make(map[snapshot.MessageQueue]int32, len(f.ids))
	for i, id := range f.ids {
		position[id] = int32(i)
	}
	at := make(map[string]int, len(t.lines))
	for i := range t.lines {
		t.lines[i].after, t.lines[i].leaves = nil, t.lines[i].listed
		if !t.lines[i].nobody {
			at[t.lines[i].id] = i
		}
	}
	places := func(queues []snapshot.MessageQueue) (out []int32) {
		for _, q := range queues {
			if i, ok := position[q]; ok {
				out = append(out, i)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for i := range p.Members {
		m := &p.Members[i]
		l, ok := at[m.ID]
		if !ok {
			l = len(t.lines)
			at[m.ID] = l
			t.lines = append(t.lines, line{id: m.ID})
		}
		t.lines[l].after, t.lines[l].joins, t.lines[l].leaves = places(m.After), m.Joins, m.Leaves
	}
	orphans := places(p.Orphans)
	if i := slices.IndexFunc(t.lines, func(l line) bool { return l.nobody }); i >= 0 {
		t.lines[i].after = orphans
	} else if len(orphans) > 0 {
		t.lines = append(t.lines, line{nobody: true, after: orphans})
	}
	slices.SortStableFunc(t.lines, byID)
	return t
}

// byID puts the line of queues without an owner last.
func byID(a, b line) int {
	if a.nobody != b.nobody {
		if a.nobody {
			return 1
		}
		return -1
	}
	return strings.Compare(a.id, b.id)
}

// passOf is the rebalance of the topic on show at a time, and its number of how many; nil
// when that is gone.
func (f *facts) passOf(at time.Time) (pass *snapshot.Rebalance, n, of int) {
	for i := range f.snap.Rebalances {
		r := &f.snap.Rebalances[i]
		if r.Topic != f.current() {
			continue
		}
		of++
		if r.At.Equal(at) && !at.IsZero() {
			pass, n = r, of
		}
	}
	return pass, n, of
}

// turn is the time of the rebalance before or after the one on show; zero is now, which comes
// after the last one. ok is false when there is none in that direction.
func (f *facts) turn(at time.Time, back bool) (_ time.Time, ok bool) {
	var all []time.Time
	for i := range f.snap.Rebalances {
		if r := &f.snap.Rebalances[i]; r.Topic == f.current() && !r.At.IsZero() {
			all = append(all, r.At)
		}
	}
	i := slices.IndexFunc(all, at.Equal)
	if at.IsZero() || i < 0 {
		i = len(all)
	}
	switch {
	case back && i > 0:
		return all[i-1], true
	case back || i >= len(all):
		return at, false
	case i+1 < len(all):
		return all[i+1], true
	}
	return time.Time{}, true
}

// of is the table of a rebalance that was seen.
func of(r *snapshot.Rebalance, me string) table {
	t := table{ids: r.Queues, two: true, past: true}
	at := map[string]int{}
	add := func(id string) *line {
		i, ok := at[id]
		if !ok {
			i = len(t.lines)
			at[id] = i
			t.lines = append(t.lines, line{id: id, me: id == me && id != "", nobody: id == ""})
		}
		return &t.lines[i]
	}
	for _, id := range r.Members {
		if id != "" {
			add(id).listed = true
		}
	}
	owner := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return ""
	}
	for i, q := range r.Queues {
		if n := len(t.blocks); n == 0 || t.blocks[n-1].broker != q.BrokerName {
			t.blocks = append(t.blocks, block{broker: q.BrokerName, from: i})
		}
		t.blocks[len(t.blocks)-1].n++
		b := add(owner(r.Before, i))
		b.before = append(b.before, int32(i))
		a := add(owner(r.After, i))
		a.after = append(a.after, int32(i))
	}
	for i := range t.lines {
		l := &t.lines[i]
		l.joins, l.leaves = l.listed && len(l.before) == 0 && len(l.after) > 0, !l.listed && !l.nobody
	}
	slices.SortStableFunc(t.lines, byID)
	return t
}

// moved is how many queues of a rebalance have another owner than before.
func moved(r *snapshot.Rebalance) (n int) {
	for i := range r.Queues {
		if i < len(r.Before) && i < len(r.After) && r.Before[i] != r.After[i] {
			n++
		}
	}
	return n
}

// diff is what is in a and not in b; both are sorted.
func diff(a, b []int32) (out []int32) {
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); !ok {
			out = append(out, x)
		}
	}
	return out
}
