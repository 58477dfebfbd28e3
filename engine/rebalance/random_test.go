package rebalance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// world feeds a Rebalance with random events and answers, and checks what comes out against
// what must always hold.
type world struct {
	t       *testing.T
	rand    *rand.Rand
	r       *Rebalance
	now     time.Time
	events  []step
	actions []Action
	owned   map[mq.MessageQueue]uint64 // epoch, as the loop sees it
	dropped map[mq.MessageQueue]bool   // repaired, not assigned again yet
	reads   []ReadOffset
	lists   []string                   // topics whose members were asked for
	asks    []string                   // topics whose assignment was asked for
	epochs  map[mq.MessageQueue]uint64 // highest of each queue
	started time.Time                  // of the last pass
}

var worldTopics = []string{"%RETRY%g", "t", "u"}

// newWorld returns one whose queues brokers allot for every other seed.
func newWorld(t *testing.T, seed uint64) *world {
	return &world{
		t: t, rand: rand.New(rand.NewPCG(seed, 1)), r: newOne(func(c *Config) { c.Topics, c.BrokerSide = worldTopics, seed%2 == 1 }),
		now: epoch, owned: map[mq.MessageQueue]uint64{}, dropped: map[mq.MessageQueue]bool{},
		epochs: map[mq.MessageQueue]uint64{},
	}
}

func (w *world) step(e event.Event) {
	w.t.Helper()
	w.events = append(w.events, step{at: w.now.Sub(epoch), e: e})
	for _, a := range w.r.Step(w.now, e) {
		w.actions = append(w.actions, a)
		switch a := a.(type) {
		case ListMembers:
			w.lists = append(w.lists, a.Topic)
		case QueryAssignment:
			w.asks = append(w.asks, a.Topic)
		case ReadOffset:
			w.reads = append(w.reads, a)
		case Assign:
			w.assigned(a)
		case Revoke:
			if w.owned[a.Queue] != a.Epoch {
				w.t.Fatalf("revokes %v of epoch %d, owned is %d", a.Queue, a.Epoch, w.owned[a.Queue])
			}
			delete(w.owned, a.Queue)
		}
	}
	if started := w.r.pass.started; !started.Equal(w.started) {
		if !w.started.IsZero() && started.Sub(w.started) < time.Second {
			w.t.Fatalf("I25: passes %v apart", started.Sub(w.started))
		}
		w.started = started
	}
	w.check()
}

func (w *world) assigned(a Assign) {
	switch {
	case w.owned[a.Queue] != 0:
		w.t.Fatalf("assigns %v twice", a.Queue)
	case a.Start < 0:
		w.t.Fatalf("assigns %v at %d", a.Queue, a.Start)
	case a.Delay < 500*time.Millisecond && !w.dropped[a.Queue]:
		w.t.Fatalf("I26: first pull of %v after %v", a.Queue, a.Delay)
	case a.Epoch <= w.epochs[a.Queue]:
		w.t.Fatalf("I18: assigns %v as epoch %d after %d", a.Queue, a.Epoch, w.epochs[a.Queue])
	}
	delete(w.dropped, a.Queue)
	w.epochs[a.Queue] = a.Epoch
	w.owned[a.Queue] = a.Epoch
}

// check compares the table with what the loop was told.
func (w *world) check() {
	held := 0
	for _, name := range worldTopics {
		held += len(w.r.topics[name].held)
		for _, q := range w.r.topics[name].held {
			s := w.r.slots[q]
			if s == nil {
				w.t.Fatalf("%v is held without a slot", q)
			}
			if (s.state == assigned) != (w.owned[q] == s.epoch && w.owned[q] != 0) {
				w.t.Fatalf("%v: state %d, epoch %d, the loop has epoch %d", q, s.state, s.epoch, w.owned[q])
			}
		}
	}
	if held != len(w.r.slots) || len(w.owned)+len(w.r.Resolving()) != held {
		w.t.Fatalf("%d held, %d slots, %d owned, %d resolving", held, len(w.r.slots), len(w.owned), len(w.r.Resolving()))
	}
}

func (w *world) members() []string {
	members := membersOf(w.rand.IntN(4))
	if w.rand.IntN(4) > 0 {
		members = append(members, me)
	}
	w.rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return members
}

