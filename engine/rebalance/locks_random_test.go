package rebalance

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// lockWorld is a group of orderly members, the lock table of a broker, and a network that
// delays and loses requests and answers. No two members may have a listener at one queue at
// the same time, whatever happens.
type lockWorld struct {
	t       *testing.T
	rand    *rand.Rand
	now     time.Time
	later   happenings
	seq     int
	calm    bool // no more faults
	members []*lockMember
	table   map[mq.MessageQueue]brokerLock
	commits map[mq.MessageQueue]int64
	starts  map[mq.MessageQueue]int64 // listener calls
	clean   map[mq.MessageQueue]int64 // committed by a member that gave the queue up well
}

type brokerLock struct {
	member *lockMember
	at     time.Time
}

type happening struct {
	at  time.Time
	seq int
	do  func()
}

type happenings []happening

func (h happenings) Len() int { return len(h) }
func (h happenings) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].seq < h[j].seq
}
func (h happenings) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(v any)   { *h = append(*h, v.(happening)) }
func (h *happenings) Pop() any {
	old := *h
	v := old[len(old)-1]
	*h = old[:len(old)-1]
	return v
}

// lockMember is a Rebalance and, in place of a consumer's loop, the little that matters.
type lockMember struct {
	w     *lockWorld
	id    string
	r     *Rebalance
	alive bool
	owned map[mq.MessageQueue]*lockOwned
	busy  map[mq.MessageQueue]bool // with a listener
}

type lockOwned struct {
	epoch   uint64
	next    int64 // that the listener gets
	held    bool
	at      time.Time
	retired bool
}

func (o *lockOwned) valid(now time.Time) bool { return o.held && now.Sub(o.at) <= 30*time.Second }

func (w *lockWorld) after(d time.Duration, do func()) {
	w.seq++
	heap.Push(&w.later, happening{w.now.Add(d), w.seq, do})
}

// between is a random time from 0 to d.
func (w *lockWorld) between(d time.Duration) time.Duration {
	return time.Duration(w.rand.Int64N(int64(d)))
}

// request is one call: it reaches the broker unless it is lost, and the answer comes back
// unless that is lost; the caller waits a second at most.
func (w *lockWorld) request(m *lockMember, effect func(), done func(answered bool)) {
	way, back := w.between(20*time.Millisecond), w.between(20*time.Millisecond)
	lost, noAnswer := false, false
	if !w.calm {
		switch w.rand.IntN(12) {
		case 0:
			lost = true
		case 1:
			noAnswer = true
		case 2:
			way = w.between(4 * time.Second) // perhaps after the caller has given up
		}
	}
	ended := false
	end := func(answered bool) {
		if !ended && m.alive {
			ended = true
			done(answered)
		}
	}
	w.after(time.Second, func() { end(false) })
	if lost {
		return
	}
	w.after(way, func() {
		effect()
		if !noAnswer {
			w.after(back, func() { end(true) })
		}
	})
}

func (m *lockMember) step(e event.Event) {
	if !m.alive {
		return
	}
	for _, a := range m.r.Step(m.w.now, e) {
		m.do(a)
	}
	if due, ok := m.r.NextDue(); ok {
		m.w.after(max(0, due.Sub(m.w.now)), func() {
			if at, ok := m.r.NextDue(); ok && !at.After(m.w.now) {
				m.step(event.Tick{})
			}
		})
	}
}

