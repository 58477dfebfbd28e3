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

// mark notes a point of interest, once.
func (s *Stepper) mark(step uint64, what string, change bool) {
	m := mark{step, what, change}
	i, _ := slices.BinarySearchFunc(s.marks, step+1, func(m mark, step uint64) int { return cmp.Compare(m.step, step) })
	for j := i; !change && j > 0 && s.marks[j-1].step == step; j-- {
		if s.marks[j-1] == m {
			return
		}
	}
	s.marks = slices.Insert(s.marks, i, m)
	if len(s.marks) > maxMarks+len(s.plan) {
		if i := slices.IndexFunc(s.marks, func(m mark) bool { return !m.change }); i >= 0 {
			s.marks = slices.Delete(s.marks, i, i+1)
		}
	}
}

// line is a decision as it is shown.
func (s *Stepper) line(t *taken) snapshot.TraceLine {
	return snapshot.TraceLine{Step: t.step, Decision: t.d, Break: s.bps.onLine(t.d.Line)}
}

// Trace is the current turn so far.
func (s *Stepper) Trace() snapshot.SchedTrace { return s.cur.trace(s.line) }

// History are the last decisions, at most n and at most 512, oldest first.
func (s *Stepper) History(n int) []snapshot.TraceLine {
	list := make([]snapshot.TraceLine, 0, min(n, len(s.cur.ring)))
	skip := max(0, len(s.cur.ring)-n)
	s.cur.history(func(t *taken) {
		if skip--; skip < 0 {
			list = append(list, s.line(t))
		}
	})
	return list
}

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
	sched.Marks = make([]snapshot.StepMark, len(s.marks))
	for i, m := range s.marks {
		sched.Marks[i] = snapshot.StepMark{Step: m.step, What: m.what, Change: m.change}
	}
	sched.Tasks = slices.Clone(sched.Tasks)
	for i := range sched.Tasks {
		t := &sched.Tasks[i]
		t.Break = s.bps.onQueue(t.Queue)
		t.Current = t.ID != 0 && t.ID == sched.Current.Task
	}
	return sched
}
