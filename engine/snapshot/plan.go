package snapshot

import "time"

// Rebalance is one pass that moved queues of a topic, as this member saw it.
type Rebalance struct {
	At            time.Time
	Topic         string
	Why           string
	Strategy      string
	Members       []string       // sorted
	Queues        []MessageQueue // sorted
	Before, After []string       // owner of each queue, empty when unknown or nobody
}

// PlanRequest is a question "what if": which members and which strategy a topic would have.
type PlanRequest struct {
	Topic    string
	Strategy string   // Java's name of it
	Members  []string // client ids
}

// Plan is the answer, computed by the code that allots queues in a real pass.
type Plan struct {
	Topic                string
	Strategy             string
	Queues               []MessageQueue // sorted
	Members              []PlanMember   // those before and after, by id
	Moves                int
	Percent              float64 // of the queues that move
	MinBefore, MaxBefore int
	MinAfter, MaxAfter   int
	Orphans              []MessageQueue // nobody would have them
	Doubles              []MessageQueue // two would have them
	Idle                 []string       // members without a queue
	MayRepeat            int            // messages held by members that lose their queue, as far as known
	Err                  string         // why there is no plan, untrusted text
}

// PlanMember is what the change means to one client id.
type PlanMember struct {
	ID            string
	Joins, Leaves bool
	Before, After []MessageQueue
}

// Planner answers what-if questions. It is pure: it may be called from any goroutine and
// changes nothing.
type Planner func(PlanRequest) Plan