func (m *lockMember) do(a Action) {
	w := m.w
	switch a := a.(type) {
	case ListMembers:
		var list []string
		w.request(m, func() { list = w.list() }, func(ok bool) {
			e := event.MembersListed{Topic: a.Topic, Members: list}
			if !ok {
				e.Members, e.Err = nil, errBoom
			}
			m.step(e)
		})
	case LockQueues:
		sent := w.now
		var granted []mq.MessageQueue
		w.request(m, func() { granted = w.lock(m, a.Queues) }, func(ok bool) {
			e := LocksAnswered{Broker: a.Broker, Queues: a.Queues, Granted: granted, At: sent}
			if !ok {
				e.Granted, e.Err = nil, errBoom
			}
			m.step(e)
		})
	case UnlockQueues:
		w.request(m, func() { w.unlock(m, a.Queues) }, func(ok bool) {
			e := LocksFreed{Broker: a.Broker, Queues: a.Queues}
			if !ok {
				e.Err = errBoom
			}
			m.step(e)
		})
	case ReadOffset:
		e := event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Source: a.Source, Found: true}
		w.request(m, func() { e.Offset = w.commits[a.Queue] }, func(ok bool) {
			if !ok {
				e.Err = errBoom
			}
			m.step(e)
		})
	case Assign:
		m.assign(a)
	case Revoke:
		o := m.owned[a.Queue]
		if o == nil || o.epoch != a.Epoch || o.retired {
			w.t.Fatalf("%s revokes %v #%d, has %+v", m.id, a.Queue, a.Epoch, o)
		}
		o.retired = true
		m.release(a.Queue)
	case Release:
		if o := m.owned[a.Queue]; o == nil || o.epoch != a.Epoch || !o.retired {
			w.t.Fatalf("%s is reminded of %v #%d, has %+v", m.id, a.Queue, a.Epoch, o)
		}
		if a.Force {
			w.t.Fatalf("%s has to give %v up although every listener returns in time", m.id, a.Queue)
		}
	case LocksHeld:
		for _, q := range a.Queues {
			m.owned[q].held, m.owned[q].at = true, a.At
		}
	case LocksLost:
		for _, q := range a.Queues {
			m.owned[q].held = false
		}
	}
}

func (m *lockMember) assign(a Assign) {
	w := m.w
	if m.owned[a.Queue] != nil {
		w.t.Fatalf("%s is assigned %v twice", m.id, a.Queue)
	}
	if a.Start < w.clean[a.Queue] {
		w.t.Fatalf("%s starts %v at %d, its last owner gave it up at %d", m.id, a.Queue, a.Start, w.clean[a.Queue])
	}
	view := m.r.Lock(a.Queue)
	if view.GrantedAt.IsZero() || m.r.WaitsForLock(a.Queue) {
		w.t.Fatalf("%s is assigned %v without a lock: %+v", m.id, a.Queue, view)
	}
	m.owned[a.Queue] = &lockOwned{epoch: a.Epoch, next: a.Start, held: true, at: view.GrantedAt}
}

// release ends an assignment once its listener is idle: commit, and only then give it up.
func (m *lockMember) release(q mq.MessageQueue) {
	o := m.owned[q]
	if o == nil || !o.retired || m.busy[q] {
		return
	}
	w, at, epoch := m.w, o.next, o.epoch
	well := o.valid(w.now)
	w.request(m, func() {
		if well {
			w.commits[q] = max(w.commits[q], at)
		}
	}, func(ok bool) {
		if ok && well {
			w.clean[q] = max(w.clean[q], at)
		}
		delete(m.owned, q)
		m.step(Released{Queue: q, Epoch: epoch})
	})
}

// work calls the listener of what may be consumed now.
func (m *lockMember) work() {
	w := m.w
	if !m.alive {
		return
	}
	for _, q := range qs(7) {
		o := m.owned[q]
		if o != nil && !o.retired {
			m.step(PullAttempted{Queue: q})
		}
		if o == nil || o.retired || m.busy[q] || !o.valid(w.now) || w.rand.IntN(3) == 0 {
			continue
		}
		for _, other := range w.members {
			if other.busy[q] {
				w.t.Fatalf("at %v: %s and %s both work on %v", w.now.Sub(epoch), m.id, other.id, q)
			}
		}
		m.busy[q] = true
		w.starts[q]++
		takes := w.between(300 * time.Millisecond)
		if w.rand.IntN(20) == 0 {
			takes = w.between(12 * time.Second)
		}
		w.after(takes, func() {
			delete(m.busy, q)
			if m.owned[q] == o && o.valid(w.now) {
				o.next++
			}
			m.release(q)
		})
	}
	w.after(100*time.Millisecond, m.work)
}

