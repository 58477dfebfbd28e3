package scheduler

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// facts are what follows from one snapshot; they are worked out once.
type facts struct {
	snap   *snapshot.Snapshot
	d      *snapshot.Sched
	short  views.ShortNames
	traced bool // there are decisions to show, or may be

	ready, delayed, running, parked, dropped, held int
	wrong, firstWrong                              int
	last                                           time.Time // due time of the delayed task that fires last
	next                                           int       // task that fires next, -1 for none
	past, turn                                     []entry   // rows of history and trace
	causes                                         []causeCount

	order  []int32   // rows of the table: places in d.Tasks
	sorted time.Time // when they were put in order
}

// causeCount is how many tasks wait for a cause.
type causeCount struct {
	cause string
	n     int
}

// mostCauses is how many causes are counted apart; others count as other.
const mostCauses = 12

// entry is a row of history or trace: a decision, or a change that a person made before one.
type entry struct {
	step  uint64
	line  *snapshot.TraceLine // nil for a change
	mark  *snapshot.StepMark  // the change
	n     int                 // which decision of the turn, from 1 on
	point bool                // something of interest happened at the decision
}

func (v *View) facts(s *snapshot.Snapshot, now time.Time) *facts {
	if v.memo.snap == s {
		return &v.memo
	}
	f := facts{snap: s, d: &s.Sched, short: views.ShortBrokers(s), next: -1, past: v.memo.past[:0], turn: v.memo.turn[:0], causes: v.memo.causes[:0]}
	d := f.d
	f.traced = d.Stepping || len(d.History) > 0 || len(d.Current.Lines) > 0
	for i := range d.Tasks {
		f.count(&d.Tasks[i], i)
	}
	f.rank(&v.memo, now)
	f.past = entries(f.past, d.History, d.Marks)
	f.turn = entries(f.turn, d.Current.Lines, marksFrom(d.Marks, d.Current.Lines))
	v.memo = f
	return &v.memo
}

func (f *facts) count(t *snapshot.SchedTask, i int) {
	if t.Wrong != "" {
		if f.wrong == 0 {
			f.firstWrong = i
		}
		f.wrong++
	}
	if t.Held {
		f.held++
	}
	if t.State == snapshot.TaskDelayed || t.State == snapshot.TaskParked {
		f.waits(t)
	}
	switch {
	case t.Dropped:
		f.dropped++
	case t.State == snapshot.TaskReady:
		f.ready++
	case t.State == snapshot.TaskRunning:
		f.running++
	case t.State == snapshot.TaskParked:
		f.parked++
	case t.State == snapshot.TaskDelayed:
		f.delayed++
		if t.Due.After(f.last) {
			f.last = t.Due
		}
		if f.next < 0 || t.Due.Before(f.d.Tasks[f.next].Due) {
			f.next = i
		}
	}
}

// waits counts what a task waits for.
func (f *facts) waits(t *snapshot.SchedTask) {
	cause := string(t.Cause)
	switch {
	case t.State == snapshot.TaskParked:
		cause = longPoll
	case cause == "":
		cause = "no cause told"
	}
	for i := range f.causes {
		if f.causes[i].cause == cause {
			f.causes[i].n++
			return
		}
	}
	if len(f.causes) >= mostCauses {
		f.causes[len(f.causes)-1].cause = "other"
		f.causes[len(f.causes)-1].n++
		return
	}
	f.causes = append(f.causes, causeCount{cause, 1})
}

const longPoll = "long poll"

// entries puts decisions and changes in one order.
func entries(out []entry, lines []snapshot.TraceLine, marks []snapshot.StepMark) []entry {
	m := 0
	for i := range lines {
		e := entry{step: lines[i].Step, line: &lines[i], n: i + 1}
		for ; m < len(marks) && marks[m].Step <= e.step; m++ {
			switch {
			case marks[m].Step < lines[0].Step:
			case marks[m].Change:
				out = append(out, entry{step: marks[m].Step, mark: &marks[m]})
			case marks[m].Step == e.step:
				e.point = true
			}
		}
		out = append(out, e)
	}
	for ; m < len(marks); m++ {
		if marks[m].Change {
			out = append(out, entry{step: marks[m].Step, mark: &marks[m]})
		}
	}
	return out
}

// marksFrom are the marks since the first of lines, which is the beginning of a turn.
func marksFrom(marks []snapshot.StepMark, lines []snapshot.TraceLine) []snapshot.StepMark {
	for i := range marks {
		if len(lines) > 0 && marks[i].Step > lines[0].Step {
			return marks[i:]
		}
	}
	return nil
}

// worth tells whether history is worth a stop at row i: where a breakpoint was hit, a change,
// or where rebalancing begins.
func (f *facts) worth(i int) bool {
	e := &f.past[i]
	switch {
	case e.mark != nil || e.point:
		return true
	case !rebalances(e):
		return false
	}
	return i == 0 || !rebalances(&f.past[i-1])
}

func rebalances(e *entry) bool {
	return e.line != nil && e.line.Decision.Line != nil && e.line.Decision.Line.Group == decision.Rebalance
}

// lineAt is the row of a decision in rows, the newest for step 0, -1 without rows.
func lineAt(rows []entry, step uint64) int {
	if step == 0 {
		return len(rows) - 1
	}
	for i := range rows {
		if rows[i].step >= step && (rows[i].line != nil || rows[i].step > step) {
			return i
		}
	}
	return len(rows) - 1
}

// between tells whether no task has its turn: the trace then shows the turns before.
func (f *facts) between() bool { return len(f.turn) == 0 }

// rows are those of the lower pane.
func (f *facts) rows(m Mode) []entry {
	if m == History || f.between() {
		return f.past
	}
	return f.turn
}
