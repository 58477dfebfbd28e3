package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const mostOwners = 500 // client ids that are told apart

// Owners of a queue that are no client.
const (
	absent  = -2 // the queue was not known
	unknown = -1 // who has it was not known
)

// lanes is who had which queue over time, and how its lag and its pulls went.
type lanes struct {
	most   int
	at     []time.Time // of the samples
	list   []*lane
	index  map[mq.MessageQueue]*lane
	left   map[mq.MessageQueue]bool // queues without a lane, as far as they are counted
	owners []string
	number map[string]int
}

// lane is one queue; each slice has a value a sample.
type lane struct {
	id    mq.MessageQueue
	owner []int // an index into owners, or one of the constants
	lag   []float64
	next  []float64
}

// choose takes the queues that are worth most a look where there are too many.
func (l *lanes) choose(begin, end *snapshot.Snapshot, o Options) {
	l.most = o.Lanes
	l.index, l.left, l.number = map[mq.MessageQueue]*lane{}, map[mq.MessageQueue]bool{}, map[string]int{}
	for _, id := range ranked(begin, end, o.Lanes) {
		l.add(id)
	}
}

func (l *lanes) add(id mq.MessageQueue) *lane {
	n := &lane{id: id}
	for range l.at {
		n.put(absent, math.NaN(), math.NaN())
	}
	l.list = append(l.list, n)
	l.index[id] = n
	return n
}

func (n *lane) put(owner int, lag, next float64) {
	n.owner, n.lag, n.next = append(n.owner, owner), append(n.lag, lag), append(n.next, next)
}

// sample takes in what a picture says of each queue.
func (l *lanes) sample(at time.Time, s *snapshot.Snapshot) {
	if n := len(l.at); n > 0 && !at.After(l.at[n-1]) {
		at = l.at[n-1]
	}
	for i := range s.Queues {
		q := &s.Queues[i]
		n := l.index[q.ID]
		if n == nil {
			if len(l.list) >= l.most {
				if len(l.left) < 1<<16 {
					l.left[q.ID] = true
				}
				continue
			}
			n = l.add(q.ID)
		}
		owner := unknown
		if q.Owner.OK() && q.Owner.V != "" {
			owner = l.ownerOf(q.Owner.V)
		}
		if len(n.owner) == len(l.at) { // a queue that stands there twice counts once
			n.put(owner, reading(q.Lag), reading(q.Next))
		}
	}
	l.at = append(l.at, at)
	for _, n := range l.list {
		if len(n.owner) < len(l.at) {
			n.put(absent, math.NaN(), math.NaN())
		}
	}
}

func (l *lanes) ownerOf(id string) int {
	n, ok := l.number[id]
	if !ok {
		if len(l.owners) >= mostOwners {
			return unknown
		}
		n = len(l.owners)
		l.number[id], l.owners = n, append(l.owners, id)
	}
	return n
}

func reading(v snapshot.Val[int64]) float64 {
	if !v.OK() {
		return math.NaN()
	}
	return float64(v.V)
}

// rate is how fast the next offset moved up to each sample, NaN where that is not known: where
// the queue went to somebody else, or back.
func (l *lanes) rate(n *lane) []float64 {
	out := make([]float64, len(n.next))
	for i := range out {
		out[i] = math.NaN()
		if i == 0 || n.owner[i] != n.owner[i-1] {
			continue
		}
		seconds := l.at[i].Sub(l.at[i-1]).Seconds()
		if d := n.next[i] - n.next[i-1]; d >= 0 && seconds > 0 {
			out[i] = d / seconds
		}
	}
	return out
}

// moves is how often queues went from one owner to another, and how many of them did.
func (l *lanes) moves() (moves, queues int) {
	for _, n := range l.list {
		last, before := unknown, moves
		for _, o := range n.owner {
			if o >= 0 && last >= 0 && o != last {
				moves++
			}
			if o >= 0 {
				last = o
			}
		}
		if moves > before {
			queues++
		}
	}
	return moves, queues
}

// held is from which sample to which each owner had queues, and how many at most.
func (l *lanes) held() (from, to, most map[int]int) {
	from, to, most = map[int]int{}, map[int]int{}, map[int]int{}
	for i := range l.at {
		has := map[int]int{}
		for _, n := range l.list {
			if o := n.owner[i]; o >= 0 {
				has[o]++
			}
		}
		for o, n := range has {
			if _, before := from[o]; !before {
				from[o] = i
			}
			to[o], most[o] = i, max(most[o], n)
		}
	}
	return from, to, most
}

// ranked are at most most queues in the order of their ids: those whose owner changed before
// those that are sick, those before the ones that lag.
func ranked(begin, end *snapshot.Snapshot, most int) []mq.MessageQueue {
	type rank struct {
		id    mq.MessageQueue
		moved bool
		mark  snapshot.Mark
		lag   int64
	}
	was := byID(begin)
	seen := map[mq.MessageQueue]bool{}
	var all []rank
	for i := range end.Queues {
		q := &end.Queues[i]
		before := was[q.ID]
		all = append(all, rank{q.ID, before == nil || before.Owner.V != q.Owner.V, severity(q.Mark), q.Lag.V})
		seen[q.ID] = true
	}
	for i := range begin.Queues {
		if q := &begin.Queues[i]; !seen[q.ID] {
			all = append(all, rank{id: q.ID, moved: true})
		}
	}
	slices.SortStableFunc(all, func(a, b rank) int {
		if a.moved != b.moved {
			if a.moved {
				return -1
			}
			return 1
		}
		return cmp.Or(-cmp.Compare(a.mark, b.mark), -cmp.Compare(a.lag, b.lag))
	})
	if len(all) > most {
		all = all[:most]
	}
	out := make([]mq.MessageQueue, len(all))
	for i := range all {
		out[i] = all[i].id
	}
	slices.SortFunc(out, compare)
	return slices.Compact(out)
}

// severity orders marks: what is not known or old is not worse than what is bad.
func severity(m snapshot.Mark) snapshot.Mark {
	if m > snapshot.MarkBad {
		return snapshot.MarkOK
	}
	return m
}

func compare(a, b mq.MessageQueue) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.BrokerName, b.BrokerName), cmp.Compare(a.QueueID, b.QueueID))
}

func byID(s *snapshot.Snapshot) map[mq.MessageQueue]*snapshot.Queue {
	out := make(map[mq.MessageQueue]*snapshot.Queue, len(s.Queues))
	for i := range s.Queues {
		out[s.Queues[i].ID] = &s.Queues[i]
	}
	return out
}