// list is what the broker says of the members; while faults last it forgets and invents.
func (w *lockWorld) list() []string {
	var list []string
	for _, m := range w.members {
		if m.alive && (w.calm || w.rand.IntN(8) > 0) {
			list = append(list, m.id)
		}
	}
	if !w.calm && w.rand.IntN(8) == 0 {
		list = append(list, "10.0.0.9@9")
	}
	slices.Sort(list)
	return list
}

func (w *lockWorld) lock(m *lockMember, queues []mq.MessageQueue) (granted []mq.MessageQueue) {
	for _, q := range queues {
		if l, ok := w.table[q]; ok && l.member != m && w.now.Sub(l.at) <= time.Minute {
			continue
		}
		w.table[q] = brokerLock{m, w.now}
		granted = append(granted, q)
	}
	return granted
}

func (w *lockWorld) unlock(m *lockMember, queues []mq.MessageQueue) {
	for _, q := range queues {
		if w.table[q].member == m {
			delete(w.table, q)
		}
	}
}

func (w *lockWorld) join(id string) {
	m := &lockMember{
		w: w, id: id, alive: true, owned: map[mq.MessageQueue]*lockOwned{}, busy: map[mq.MessageQueue]bool{},
		r: New(Config{Group: "g", ClientID: id, Topics: []string{"t"}, Orderly: true}),
	}
	w.members = append(w.members, m)
	m.step(route(7))
	m.step(wanted())
	m.work()
}

// upset lets something happen to a member.
func (w *lockWorld) upset(n int) {
	m := w.members[w.rand.IntN(len(w.members))]
	switch w.rand.IntN(5) {
	case 0: // dies; its listeners with it
		m.alive = false
		clear(m.busy)
		w.members = slices.DeleteFunc(w.members, func(o *lockMember) bool { return o == m })
		w.join(fmt.Sprintf("10.0.0.%d@%d", 1+w.rand.IntN(5), n))
	case 1: // an illegal offset is repaired
		for _, q := range qs(7) {
			if o := m.owned[q]; o != nil && !o.retired && !m.busy[q] {
				delete(m.owned, q)
				m.step(Dropped{Queue: q})
				return
			}
		}
	default:
		m.step(event.RebalanceWanted{Why: "members changed"})
	}
}

func (w *lockWorld) run(until time.Duration) {
	for len(w.later) > 0 && w.later[0].at.Sub(epoch) <= until {
		h := heap.Pop(&w.later).(happening)
		w.now = h.at
		h.do()
	}
	w.now = epoch.Add(until)
}

func TestNoTwoMembersWorkOnOneQueue(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := &lockWorld{
				t: t, rand: rand.New(rand.NewPCG(seed, 3)), now: epoch, table: map[mq.MessageQueue]brokerLock{},
				commits: map[mq.MessageQueue]int64{}, starts: map[mq.MessageQueue]int64{}, clean: map[mq.MessageQueue]int64{},
			}
			for n := range 3 {
				w.join(fmt.Sprintf("10.0.0.%d@0", n+1))
			}
			const faults = 20 * time.Minute
			for n := 1; n <= 240; n++ {
				w.run(time.Duration(n) * faults / 240)
				w.upset(n)
			}
			w.calm = true
			w.run(faults + 3*time.Minute)
			before := map[mq.MessageQueue]int64{}
			for q, n := range w.starts {
				before[q] = n
			}
			w.run(faults + 4*time.Minute)
			for _, q := range qs(7) {
				owners := 0
				for _, m := range w.members {
					if o := m.owned[q]; o != nil && !o.retired && o.valid(w.now) {
						owners++
					}
				}
				if owners != 1 || w.starts[q] < before[q]+5 {
					t.Errorf("%v has %d owners and made %d calls in a minute after all faults", q, owners, w.starts[q]-before[q])
				}
			}
		})
	}
}
