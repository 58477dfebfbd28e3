package schedule

import (
	"container/heap"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const (
	// parkedAfter is how long a pull is out before it counts as held by its broker.
	parkedAfter = 200 * time.Millisecond
	// A request is lost when it is out for longer than its broker may hold it, its call may
	// take, and this margin together.
	lostMargin = 5 * time.Second

	defaultCallTimeout = 30 * time.Second
)

// Request is the one pull token of an assigned queue (Java: PullRequest). It is in the
// schedule or in one pull, never in both.
type Request struct {
	ID    uint64 // of the task, for screens; grows by one with each assignment
	Queue mq.MessageQueue
	Epoch uint64
	Next  int64 // offset to pull
}

// Turn is the action of Step: it is this request's turn to pull. The request is out of the
// schedule until an event.PutBack or event.RequestDied of its queue and epoch comes back.
type Turn struct{ Request Request }

// Action is what Step asks its caller to do: a Turn, or an event.Entry to show.
type Action any

// Schedule decides when each pull runs (Java: PullMessageService and its scheduled
// executor). It is plain state: one owner steps it.
type Schedule struct {
	// CallTimeout is that of pull calls; a request without an answer is taken for lost 5 s
	// after it, and after the time that its broker may hold it. New sets 30 s.
	CallTimeout time.Duration
	// Decisions is told what is decided; it may be nil.
	Decisions *decision.Recorder `pack:"-"`

	// Holds, where it is not nil, is asked whether requests whose time has come wait for an
	// event.PullReleased of their own. Turns come one at a time then, for event.Tick and
	// event.PullReleased only: what is decided in one may be a reason to hold the next.
	Holds func() bool `pack:"-"`

	tasks map[mq.MessageQueue]*task
	last  mq.Last[*task] `pack:"-"` // of tasks
	heap  dueHeap
	now   time.Time // of the last step
	ids   uint64
	order uint64
	held  int       // requests
	pass  bool      // the next request whose time comes is not held
	one   [1]Action `pack:"-"` // room for what is returned
}

// New returns an empty schedule.
func New() *Schedule {
	return &Schedule{CallTimeout: defaultCallTimeout, tasks: map[mq.MessageQueue]*task{}}
}

// Step takes in e and returns the turns that are due at now, oldest due time first, equal
// due times in the order they came. It takes event.QueueAssigned, event.QueueRevoked,
// event.PutBack, event.PullSent, event.RequestDied, event.Woken, event.Postponed,
// event.PullReleased and event.Tick; what belongs to an earlier assignment of a queue is ignored.
//
// What it returns is good until the next call: who keeps it makes a copy.
func (s *Schedule) Step(now time.Time, e event.Event) []Action {
	s.now = now
	switch e := e.(type) {
	case event.QueueAssigned:
		s.assigned(e)
	case event.QueueRevoked:
		s.end(e.Queue, e.Epoch, "given up: ", e.Why)
	case event.RequestDied:
		s.end(e.Queue, e.Epoch, "its queue was dropped", nil)
	case event.PutBack:
		s.putBack(e)
	case event.PullSent:
		s.sent(e)
	case event.Woken:
		s.woken(e)
	case event.Postponed:
		s.postponed(e.Queue, e.By)
	case event.PullReleased:
		s.released(e.Queue)
	}
	return s.due(s.turns(takesTurn(e)))
}

// PutBack is Step for an event.PutBack, Sent for an event.PullSent. A busy consumer has so many of
// these that making events of them would be felt.
func (s *Schedule) PutBack(now time.Time, e event.PutBack) []Action {
	s.now = now
	s.putBack(e)
	return s.due(s.turns(false))
}

// Sent is Step for an event.PullSent.
func (s *Schedule) Sent(now time.Time, e event.PullSent) []Action {
	s.now = now
	s.sent(e)
	return s.due(s.turns(false))
}

// turns is how many turns an event may lead to; takes says that it is one for which a turn comes
// where requests may be held.
func (s *Schedule) turns(takes bool) int {
	switch {
	case s.Holds == nil:
		return len(s.heap)
	case takes:
		return 1
	}
	return 0
}

func takesTurn(e event.Event) bool {
	switch e.(type) {
	case event.Tick, event.PullReleased:
		return true
	}
	return false
}

// NextDue is when Step has something to do without any event; false when never.
func (s *Schedule) NextDue() (time.Time, bool) {
	if len(s.heap) == 0 {
		return time.Time{}, false
	}
	return s.heap[0].due, true
}

// Task returns the picture of the request of queue q, as of the last step.
func (s *Schedule) Task(q mq.MessageQueue) snapshot.Task {
	t := s.tasks[q]
	if t == nil {
		return snapshot.Task{}
	}
	picture := snapshot.Task{ID: t.request.ID, Since: t.since}
	switch t.phase {
	case running:
		picture.State = snapshot.TaskRunning
	case held:
		picture.State, picture.Due, picture.Cause = snapshot.TaskReady, t.since, event.CauseByHand
	case parked:
		picture.State = snapshot.TaskParked
	case waiting:
		picture.State, picture.Due, picture.Cause = snapshot.TaskDelayed, t.due, t.cause
		if !t.due.After(s.now) {
			picture.State = snapshot.TaskReady
		}
	}
	return picture
}

// assigned makes the request of a new assignment. An earlier one that was not revoked ends.
func (s *Schedule) assigned(e event.QueueAssigned) {
	if old := s.tasks[e.Queue]; old != nil {
		if old.request.Epoch >= e.Epoch {
			return
		}
		s.end(e.Queue, old.request.Epoch, "its queue was assigned again", nil)
	}
	s.ids++
	t := &task{request: Request{ID: s.ids, Queue: e.Queue, Epoch: e.Epoch, Next: e.Start}}
	s.tasks[e.Queue] = t
	s.last.Forget()
	s.wait(t, e.Delay, event.CauseAssigned)
	heap.Push(&s.heap, t)
	s.tellWaits(t, e.Delay)
}

// end has a request be no more; why and more of it say what ended it.
func (s *Schedule) end(q mq.MessageQueue, epoch uint64, why string, more fmt.Stringer) {
	if t := s.find(q, epoch); t != nil {
		heap.Remove(&s.heap, t.index)
		delete(s.tasks, q)
		s.last.Forget()
		if t.phase == held {
			s.held--
		}
		s.tellEnd(t, why, more)
	}
}

// putBack takes a request in again. One that is here already came back before: its pull was
// taken for lost, and there must not be a second request.
func (s *Schedule) putBack(e event.PutBack) {
	t := s.find(e.Queue, e.Epoch)
	if t == nil || t.phase == waiting || t.phase == held {
		s.tellSecond(t, e.Next)
		return
	}
	t.request.Next = e.Next
	s.wait(t, e.Delay, e.Cause)
	s.heap.fix(t)
	s.tellWaits(t, e.Delay)
}

func (s *Schedule) sent(e event.PullSent) {
	t := s.find(e.Queue, e.Epoch)
	if t == nil || t.phase == waiting || t.phase == held {
		return
	}
	t.phase, t.since, t.lost = running, s.now, s.lostAt(e.Hold)
	s.rank(t, t.lost)
	if e.Hold > parkedAfter {
		t.due = s.now.Add(parkedAfter)
	}
	s.heap.fix(t)
}

// due gives their turn to those whose time has come, to most of them at the most.
func (s *Schedule) due(most int) []Action {
	actions := s.one[:0]
	holds := s.letGo()
	for len(s.heap) > 0 && !s.heap[0].due.After(s.now) {
		t := s.heap[0]
		lost := t.phase == running || t.phase == parked
		switch {
		case lost && s.now.Before(t.lost):
			t.phase = parked
			s.rank(t, t.lost)
			s.heap.fix(t)
			s.tellParked(t)
		case holds && t.phase == waiting && !s.pass:
			s.hold(t, t.due)
		case holds && lost:
			actions = append(actions, s.lostEntry(t))
			s.holdLost(t)
		case most == 0:
			return actions
		default:
			if lost {
				actions = append(actions, s.lostEntry(t))
			}
			actions = append(actions, s.turn(t))
			most--
		}
	}
	return actions
}

func (s *Schedule) turn(t *task) Turn {
	if t.phase == held {
		s.held--
	}
	if s.pass = false; s.Decisions.On() {
		was := *t
		t.took = &was
	}
	t.phase, t.since, t.cause, t.lost = running, s.now, event.CauseNone, s.lostAt(0)
	s.rank(t, t.lost)
	s.heap.fix(t)
	return Turn{Request: t.request}
}

func (s *Schedule) lostAt(hold time.Duration) time.Time {
	return s.now.Add(hold + s.CallTimeout + lostMargin)
}

func (s *Schedule) lostEntry(t *task) event.Entry {
	return event.Entry{
		At: s.now, Level: event.Warn, Source: "pull", Queue: t.request.Queue, Count: 1,
		What: fmt.Sprintf("no answer to the pull at offset %d for %v: taken for lost, pulled again",
			t.request.Next, s.now.Sub(t.since)),
	}
}

func (s *Schedule) find(q mq.MessageQueue, epoch uint64) *task {
	if t, ok := s.last.Of(s.tasks, q); ok && t.request.Epoch == epoch {
		return t
	}
	return nil
}
