package snapshot

import (
	"time"

	"mqscope/engine/decision"
)

// Sched is the pull tasks of one consumer, and how a person moves them.
type Sched struct {
	// Known is false where no source tells of its schedule; the rest is zero then.
	Known bool
	// Stepping says that decisions wait for a person, Drives that they are those of a consumer
	// on a live cluster: its group. On virtual time Drives is empty.
	Stepping bool
	Drives   string
	Start    time.Time     // engine clock at the beginning; on virtual time screens count from it
	Pace     time.Duration // between decisions while running, 0 is as fast as it goes
	Running  bool          // runs by itself until a breakpoint or a pause

	Tasks  []SchedTask // by due time, then id; those without one last
	Steps  uint64      // decisions made up to here
	Newest uint64      // decisions made up to the furthest point that was reached; above Steps after a step back

	Current     SchedTrace
	History     []TraceLine // the last 512 decisions of all tasks, oldest first
	Breakpoints []Breakpoint
	Hit         SchedHit   // why it stopped last
	Outside     []Lease    // what goes on while a live consumer is held
	Broken      []Breach   // invariants that do not hold now
	Marks       []StepMark // interventions and points of interest, oldest first
	Lesson      *Lesson    // nil without one
}

// Virtual tells whether time stands still between decisions: the clock of the snapshot is now.
func (s *Sched) Virtual() bool { return s.Stepping && s.Drives == "" }

// SchedTask is one pull task, of a push consumer (its PullRequest) or of the pull-task service.
type SchedTask struct {
	Task
	Queue   MessageQueue
	Next    int64  // offset that it pulls next, -1 when it has none
	Dropped bool   // its queue is not ours any more
	Wrong   string // why this task must not be there like this (✗), empty when all is well
	Break   bool   // a breakpoint concerns its queue
	Current bool   // the trace is of this task
	Held    bool   // a person holds it: its time has come
	Count   int    // messages cached of its queue
}

// SchedTrace is what was decided in the turn of one task so far.
type SchedTrace struct {
	Task  uint64 // 0 when no task has its turn
	Queue MessageQueue
	Lines []TraceLine
	Done  bool // the turn is over
}

// TraceLine is one decision.
type TraceLine struct {
	Step     uint64 // which decision this is, from 1 on
	Decision decision.Decision
	Break    bool // a breakpoint stands on its line
}

// Breakpoint is a place or condition at which a run stops.
type Breakpoint struct {
	Name      string // given by whoever made it, untrusted text
	Words     string // what it stops at, as it is written in scripts; untrusted text
	Hits      uint64
	After     uint64 // hits that are let pass first
	Off       bool
	Condition string // over the values shown, empty when there is none; untrusted text
	// Queue is set where it stands on a queue: every decision about that stops a run.
	Queue MessageQueue
	// Note says what is odd about it, as that its queue is not ours any more.
	Note string
}

// SchedHit is why a run stopped.
type SchedHit struct {
	Step uint64 // 0: it did not stop yet
	Why  string // untrusted text
	Bad  bool   // an invariant is broken
}

// Lease is something outside of a held consumer that time goes on for.
type Lease struct {
	What  string // "pull at broker-a", "lock of …"; untrusted text
	Until time.Time
}

// Breach is a broken invariant.
type Breach struct {
	ID   string // "I13", see Invariants in package consumer
	What string // untrusted text
}

// StepMark is an intervention: what a person changed, before which decision. It may also be
// another point of interest, as that a breakpoint was hit.
type StepMark struct {
	Step   uint64
	What   string // untrusted text
	Change bool   // a person changed something
}

// Lesson is a guided scenario.
type Lesson struct {
	Number, Of int
	Name       string
	Title      string
	Text       []string // paragraphs of the part at hand
	Goals      []Goal
}

// Goal is a state that a lesson promises to reach.
type Goal struct {
	What    string
	Reached bool
	Step    uint64 // at which it was
}
