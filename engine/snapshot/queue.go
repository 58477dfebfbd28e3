package snapshot

import (
	"time"

	"mqscope/engine/event"
)

// Mark is the worst thing to say about a subject, in one sign.
type Mark uint8

const (
	MarkOK Mark = iota
	MarkWatch
	MarkWarn
	MarkBad
	MarkStale
	MarkUnknown
)

// QueueState is the life of an assigned queue.
type QueueState uint8

const (
	// NotOwned is a queue of a subscribed topic that another member has.
	NotOwned    QueueState = iota
	Resolving              // assigned, start offset not known yet
	Pulling                // owned and pulled
	QueuePaused            // owned, consumption paused
	Dropped                // given up
	Popping                // seen from outside: popped, the broker chooses the messages
	Unpulled               // seen from outside: nobody pulls it, as far as seen
)

// String is a word for the screen.
func (s QueueState) String() string {
	return [...]string{"other", "resolving", "pulling", "paused", "dropped", "popping", "nobody"}[s]
}

// Queue is one message queue of a subscribed topic.
type Queue struct {
	ID    MessageQueue
	Owner Val[string] // client id
	Mine  bool
	State QueueState
	// Inferred says that it was seen from outside, on the wire, whoever has it: what the traffic
	// does not tell is unknown, also where there is no Val to say so.
	Inferred bool
	Epoch    uint64 // of the assignment

	Min, Max        Val[int64] // of the queue at the broker; Max is the next offset to be written
	Committed       Val[int64] // acknowledged by the broker or sent to it
	Next            Val[int64] // next offset to pull
	CachedMin       Val[int64] // first offset in the ProcessQueue
	CachedMax       Val[int64]
	Count           Val[int]   // messages in the ProcessQueue
	Bytes           Val[int64] // of their bodies
	Span            Val[int64] // last minus first cached offset
	InListener      int        // messages that a listener has now
	Lag             Val[int64] // Max - Committed; negative is evidence, not an error
	InRate, OutRate Val[float64]
	LagSlope        Val[float64] // messages/s, over the last 30 s

	Lock      Lock
	Flow      Flow
	Task      Task
	LastPull  Val[Pull]
	LastTaken Val[time.Time] // last time that a listener returned
	LastFound Val[time.Time] // last pull that brought messages
	RoundTrip Latency
	Found     uint64 // messages pulled
	Filtered  uint64
	Illegal   uint64 // corrections of an illegal offset
	Failures  uint64 // pulls that failed
	Acked     uint64 // popped messages that were acknowledged
	Deferred  uint64 // popped messages that were given another time to come back
	LastError string // of the last failed pull, untrusted text
	Mark      Mark
	Note      string // why Mark is not ok, in a few words
	// Unread says that nobody reads it: its owner is known not to subscribe to the topic.
	Unread bool
}

// Cause says why a pull was put back.
type Cause = event.Cause

// Flow is flow control of one queue.
type Flow struct {
	Cause    Cause // empty when the last check passed
	Since    time.Time
	PutBacks uint64 // since the queue was assigned
}

// TaskState is where the one PullRequest of a queue is.
type TaskState uint8

const (
	TaskNone    TaskState = iota // no request: not owned, or it died
	TaskReady                    // due
	TaskDelayed                  // waits for its due time
	TaskRunning                  // at a broker, not known to be held
	TaskParked                   // at a broker, held for new messages
)

// String is the word on screen.
func (s TaskState) String() string {
	return [...]string{"none", "ready", "delayed", "running", "parked"}[s]
}

// Task is the PullRequest of a queue.
type Task struct {
	ID    uint64
	State TaskState
	Due   time.Time
	Cause Cause // why it was put back, empty when it was not
	Since time.Time
}

// Pull is one finished pull.
type Pull struct {
	At     time.Time
	Status string // Java's name
	Offset int64
	Next   int64
	Count  int
	Took   time.Duration
	Held   bool // the broker waited for messages: not slowness
}

// MessageState is what a ProcessQueue does with one offset.
type MessageState uint8

const (
	Gap       MessageState = iota // no message: filtered or compacted away
	Waiting                       // cached, no listener yet
	Consuming                     // a listener has it
	Done                          // finished, but an earlier one holds the commit offset
	Retry                         // send-back failed, is consumed again here
	Delivered                     // seen from outside: delivered and not committed, all else is unknown
)

// Run is a stretch of offsets in one state, both ends included.
type Run struct {
	From, To int64
	State    MessageState
}

// Window is what a ProcessQueue holds, as runs in offset order without overlap.
type Window struct {
	Runs []Run
	// Meta has details of the messages that matter most: those in a listener, those to be
	// retried, the first waiting ones. At most 64, in offset order.
	Meta []Message
}

// Message is what is known of one cached message. Tag, Keys and Topic are untrusted text.
type Message struct {
	Offset    int64
	State     MessageState
	Tag, Keys string
	ID        string
	Topic     string
	BodySize  int
	Reconsume int32
	Stored    time.Time
	Started   time.Time // when its listener got it, zero when none has
}

// History has one ring of samples per metric, newest last, one per Step.
type History struct {
	Step                        time.Duration
	Count, Lag, Commit, Latency []float64 // Commit in messages/s, Latency p99 in ms; NaN is no data
}
