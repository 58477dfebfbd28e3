package event

import (
	"time"

	"mqscope/engine/mq"
)

// Tick says that time has passed: due work may be done.
type Tick struct{}

// RouteChanged brings the readable queues of a topic after its route was read. With Err set
// the route could not be read and the old one stays; Known is false while none was ever seen.
type RouteChanged struct {
	Topic  string
	Queues []mq.MessageQueue // sorted
	Known  bool
	Err    error
}

// RebalanceWanted asks for a pass now: a member came or went, a connection came up.
type RebalanceWanted struct{ Why string }

// MembersListed brings a broker's list of the client ids of the group.
type MembersListed struct {
	Topic   string // whose pass asked
	Members []string
	Err     error
}

// AssignmentRead brings a broker's answer to which queues of a topic this member has
// (QUERY_ASSIGNMENT).
type AssignmentRead struct {
	Topic string
	// Queues are those to be pulled from. Known is false when the broker has no answer: it
	// knows no member of the group, or not the topic's route, or can not allot.
	Queues []mq.MessageQueue
	Known  bool
	Pop    bool // the broker means the topic to be popped, not pulled
	// Members are the client ids of the group, for showing; none where they were not told.
	Members []string
	Err     error
	Failure AssignmentFailure // of Err
}

// AssignmentFailure says what an error of a question for an assignment tells of the broker.
type AssignmentFailure uint8

const (
	AssignmentRefused   AssignmentFailure = iota // it answered, but not with an assignment
	AssignmentTimeout                            // no answer came
	AssignmentUnreached                          // it was not asked
)

// OffsetSource says which offset of a queue was asked of its broker.
type OffsetSource uint8

const (
	CommittedOffset OffsetSource = iota
	MaxOffset
	MinOffset
	OffsetByTime
)

// String names the source as a person would.
func (s OffsetSource) String() string {
	return [...]string{"committed", "max", "min", "by time"}[s]
}

// OffsetRead answers a question for an offset. Found is false when the broker has none
// (code 22); Err is any other failure and never means zero.
type OffsetRead struct {
	Queue  mq.MessageQueue
	Epoch  uint64 // of the assignment that asked
	Source OffsetSource
	Offset int64
	Found  bool
	Err    error
}

// OffsetSent tells how a commit to the broker went.
type OffsetSent struct {
	Queue  mq.MessageQueue
	Offset int64
	Err    error
}

// QueueAssigned says that this member owns a queue from now on. Epoch is new for each
// assignment, so that late answers to an earlier one are told apart.
type QueueAssigned struct {
	Queue mq.MessageQueue
	Epoch uint64
	Start int64         // first offset to pull
	Delay time.Duration // before the first pull
}

// QueueRevoked says that this member gave a queue up.
type QueueRevoked struct {
	Queue mq.MessageQueue
	Epoch uint64
	Why   RevokeReason
}

// RevokeReason says why a queue was given up.
type RevokeReason uint8

const (
	RevokedByRebalance RevokeReason = iota
	RevokedIllegalOffset
	RevokedPullExpired
	RevokedUnsubscribed
	RevokedByShutdown
	RevokedByReset
	RevokedByHand // its lock was released
)

// String is a word for the screen.
func (r RevokeReason) String() string {
	return [...]string{"rebalance", "offset illegal", "pull expired", "unsubscribed", "shutdown", "offset reset", "lock released by hand"}[r]
}

// PullDone is the outcome of one pull. Messages are already in the ProcessQueue.
type PullDone struct {
	Queue    mq.MessageQueue
	Epoch    uint64
	Status   mq.PullStatus
	Offset   int64     // asked for
	Next     int64     // nextBeginOffset of the answer
	Min, Max int64     // of the queue, as of the answer; -1 when the answer has none
	Suggest  int64     // broker id for the next pull
	Slave    bool      // a slave answered: it may lack the newest messages
	Commit   int64     // committed along with the pull, 0 when nothing was
	Count    int       // messages put into the ProcessQueue
	First    int64     // offset of the first message that is wanted, with Count above 0
	Filtered int       // messages that the exact tag match, or a filter hook, refused
	Bytes    int       // of the bodies put
	Stored   time.Time // of the first message in the answer, by the broker's clock
	Took     time.Duration
	Code     int32 // response code, 0 when there was no answer
	Err      error // set with Status PullFailed
}

// RoomFreed says that a ProcessQueue which tripped flow control is below its limits again.
type RoomFreed struct {
	Queue mq.MessageQueue
	Epoch uint64
}

// BrokerReachable says that a connection to a broker came up and that the broker has had a
// heartbeat over it: it knows the group, and pulls may be made.
type BrokerReachable struct{ BrokerName, Addr string }

// BrokerLost says that the connection to a broker ended, or could not be made.
type BrokerLost struct {
	BrokerName, Addr string
	Err              error
	RetryAt          time.Time
}

// ConsumptionPaused and ConsumptionResumed are a person's commands
// (Java: DefaultMQPushConsumerImpl.suspend and resume).
type (
	ConsumptionPaused  struct{}
	ConsumptionResumed struct{}
)
