package step

import (
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// World is something that goes from decision to decision and stands still between them. It moves
// forward only. Two worlds of one Maker share nothing that either could notice.
type World interface {
	// Run goes on until stop says true for a decision. The world then stands still right after
	// that decision, which may be in the midst of a step of its engine, until Run is called again.
	// While stop runs, Steps, Now and Hash count the decision already, and Broken may be called.
	// d is valid during the call only.
	Run(stop func(d *decision.Decision) bool) (Reason, error)
	// Steps is how many decisions were made.
	Steps() uint64
	// Now is the time of the world.
	Now() time.Time
	// Hash is of all decisions so far, in order.
	Hash() uint64
	// Snapshot is built when it is called, without any effect on the run.
	Snapshot() *snapshot.Snapshot
	// Change lets something happen that would not have, before the next decision. It makes no
	// decision itself, those come when Run goes on. An error means that nothing was changed.
	Change(c Change) error
	// Broken are the invariants that do not hold, as of the last moment at which they could be
	// judged. It is asked after each decision: the world finds out beforehand what costs time, at
	// the end of a step of its engine.
	Broken() []snapshot.Breach
	// Close ends the world. Nothing is called after it.
	Close()
}

// Doer is a World that is also told what a person does with pictures of it, as which queues are
// looked at closely. It has no effect on the run.
type Doer interface{ Do(cmd any) }

// Guide is a World with points at which a run is worth a stop, as the goals of a lesson.
type Guide interface {
	// Sight is what the last decision has come to, "" for nothing.
	Sight() string
}

// Maker makes the same world afresh each time, as from the same seed.
type Maker func() (World, error)

// Reason is why a world stands still.
type Reason uint8

const (
	Stopped Reason = iota // stop said so
	Idle                  // nothing is left to do
	TimeUp                // its time limit was reached
)

// String is why, for a person.
func (r Reason) String() string {
	return [...]string{"stopped", "nothing is left to do", "the time limit of the world is reached"}[r]
}

// queuesOf lists the queues that a snapshot tells of.
func queuesOf(s *snapshot.Snapshot) []mq.MessageQueue {
	if s == nil {
		return nil
	}
	list := make([]mq.MessageQueue, len(s.Queues))
	for i := range s.Queues {
		list[i] = s.Queues[i].ID
	}
	return list
}
