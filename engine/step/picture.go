package step

import (
	"cmp"
	"slices"

	"mqscope/engine/snapshot"
)

// maxMarks is how many points of interest are kept beside the changes.
const maxMarks = 256

// mark is a point of interest. Changes are never forgotten.
type mark struct {
	step   uint64
	what   string
	change bool
}

// marks are points of interest in the order of their steps.
type marks []mark

// add notes a point of interest, once. At most so many are kept beside the changes.
func (ms *marks) add(m mark, most int) {
	list := *ms
	i, _ := slices.BinarySearchFunc(list, m.step+1, func(m mark, step uint64) int { return cmp.Compare(m.step, step) })
	for j := i; !m.change && j > 0 && list[j-1].step == m.step; j-- {
		if list[j-1] == m {
			return
		}
	}
	list = slices.Insert(list, i, m)
	if len(list) > most {
		if i := slices.IndexFunc(list, func(m mark) bool { return !m.change }); i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
	}
	*ms = list
}

func (ms marks) picture() []snapshot.StepMark {
	list := make([]snapshot.StepMark, len(ms))
	for i, m := range ms {
		list[i] = snapshot.StepMark{Step: m.step, What: m.what, Change: m.change}
	}
	return list
}

// mark notes a point of interest.
func (s *Stepper) mark(step uint64, what string, change bool) {
	s.marks.add(mark{step, what, change}, maxMarks+len(s.plan))
}

// line is a decision as it is shown.
func (s *Stepper) line(t *taken) snapshot.TraceLine { return s.bps.line(t) }

func (bs *breakpoints) line(t *taken) snapshot.TraceLine {
	return snapshot.TraceLine{Step: t.step, Decision: t.d, Break: bs.onLine(t.d.Line)}
}

// Trace is the current turn so far.
func (s *Stepper) Trace() snapshot.SchedTrace { return s.cur.trace(s.line) }

// History are the last decisions, at most n and at most 512, oldest first.
func (s *Stepper) History(n int) []snapshot.TraceLine { return s.cur.lines(n, s.line) }

// Snapshot is a picture of the world with the stepping part filled in.
func (s *Stepper) Snapshot() *snapshot.Snapshot {
	world := s.cur.world.Snapshot()
	if world == nil {
		world = &snapshot.Snapshot{At: s.Now()}
	}
	picture := *world
	picture.Sched = s.Sched(world)
	return &picture
}

// Sched is the schedule that a snapshot of the world has, with the stepping part filled in.
func (s *Stepper) Sched(world *snapshot.Snapshot) snapshot.Sched {
	sched := world.Sched
	sched.Known, sched.Stepping, sched.Running = true, true, s.Moving()
	sched.Start = s.start
	sched.Steps, sched.Newest = s.Steps(), s.newest
	sched.Current = s.Trace()
	sched.History = s.History(past)
	sched.Breakpoints = s.bps.picture(world, s.Steps())
	sched.Hit = s.hit
	sched.Broken = slices.Clone(s.broken)
	sched.Marks = s.marks.picture()
	s.bps.markTasks(&sched)
	return sched
}

// markTasks marks the tasks that a breakpoint concerns, and the one whose turn it is.
func (bs *breakpoints) markTasks(sched *snapshot.Sched) {
	sched.Tasks = slices.Clone(sched.Tasks)
	for i := range sched.Tasks {
		t := &sched.Tasks[i]
		t.Break = bs.onQueue(t.Queue)
		t.Current = t.ID != 0 && t.ID == sched.Current.Task
	}
}
