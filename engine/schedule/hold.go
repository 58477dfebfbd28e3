package schedule

import (
	"cmp"
	"slices"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// forever is longer than anybody holds anything.
const forever = 100 * 365 * 24 * time.Hour

// hold keeps a request from its turn, whose time came at a moment.
func (s *Schedule) hold(t *task, came time.Time) {
	t.phase, t.since = held, came
	s.held++
	s.rank(t, s.now.Add(forever))
	s.heap.fix(t)
}

// holdLost is hold for a request whose pull was lost.
func (s *Schedule) holdLost(t *task) {
	if s.Decisions.On() {
		s.tellLost(t)
	}
	s.hold(t, s.now)
}

// Held tells whether the request of a queue is held.
func (s *Schedule) Held(q mq.MessageQueue) bool {
	t := s.tasks[q]
	return t != nil && t.phase == held
}

// released makes a request that is held due now, whatever Holds says.
func (s *Schedule) released(q mq.MessageQueue) {
	if q == (mq.MessageQueue{}) {
		s.releasedFirst()
		return
	}
	if t := s.tasks[q]; t != nil && t.phase == held {
		s.rank(t, s.now)
		s.heap.fix(t)
	}
}

// releasedFirst releases the request whose time came first, the next one that comes when none is
// held.
func (s *Schedule) releasedFirst() {
	var first *task
	for _, t := range s.heap {
		if t.phase == held && t.due.After(s.now) && (first == nil || compareHeld(t, first) < 0) {
			first = t
		}
	}
	if first == nil {
		s.pass = s.Holds != nil && s.Holds()
		return
	}
	s.rank(first, s.now)
	s.heap.fix(first)
}

func compareHeld(a, b *task) int {
	return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.order, b.order))
}

// letGo says whether requests are held now. If not, those that were wait for their turns, in the
// order in which their time came.
func (s *Schedule) letGo() (holds bool) {
	if s.Holds != nil && s.Holds() {
		return true
	}
	s.pass = false
	if s.held == 0 {
		return false
	}
	var list []*task
	for _, t := range s.heap {
		if t.phase == held {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, compareHeld)
	s.held = 0
	for _, t := range list {
		t.phase, t.cause = waiting, event.CauseNone
		s.rank(t, t.since)
		s.heap.fix(t)
		s.tellWoken(t, 0, "nobody holds it any more")
	}
	return false
}

// Open says that nothing is done for now about what was decided in the turn of a request: it is
// not taken for lost meanwhile.
func (s *Schedule) Open(q mq.MessageQueue, epoch uint64) {
	if t := s.find(q, epoch); t != nil && t.phase == running {
		t.lost = s.now.Add(forever)
		s.rank(t, t.lost)
		s.heap.fix(t)
	}
}

// GoesOn says that it is done now.
func (s *Schedule) GoesOn(now time.Time, q mq.MessageQueue, epoch uint64) {
	s.now = now
	if t := s.find(q, epoch); t != nil && t.phase == running {
		t.lost = s.lostAt(0)
		s.rank(t, t.lost)
		s.heap.fix(t)
	}
}
