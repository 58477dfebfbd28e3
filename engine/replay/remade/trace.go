package remade

import (
	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
)

// mostTraced bounds the decisions that are kept, as on screens.
const mostTraced = 512

// trace keeps what was decided, made again by the code that decides: the decisions of the last
// event, and those before.
type trace struct {
	all   []decision.Decision
	steps uint64
	from  uint64 // steps before the last event
}

// Decided is told by the consumer.
func (t *trace) Decided(d *decision.Decision) {
	t.steps++
	if len(t.all) == 2*mostTraced {
		t.all = append(t.all[:0], t.all[mostTraced:]...)
	}
	t.all = append(t.all, *d)
}

func (t *trace) forget() { *t = trace{} }

// show fills in what was decided.
func (t *trace) show(s *snapshot.Sched) {
	all := t.all[max(0, len(t.all)-mostTraced):]
	first := t.steps - uint64(len(all))
	for i := range all {
		line := snapshot.TraceLine{Step: first + uint64(i) + 1, Decision: all[i]}
		s.History = append(s.History, line)
		if line.Step > t.from {
			s.Current.Lines = append(s.Current.Lines, line)
			if all[i].Task != 0 {
				s.Current.Task, s.Current.Queue = all[i].Task, all[i].Queue
			}
		}
	}
	s.Current.Done = true
	s.Steps, s.Newest = t.steps, t.steps
}
