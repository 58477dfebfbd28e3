package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// live is what a plain model knows of the request of an assigned queue.
type live struct {
	epoch uint64
	out   bool
	due   time.Time // when it waits
	next  int64
}

// model steps a Schedule with random events and checks I13: each assigned queue has one
// request, which is here or out, and no other queue has any.
type model struct {
	t      *testing.T
	rand   *rand.Rand
	s      *Schedule
	now    time.Time
	live   map[mq.MessageQueue]*live
	epoch  uint64
	events []step
	acts   []Action
}

func (m *model) step(e event.Event) {
	m.t.Helper()
	m.events = append(m.events, step{at: m.now.Sub(start), e: e})
	for _, a := range m.s.Step(m.now, e) {
		m.acts = append(m.acts, a)
		turn, ok := a.(Turn)
		if !ok {
			continue
		}
		l := m.live[turn.Request.Queue]
		switch {
		case l == nil || l.epoch != turn.Request.Epoch:
			m.t.Fatalf("turn of %v epoch %d, which is not assigned", turn.Request.Queue, turn.Request.Epoch)
		case l.out && m.now.Sub(l.due) < lostMargin:
			m.t.Fatalf("turn of %v, which is out", turn.Request.Queue)
		case l.due.After(m.now):
			m.t.Fatalf("turn of %v %v before it is due", turn.Request.Queue, l.due.Sub(m.now))
		case l.next != turn.Request.Next:
			m.t.Fatalf("turn at %d, want %d", turn.Request.Next, l.next)
		}
		l.out, l.due = true, m.now
	}
	m.check()
}

func (m *model) check() {
	m.t.Helper()
	if len(m.s.tasks) != len(m.live) || len(m.s.heap) != len(m.live) {
		m.t.Fatalf("%d tasks, %d in the heap, %d queues assigned", len(m.s.tasks), len(m.s.heap), len(m.live))
	}
	for id, l := range m.live {
		out := m.s.tasks[id].phase != waiting
		if out != l.out {
			m.t.Fatalf("%v is out: %v, want %v", id, out, l.out)
		}
		if !out && !l.due.After(m.now) {
			m.t.Fatalf("%v is due since %v and had no turn", id, m.now.Sub(l.due))
		}
	}
	if due, ok := m.s.NextDue(); ok && !due.After(m.now) {
		m.t.Fatalf("something is left to do at %v", due)
	}
}

func (m *model) random() {
	m.now = m.now.Add(time.Duration(m.rand.IntN(40)) * ms)
	id := q(int32(m.rand.IntN(12)))
	l := m.live[id]
	delay := time.Duration(m.rand.IntN(4)) * 20 * ms
	stale := m.rand.IntN(8) == 0
	switch n := m.rand.IntN(10); {
	case l == nil && n < 6:
		m.epoch++
		m.live[id] = &live{epoch: m.epoch, due: m.now.Add(delay), next: 100}
		m.step(event.QueueAssigned{Queue: id, Epoch: m.epoch, Start: 100, Delay: delay})
	case l == nil:
		m.step(event.Tick{})
	case stale:
		m.step([]event.Event{
			event.PutBack{Queue: id, Epoch: l.epoch - 1, Next: 1}, event.RequestDied{Queue: id, Epoch: l.epoch - 1},
			event.QueueRevoked{Queue: id, Epoch: l.epoch - 1}, event.PullSent{Queue: id, Epoch: l.epoch - 1},
		}[m.rand.IntN(4)])
	case n == 0:
		delete(m.live, id)
		m.step(event.QueueRevoked{Queue: id, Epoch: l.epoch})
	case n == 1:
		delete(m.live, id)
		m.step(event.RequestDied{Queue: id, Epoch: l.epoch})
	case n == 2:
		for other, l := range m.live {
			if other.BrokerName == id.BrokerName && !l.out {
				l.due = m.now
			}
		}
		m.step(event.Woken{BrokerName: id.BrokerName})
	case n < 5:
		m.step(event.PullSent{Queue: id, Epoch: l.epoch, Hold: time.Duration(m.rand.IntN(2)) * time.Second})
	case l.out:
		l.out, l.due, l.next = false, m.now.Add(delay), l.next+1
		m.step(event.PutBack{Queue: id, Epoch: l.epoch, Next: l.next, Delay: delay})
	default:
		m.step(event.PutBack{Queue: id, Epoch: l.epoch, Next: -5, Delay: delay}) // came back before
	}
}

func TestS3I13EachAssignedQueueHasOneRequest(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := &model{t: t, rand: rand.New(rand.NewPCG(seed, 2)), s: New(), now: start, live: map[mq.MessageQueue]*live{}}
			for range 2_000 {
				m.random()
			}
			again, acts := New(), []Action(nil)
			for _, e := range m.events {
				acts = append(acts, again.Step(start.Add(e.at), e.e)...)
			}
			if diff := cmp.Diff(m.acts, acts); diff != "" {
				t.Errorf("the same events led to other actions:\n%s", diff)
			}
			for id := range m.live {
				if m.s.Task(id).State == snapshot.TaskNone {
					t.Errorf("%v has no request", id)
				}
			}
		})
	}
}

func TestP27QueuesAreServedEqually(t *testing.T) {
	// 16 queues with work all the time; one server takes 1 ms for each pull, and each queue
	// comes back as soon as it was served.
	s, now := New(), start
	random := rand.New(rand.NewPCG(1, 1))
	served := map[mq.MessageQueue]int{}
	var due []Action
	for id := range int32(16) {
		due = append(due, s.Step(now, assigned(id, uint64(id)+1, 0))...)
	}
	for range 60_000 {
		r := due[0].(Turn).Request
		due = due[1:]
		now = now.Add(ms)
		served[r.Queue]++
		delay := time.Duration(0)
		if random.IntN(10) == 0 {
			delay = 2 * ms
		}
		due = append(due, s.Step(now, event.PutBack{Queue: r.Queue, Epoch: r.Epoch, Next: r.Next + 1, Delay: delay})...)
	}
	least, most := served[q(0)], served[q(0)]
	for id := range int32(16) {
		least, most = min(least, served[q(id)]), max(most, served[q(id)])
	}
	if least == 0 || float64(most)/float64(least) > 1.5 {
		t.Errorf("queues were served %d to %d times", least, most)
	}
}

func TestP18JoiningAndLeavingLeavesNothingBehind(t *testing.T) {
	s, now, epoch := New(), start, uint64(0)
	for range 500 {
		for id := range int32(8) {
			epoch++
			s.Step(now, assigned(id, epoch, 0))
			s.Step(now, sent(id, epoch))
			now = now.Add(ms)
			s.Step(now, event.QueueRevoked{Queue: q(id), Epoch: epoch})
		}
	}
	if due, ok := s.NextDue(); ok || len(s.tasks) != 0 || len(s.heap) != 0 {
		t.Errorf("left: %d tasks, %d in the heap, due %v", len(s.tasks), len(s.heap), due)
	}
}
