package infer

import (
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Provenance is that of all events of this package.
const Provenance = "inferred"

// Event is one thing that happened, as far as it can be seen from outside.
type Event struct {
	Seq  uint64 // from 1, without holes
	At   time.Time
	Conn int // of capture.Conn; 0 when it is about none
	Fact Fact
}

// Fact is any struct of this file.
type Fact any

// Opened: a client's connection to Server was first seen to speak.
type Opened struct{ Client, Server string } // addresses

// Closed: it ended, or the capture did.
type Closed struct{ Client, Server, Why string }

// ClientKnown: the client behind an address told its id.
type ClientKnown struct{ Addr, Client string }

// MemberSeen: a heartbeat told of a group for the first time, or with something changed.
type MemberSeen struct {
	Client, Group string
	Model         mq.MessageModel
	Type          mq.ConsumeType
	From          mq.ConsumeFromWhere
	Subscriptions []protocol.SubscriptionData // by topic
	New           bool
}

// Beat: a heartbeat was answered with Code.
type Beat struct {
	Client            string
	Consumers         []string // groups
	Producers         []string
	Answered          bool
	Code              protocol.ResponseCode
	RoundTrip         time.Duration
	WithoutSubscribed bool // version 2: subscriptions as before
}

// MemberLeft: a member took itself out of its group, or its connection ended.
type MemberLeft struct{ Client, Group, Why string }

// MembersChanged: a broker told a client that the members of its group changed, which makes
// it rebalance.
type MembersChanged struct{ Client, Group string }

// MembersListed: a broker answered who the members of a group are.
type MembersListed struct {
	Client, Group string
	Members       []string
}

// RouteSeen: a name server told the route of a topic, or that there is none.
type RouteSeen struct {
	Topic   string
	Known   bool
	Code    protocol.ResponseCode
	Queues  []mq.MessageQueue // readable, sorted
	Brokers []Broker          // by name and id
}

// Broker is one address of a broker.
type Broker struct {
	Name, Addr string
	ID         int64
}

// BrokerAssigned: a broker answered which queues of a topic a member has (400).
type BrokerAssigned struct {
	Client, Group, Topic string
	Queues               []mq.MessageQueue
	Pop                  bool
}

// Assigned: a client began to pull, or pop, a queue. Popping has QueueID -1 where the client
// leaves the queue to the broker.
type Assigned struct {
	Client, Group string
	Queue         mq.MessageQueue
	Pop           bool
}

// Released: a client does not pull the queue any more. Nothing on the wire says so when it
// happens: Last is when it last asked for, or got, messages of it.
type Released struct {
	Client, Group string
	Queue         mq.MessageQueue
	Last          time.Time
	Why           string
}

// PullSent: a client asks for messages.
type PullSent struct {
	Client, Group string
	Queue         mq.MessageQueue
	Exchange      uint64
	Offset        int64
	Max           int32
	MayHold       time.Duration // how long the broker may hold it; 0: not at all
	Lite          bool
}

// PullDone: a pull was answered, or never will be.
type PullDone struct {
	Client, Group string
	Queue         mq.MessageQueue
	Exchange      uint64
	Offset        int64 // asked for
	Answered      bool
	Status        mq.PullStatus
	Code          protocol.ResponseCode
	Remark        string `pack:"text"`
	Next          int64  // with a Status but PullFailed
	Min, Max      int64
	Offsets       []int64 // of the messages, if their bytes were captured
	Bytes         int
	Cut           bool // the capture lacks some of the messages
	RoundTrip     time.Duration
	// Held is set when the broker may hold the pull and took longer than an answer takes.
	Held bool
	Why  string `pack:"text"` // why there is no answer
}

// Committed: an offset was committed to a broker, or refused with Code. Asked is set when
// the broker told it.
type Committed struct {
	Client, Group string
	Queue         mq.MessageQueue
	Offset        int64
	How           How
	Code          protocol.ResponseCode
}

// How an offset became known.
type How string

// Ways to learn of a committed offset.
const (
	ByCommit How = "commit" // UPDATE_CONSUMER_OFFSET
	ByPull   How = "pull"   // along with a pull
	ByAnswer How = "answer" // a broker told it
)

// NoCommit: a broker answered that a group has no offset in a queue.
type NoCommit struct {
	Client, Group string
	Queue         mq.MessageQueue
}

// OffsetsSeen: an answer told the ends of a queue; -1 for the one that it did not.
type OffsetsSeen struct {
	Queue    mq.MessageQueue
	Min, Max int64
}

// Stored: a producer's message was stored at Offset.
type Stored struct {
	Client string
	Queue  mq.MessageQueue
	Offset int64
}

// Locked: a broker gave a client the locks of queues; New are those it did not hold before,
// Refused those it asked for and did not get.
type Locked struct {
	Client, Group     string
	Held, New, Refuse []mq.MessageQueue
}

// Unlocked: a client gave locks back.
type Unlocked struct {
	Client, Group string
	Queues        []mq.MessageQueue
}

// SentBack: a message was sent back to be delivered again, or the broker refused.
type SentBack struct {
	Client, Group string
	Topic, MsgID  string
	Offset        int64 // in the commit log
	Delay         int32
	Code          protocol.ResponseCode
}

// Popped: a pop was answered.
type Popped struct {
	Client, Group, Topic string
	QueueID              int32
	Broker               string
	Count                int
	Code                 protocol.ResponseCode
	Left                 int64
	RoundTrip            time.Duration
}

// Acked: a popped message was acknowledged.
type Acked struct {
	Client, Group string
	Queue         mq.MessageQueue
	Offset        int64
	Code          protocol.ResponseCode
}

// Deferred: a popped message was given another time to come back.
type Deferred struct {
	Client, Group string
	Queue         mq.MessageQueue
	Offset        int64
	Invisible     time.Duration
	Code          protocol.ResponseCode
}

// ResetOrdered: offsets of a group are to be moved: a tool asked a broker, or, with ToClient,
// a broker told a client where to go on.
type ResetOrdered struct {
	Client, Group, Topic string
	ToClient             bool
	Offsets              []QueueOffset // sorted
	Time                 int64         // ms, as the tool asked; -1: the end
}

// QueueOffset is an offset of a queue.
type QueueOffset struct {
	Queue  mq.MessageQueue
	Offset int64
}

// Called: a request without a fact of its own, or one that a broker sent, was answered.
type Called struct {
	Client, Group string
	Request       protocol.RequestCode
	ToClient      bool // a broker asked the client
	Answered      bool
	Code          protocol.ResponseCode
	RoundTrip     time.Duration
	Result        string `pack:"text"` // of CONSUME_MESSAGE_DIRECTLY
	Why           string `pack:"text"` // why there is no answer
}

// Failed: an answer was an error. It follows the event it is about.
type Failed struct {
	Client  string
	Request protocol.RequestCode
	Code    protocol.ResponseCode
	Remark  string `pack:"text"` // text from the network
}

// Unreadable: header or body of a request or answer could not be read.
type Unreadable struct {
	Client  string
	Request protocol.RequestCode
	Text    string `pack:"text"`
}

// Noted passes a note of the capture on: gaps and other things that make the picture unsure.
type Noted struct{ Note capture.Note }
