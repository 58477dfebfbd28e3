package step

import (
	"errors"
	"fmt"
	"slices"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step/command"
)

// Do carries a command out and returns when it is done: a run ends at a breakpoint, at a broken
// invariant or with the world. What is no command of stepping goes to the world, if that is a
// Doer. Pause and Pace mean nothing here, they are for a Source.
func (s *Stepper) Do(cmd any) error {
	if err := s.begin(cmd); err != nil || s.goal == nil {
		return err
	}
	_, _, err := s.Advance(forever)
	return err
}

// begin carries a command out but for moves forward, which Advance is left to do.
func (s *Stepper) begin(cmd any) error {
	switch c := cmd.(type) {
	case command.One:
		s.goal = one()
	case command.Task:
		s.goal = s.task()
	case command.Run:
		s.goal = run()
	case command.Pause:
		s.Halt()
	case command.Pace:
	case command.Until:
		return s.beginUntil(c)
	case command.Back:
		return s.Back(uint64(max(1, c.N)))
	case command.Goto:
		return s.Goto(c.Step)
	case command.SetBreakpoint:
		return s.setBreakpoint(c)
	case command.Toggle:
		return s.Toggle(c.Index, c.Words)
	case command.Delete:
		return s.Delete(c.Index, c.Words)
	case command.Change:
		change, err := s.changeOf(c)
		if err != nil {
			return err
		}
		return s.Change(change)
	case Change:
		return s.Change(c)
	default:
		s.tell(cmd)
	}
	return nil
}

func (s *Stepper) beginUntil(c command.Until) error {
	if c.Task != 0 {
		s.goal = s.turnOf(c.Task)
		return nil
	}
	p, err := ParsePlace(c.Condition)
	if err != nil {
		return err
	}
	s.goal = until(p, 0)
	return nil
}

func (s *Stepper) setBreakpoint(c command.SetBreakpoint) error {
	b, err := breakpointOf(c)
	if err == nil {
		s.Break(b)
	}
	return err
}

// breakpointOf is the breakpoint that a person asks for.
func breakpointOf(c command.SetBreakpoint) (*Breakpoint, error) {
	if c.Text == "" {
		return &Breakpoint{Place: &Place{kind: atQueue, queue: c.Queue}}, nil
	}
	return ParseBreakpoint(c.Text)
}

// changeOf turns a change as screens ask for it into one that a world knows.
func (s *Stepper) changeOf(c command.Change) (Change, error) {
	world := s.cur.world.Snapshot()
	q := c.Queue
	if q == (mq.MessageQueue{}) && c.Task != 0 {
		q = queueOfTask(world, c.Task)
	}
	switch c.What {
	case command.DelayTask:
		return aboutQueue(DelayTask{q, c.For}, q)
	case command.FailPull:
		return aboutQueue(FailPull{q}, q)
	case command.AnswerPull:
		return aboutQueue(AnswerPull{q, c.Status}, q)
	case command.ExpireLock:
		return aboutQueue(ExpireLock{q}, q)
	case command.HangHandler:
		return aboutQueue(HangHandler{q, c.For}, q)
	case command.FailHandler:
		return aboutQueue(FailHandler{q}, q)
	case command.Advance:
		return AdvanceClock{c.For}, nil
	case command.MemberJoins:
		return MemberJoins{s.newMember(world)}, nil
	case command.MemberLeaves:
		if world != nil {
			for _, m := range slices.Backward(world.Members) {
				if !m.Me {
					return MemberLeaves{m.ID}, nil
				}
			}
		}
		return nil, errors.New("there is no other member that could leave")
	}
	return nil, fmt.Errorf("there is no change %q", string(c.What))
}

func aboutQueue(c Change, q mq.MessageQueue) (Change, error) {
	if q == (mq.MessageQueue{}) {
		return nil, errors.New("select a task or a queue first: the change is about one")
	}
	return c, nil
}

func queueOfTask(world *snapshot.Snapshot, task uint64) mq.MessageQueue {
	if world != nil {
		for i := range world.Sched.Tasks {
			if world.Sched.Tasks[i].ID == task {
				return world.Sched.Tasks[i].Queue
			}
		}
	}
	return mq.MessageQueue{}
}

// newMember is a name that no member has or had: m2, m3 and so on.
func (s *Stepper) newMember(world *snapshot.Snapshot) string {
	taken := func(name string) bool {
		for _, p := range s.plan {
			if j, ok := p.change.(MemberJoins); ok && j.Name == name {
				return true
			}
		}
		return world != nil && slices.ContainsFunc(world.Members, func(m snapshot.Member) bool { return m.ID == name })
	}
	for n := 2; ; n++ {
		if name := fmt.Sprintf("m%d", n); !taken(name) {
			return name
		}
	}
}