func (w *world) random() {
	w.now = w.now.Add(time.Duration(w.rand.IntN(300)) * time.Millisecond)
	topic := worldTopics[w.rand.IntN(len(worldTopics))]
	switch n := w.rand.IntN(12); {
	case n == 0:
		w.step(wanted())
	case n == 1:
		w.step(event.RouteChanged{Topic: topic, Known: w.rand.IntN(9) > 0, Queues: queuesOf(topic, w.rand.IntN(9))})
	case n == 2:
		w.step(event.RouteChanged{Topic: topic, Err: errBoom})
	case n < 6 && len(w.lists) > 0:
		e := event.MembersListed{Topic: w.lists[0], Members: w.members()}
		w.lists = w.lists[1:]
		if w.rand.IntN(5) == 0 {
			e.Members, e.Err = nil, errBoom
		}
		w.step(e)
	case n < 6 && len(w.asks) > 0:
		e := w.assignment(w.asks[0], w.members())
		w.asks = w.asks[1:]
		switch w.rand.IntN(8) {
		case 0:
			e.Err, e.Failure = errBoom, event.AssignmentFailure(w.rand.IntN(3))
		case 1:
			e.Queues, e.Known = nil, false
		case 2:
			e.Queues, e.Pop = nil, true
		}
		w.step(e)
	case n < 9 && len(w.reads) > 0:
		w.answer(w.rand.IntN(len(w.reads)), w.rand.IntN(8) > 0)
	case n == 9:
		for _, name := range worldTopics {
			for _, q := range w.r.topics[name].held {
				if w.owned[q] != 0 && w.rand.IntN(4) == 0 {
					delete(w.owned, q)
					w.dropped[q] = true
					w.step(Dropped{Queue: q})
					return
				}
			}
		}
	case n == 10:
		w.step(PullAttempted{Queue: queuesOf(topic, 8)[w.rand.IntN(8)]})
	default:
		w.step(event.Tick{})
	}
}

// assignment is what a broker says that allots among members.
func (w *world) assignment(topic string, members []string) event.AssignmentRead {
	slices.Sort(members)
	e := event.AssignmentRead{Topic: topic, Known: true, Members: members}
	if queues := w.r.topics[topic].queues; len(queues) > 0 && len(members) > 0 {
		var err error
		if e.Queues, err = (Averagely{}).Allocate(me, queues, members); err != nil {
			w.t.Fatal(err)
		}
	}
	return e
}

// answer answers a question for an offset, and now and then leaves it to be answered again.
func (w *world) answer(i int, forget bool) {
	read := w.reads[i]
	if forget {
		w.reads = append(w.reads[:i], w.reads[i+1:]...)
	}
	e := event.OffsetRead{Queue: read.Queue, Epoch: read.Epoch, Source: read.Source, Found: true, Offset: w.rand.Int64N(100) - 3}
	switch w.rand.IntN(4) {
	case 0:
		e.Err, e.Offset = errBoom, 0
	case 1:
		e.Found = false
	}
	w.step(e)
}

func TestS0RandomSequencesKeepTheTableAndTheLoopTogether(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWorld(t, seed)
			for range 1_500 {
				w.random()
			}
			w.settle()
			w.replay(seed)
		})
	}
}

// settle answers everything well and checks that all that is ours is assigned.
func (w *world) settle() {
	w.t.Helper()
	w.step(event.RouteChanged{Topic: "t", Known: true, Queues: queuesOf("t", 7)})
	w.step(wanted())
	for range 200 {
		w.now = w.now.Add(time.Second)
		w.step(event.Tick{})
		for _, topic := range w.lists {
			w.step(event.MembersListed{Topic: topic, Members: us})
		}
		for _, topic := range w.asks {
			w.step(w.assignment(topic, us))
		}
		w.lists, w.asks = nil, nil
		for len(w.reads) > 0 {
			read := w.reads[0]
			w.reads = w.reads[1:]
			w.step(event.OffsetRead{Queue: read.Queue, Epoch: read.Epoch, Source: read.Source, Offset: 1, Found: true})
		}
	}
	want, err := Averagely{}.Allocate(me, queuesOf("t", 7), us)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []mq.MessageQueue
	for _, q := range w.r.topics["t"].held {
		if w.owned[q] != 0 {
			got = append(got, q)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("after all faults ended (-want +got):\n%s", diff)
	}
}

// replay feeds the same events to a fresh Rebalance: the actions must be the same.
func (w *world) replay(seed uint64) {
	w.t.Helper()
	again := newWorld(w.t, seed).r
	var actions []Action
	for _, s := range w.events {
		actions = append(actions, again.Step(epoch.Add(s.at), s.e)...)
	}
	if diff := cmp.Diff(w.actions, actions, cmpopts.EquateErrors()); diff != "" {
		w.t.Errorf("the same events led to other actions:\n%s", diff)
	}
}
