package command

import (
	"time"

	"mqscope/engine/mq"
)

type (
	// One makes the next decision, then stops again.
	One struct{}
	// Task goes on to the end of the turn of the task whose turn it is, or to the end of the
	// next turn when it is nobody's.
	Task struct{}
	// Back goes N decisions back, at least one; on virtual time only.
	Back struct{ N int }
	// Goto goes to where Step decisions have been made, back or forth; on virtual time only.
	Goto struct{ Step uint64 }

	// Run goes on by itself until a breakpoint, a broken invariant or Pause.
	Run struct{}
	// Pause stops a run at the next decision.
	Pause struct{}
	// Until runs until something is so. Exactly one field is set.
	Until struct {
		// Condition is a line or a condition as scripts write it.
		Condition string
		// Task has its turn, from its first decision on.
		Task uint64
	}
	// Pace makes the time between the decisions of a run shorter by Delta notches, or longer
	// where Delta is below zero.
	Pace struct{ Delta int }
)

type (
	// SetBreakpoint stops runs at a place from now on. Exactly one field is set.
	SetBreakpoint struct {
		// Text is a line with an optional condition as scripts write it, as in
		// "flow.span if span > 1500 && queue == 3".
		Text string
		// Queue is stopped at for every decision about it.
		Queue mq.MessageQueue
	}
	// Toggle switches a breakpoint off, or on again. Index is its place in
	// snapshot.Sched.Breakpoints, Words what stands there: a list that has changed meanwhile
	// is left alone.
	Toggle struct {
		Index int
		Words string
	}
	// Delete takes a breakpoint away; its fields are those of Toggle.
	Delete struct {
		Index int
		Words string
	}
)

// Change changes what comes next; on virtual time only. It is an intervention: recordings and
// traces keep it.
type Change struct {
	What What
	// Queue and Task are what is changed: the pull request of Task, the next pull of Queue, its
	// lock or its next listener call. They are zero where What is about neither.
	Queue mq.MessageQueue
	Task  uint64
	// For is how long a task waits, a handler hangs or the clock is moved on.
	For time.Duration
	// Status is Java's name of the pull status that the next pull is answered with.
	Status string
}

// What is a kind of Change. The values are words of scripts.
type What string

// The kinds, and which fields each one reads.
const (
	DelayTask    What = "delay"         // Queue, Task, For: wait that long from now on
	FailPull     What = "fail pull"     // Queue: the next pull fails
	AnswerPull   What = "answer pull"   // Queue, Status: what the next pull is answered
	MemberJoins  What = "member joins"  // another member is in the list from now on
	MemberLeaves What = "member leaves" // one that is not us is gone
	ExpireLock   What = "expire lock"   // Queue: the broker's lock is free at once
	HangHandler  What = "hang handler"  // Queue, For: the next listener call takes that long
	FailHandler  What = "fail handler"  // Queue: the next listener call fails
	Advance      What = "advance"       // For: the clock goes on, what is due happens
)
