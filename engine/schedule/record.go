package schedule

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
)

// What is recorded of a request is recorded once it is so: who is told may look at the schedule.
func (s *Schedule) tell(t *task, line *decision.Line, n [6]int64, text string, then decision.Then) {
	s.Decisions.Record(&decision.Decision{
		Line: line, Queue: t.request.Queue, Task: t.request.ID, N: n, Text: text, Then: then,
	})
}

// tellWaits says that a request waits, delay long, and why.
func (s *Schedule) tellWaits(t *task, delay time.Duration) {
	if s.Decisions.On() {
		then := decision.Then{Do: decision.PutBack, Delay: max(0, delay), Why: t.cause}
		s.tell(t, decision.PullEnqueued, [6]int64{t.request.Next}, "", then)
	}
}

// Taken says that the caller takes up the turn of a request now; Step may have returned several
// turns at once. The request waited for it, or its pull was lost.
func (s *Schedule) Taken(r Request) {
	if !s.Decisions.On() {
		return // nobody was told of it as it got its turn
	}
	t := s.find(r.Queue, r.Epoch)
	if t == nil || t.took == nil {
		return
	}
	was := t.took
	t.took = nil
	late := s.now.Sub(was.due)
	switch was.phase {
	case held:
		late = s.now.Sub(was.since)
	case running, parked:
		late = 0
		s.tellLost(was)
	}
	s.tell(was, decision.PullTaken, [6]int64{was.request.Next, int64(late)}, "", decision.Then{})
}

func (s *Schedule) tellLost(t *task) {
	s.tell(t, decision.PullLost, [6]int64{t.request.Next, int64(s.now.Sub(t.since))}, "", decision.Then{})
}

func (s *Schedule) tellParked(t *task) {
	if s.Decisions.On() {
		s.tell(t, decision.PullParked, [6]int64{int64(s.now.Sub(t.since))}, "", decision.Then{})
	}
}

func (s *Schedule) tellWoken(t *task, early time.Duration, by string) {
	if s.Decisions.On() {
		s.tell(t, decision.PullWoken, [6]int64{int64(early)}, by, decision.Then{})
	}
}

// tellSecond says that a request was put back that waits already; t is nil when it belongs to an
// assignment that is over.
func (s *Schedule) tellSecond(t *task, next int64) {
	if t != nil && s.Decisions.On() {
		s.tell(t, decision.PullSecond, [6]int64{next}, "", decision.Then{Do: decision.Stop})
	}
}

func (s *Schedule) tellEnd(t *task, why string, more fmt.Stringer) {
	if !s.Decisions.On() {
		return
	}
	if more != nil {
		why += more.String()
	}
	s.tell(t, decision.PullDied, [6]int64{t.request.Next}, why, decision.Then{Do: decision.Die})
}
