// Package snapshot has the immutable pictures of a consumer that everything drawn, printed
// or diagnosed is made from.
//
// A Snapshot is built by the owner of the state, is never changed once published, has a
// stable order and holds no lock, channel or pointer into live state. The package owns
// nothing. Java's nearest relative is ConsumerRunningInfo, one reading without history.
package snapshot

import (
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// MessageQueue is the identity of a queue, so that views need not import package mq.
type MessageQueue = mq.MessageQueue

// Entry is a line of the event stream.
type Entry = event.Entry

// Level is how much a person should care about an Entry.
type Level = event.Level

// Levels of an Entry, for views.
const (
	Debug = event.Debug
	Info  = event.Info
	Warn  = event.Warn
	Error = event.Error
)

// Snapshot is everything known about one consumer at one moment.
type Snapshot struct {
	Seq  uint64    // grows by one with each snapshot
	At   time.Time // engine clock
	Wall time.Time // the computer's clock

	Source  Source
	Mode    Mode
	Cluster Cluster
	Group   Group
	Members []Member // sorted by id; empty and MembersState says why when unknown
	// MembersKnown says how far Members may be trusted; V is their number.
	MembersKnown Val[int]
	Topics       []Topic // sorted by name
	Queues       []Queue // sorted by id
	// Windows has the message states of watched queues (all of them when they are few).
	Windows map[MessageQueue]Window
	// Histories has the sample rings of watched queues.
	Histories map[MessageQueue]History
	// BrokerPulls has the pulls of each broker over time, QueuePulls those of watched queues.
	BrokerPulls map[string]Series
	QueuePulls  map[MessageQueue]Series
	// Rebalances are the last passes that moved queues, oldest first, at most 32.
	Rebalances []Rebalance
	// Strategies are the names that WhatIf knows; WhatIf is nil where it can not be asked.
	Strategies []string
	WhatIf     Planner `pack:"-"`
	Events     Events
	Sched      Sched
	Replay     Replay
	Recorder   Recorder
	Counters   Counters
}

// Counts tells whether q belongs to those that s sums up: the queues of the member that s is
// about. Seen from outside, and about no single client, those are all queues of the group.
func (s *Snapshot) Counts(q *Queue) bool {
	return q.Mine || s.Replay.Inferred && s.Replay.Client == ""
}

// SourceKind says where a snapshot comes from.
type SourceKind uint8

const (
	Live SourceKind = iota
	Demo
	Recorded
)

// String is the badge text.
func (k SourceKind) String() string { return [...]string{"LIVE", "DEMO", "REPLAY"}[k] }

// Source is where the data comes from and how that is going.
type Source struct {
	Kind    SourceKind
	Name    string // of the cluster, as the user called it
	State   SourceState
	Err     string    // cause of the last failure, untrusted text; empty when healthy
	RetryAt time.Time // when it is tried again, zero when it is not
}

// SourceState is the life of a source.
type SourceState uint8

const (
	Connecting SourceState = iota
	Running
	Failing // works on with what it has; Err says what fails
	Stopping
	Ended
)

// String is a word for the screen.
func (s SourceState) String() string {
	words := [...]string{"connecting", "running", "failing", "stopping", "ended"}
	if int(s) >= len(words) { // in a recording with nonsense in it
		return "unknown"
	}
	return words[s]
}

// Mode is what the person has switched.
type Mode struct {
	Paused   bool // consumption is paused: nothing is pulled
	Driving  bool // this process consumes for real
	ReadOnly bool
}

// Cluster is what is known of the servers.
type Cluster struct {
	NameServers []Endpoint
	Brokers     []Broker // sorted by name
}

// Endpoint is one address and its connection.
type Endpoint struct {
	Addr    string
	Up      bool
	Err     string
	RetryAt time.Time
	InUse   bool // the name server chosen now
}

// Broker is one broker name with the address that is pulled from.
type Broker struct {
	Name          string
	Addr          string
	Master        bool
	Version       Val[int32] // as its heartbeat answer said
	Up            bool
	Err           string
	RetryAt       time.Time
	InRate        Val[float64] // messages/s stored into our queues there
	OutRate       Val[float64] // messages/s that we finished
	RoundTrip     Latency      // of pulls that were not held
	LastHeartbeat Val[time.Time]
}

// Group is the consumer group and how this member is set.
type Group struct {
	Name     string
	ClientID string
	Kind     ConsumerKind
	Orderly  bool // a push consumer that consumes each queue in order
	Model    mq.MessageModel
	From     mq.ConsumeFromWhere
	Strategy string
	Limits   Limits
	Threads  Threads
	Version  string // of this client, as told to brokers

	Subscriptions []Subscription // sorted by topic

	LastRebalance Val[time.Time]
	// RebalanceNote says in words what the last pass did.
	RebalanceNote string
}

// Subscription is one topic and its tag expression.
type Subscription struct {
	Topic, Expression string
	Queues            Val[int] // readable queues in the route
}

// Limits are the flow-control limits and batch sizes in force.
type Limits struct {
	CountPerQueue   int // messages, trips above
	MiBPerQueue     int // whole MiB, trips above
	Span            int // offsets, trips above
	PullBatch       int // messages a pull
	ConsumeBatch    int // messages a listener call
	MaxReconsume    int
	PullInterval    time.Duration
	ConsumeTimeout  time.Duration
	PersistInterval time.Duration
}

// Threads is the state of the consume threads.
type Threads struct {
	Busy, Max  int
	Oldest     time.Duration // how long the longest listener call runs, 0 when none
	OldestAt   int64         // its first offset
	OldestOn   MessageQueue
	TasksQueue int // batches waiting for a thread
}

// Member is one client id of the group.
type Member struct {
	ID     string
	Me     bool
	Queues Val[int]   // by the strategy, when all members use it
	Cached Val[int]   // messages, known of ourselves only
	Lag    Val[int64] // of ourselves only
	// Differs is where its subscriptions differ from ours, by topic, as it said at Told; of
	// ourselves Told is not applicable.
	Differs []Difference
	Told    Val[time.Time]
}

// Topic sums the queues of one topic that this member owns.
type Topic struct {
	Name   string
	Queues int // owned by this member
	All    Val[int]
	// AllottedBy says who divides the queues among members: the name of a strategy, "broker",
	// or "all" when each member has all of them; empty while that is not decided. AllotNote is
	// why it is not the broker although it was to be, untrusted text.
	AllottedBy, AllotNote string

	Lag Val[int64] // of the queues whose lag is known
	// LagMissing is how many queues have no known lag: the sum is "at least" then.
	LagMissing int
	InRate     Val[float64]
	OutRate    Val[float64]
	LagTrend   []float64 // one sample per 5 s, newest last, at most 12
	Worst      Mark
}

// Counters are totals since the start.
type Counters struct {
	Pulls, PullsFailed          uint64
	Received, Consumed          uint64 // messages
	SentBack, SendBackFailed    uint64
	Filtered                    uint64
	Commits, CommitsFailed      uint64
	Duplicates                  uint64 // offsets pulled again while still cached
	UnknownAnswers, LateAnswers uint64 // responses nobody waits for
	EventsDropped               uint64
	SnapshotsSkipped            uint64
	Acked, Deferred             uint64 // popped messages
}

// Events is the tail of the event stream: entries are immutable and in order of Seq.
type Events struct {
	Entries []Entry
	Dropped uint64 // older entries that are gone
}
