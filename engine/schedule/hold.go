package schedule

import (
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// forever is longer than anybody holds anything.
const forever = 100 * 365 * 24 * time.Hour

// hold keeps a request whose time has come from its turn.
func (s *Schedule) hold(t *task) {
	t.phase, t.since = held, s.now
	s.held++
	s.rank(t, s.now.Add(forever))
	s.heap.fix(t)
}

// released makes a request that is held due now, whatever Holds says.
func (s *Schedule) released(q mq.MessageQueue) {
	if t := s.tasks[q]; t != nil && t.phase == held {
		s.rank(t, s.now)
		s.heap.fix(t)
	}
}

// letGo says whether requests are held now. If not, those that were have their turns, in the
// order in which their time came.
func (s *Schedule) letGo() (holds bool) {
	if s.Holds != nil && s.Holds() {
		return true
	}
	if s.held == 0 {
		return false
	}
	var list []*task
	for _, t := range s.heap {
		if t.phase == held && t.due.After(s.now) {
			list = append(list, t)
		}
	}
	sortByDue(list)
	for _, t := range list {
		t.cause = event.CauseNone
		s.wake(t, "nobody holds it any more")
	}
	return false
}
