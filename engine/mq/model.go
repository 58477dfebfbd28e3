package mq

// unknownName is what a value of another version is shown as. It never goes on the wire.
const unknownName = "UNKNOWN"

// MessageModel says whether members of a group share the queues or each read all of them.
type MessageModel uint8

const (
	Clustering MessageModel = iota
	Broadcasting

	// UnknownModel is a name that this program does not know.
	UnknownModel MessageModel = 0xFF
)

// String returns the name on the wire (Java: MessageModel).
func (m MessageModel) String() string {
	switch m {
	case Clustering:
		return "CLUSTERING"
	case Broadcasting:
		return "BROADCASTING"
	}
	return unknownName
}

// ConsumeFromWhere says where a group without a stored offset starts (Java: ConsumeFromWhere).
type ConsumeFromWhere uint8

const (
	FromLastOffset ConsumeFromWhere = iota
	FromFirstOffset
	FromTimestamp

	// The next three are deprecated in Java and only met in what other clients send.
	FromLastOffsetAndMinWhenBootFirst
	FromMinOffset
	FromMaxOffset

	// UnknownFromWhere is a name that this program does not know.
	UnknownFromWhere ConsumeFromWhere = 0xFF
)

// String returns the name on the wire.
func (w ConsumeFromWhere) String() string {
	switch w {
	case FromLastOffset:
		return "CONSUME_FROM_LAST_OFFSET"
	case FromFirstOffset:
		return "CONSUME_FROM_FIRST_OFFSET"
	case FromTimestamp:
		return "CONSUME_FROM_TIMESTAMP"
	case FromLastOffsetAndMinWhenBootFirst:
		return "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST"
	case FromMinOffset:
		return "CONSUME_FROM_MIN_OFFSET"
	case FromMaxOffset:
		return "CONSUME_FROM_MAX_OFFSET"
	}
	return unknownName
}

// ConsumeType says who decides when to pull (Java: ConsumeType).
type ConsumeType uint8

const (
	Passively ConsumeType = iota // push: the engine pulls and calls the listener
	Actively                     // pull and lite: the application pulls
	Popping                      // pop: the broker hands out and takes back single messages

	// UnknownConsumeType is a name that this program does not know.
	UnknownConsumeType ConsumeType = 0xFF
)

// String returns the name on the wire.
func (c ConsumeType) String() string {
	switch c {
	case Passively:
		return "CONSUME_PASSIVELY"
	case Actively:
		return "CONSUME_ACTIVELY"
	case Popping:
		return "CONSUME_POP"
	}
	return unknownName
}

// PullStatus is what a broker answered to a pull (Java: PullStatus).
type PullStatus uint8

const (
	PullFailed PullStatus = iota // no answer, or an answer that is none of the four
	Found
	NoNewMsg
	NoMatchedMsg
	OffsetIllegal
)

// String returns Java's name of the status.
func (s PullStatus) String() string {
	switch s {
	case Found:
		return "FOUND"
	case NoNewMsg:
		return "NO_NEW_MSG"
	case NoMatchedMsg:
		return "NO_MATCHED_MSG"
	case OffsetIllegal:
		return "OFFSET_ILLEGAL"
	}
	return "FAILED"
}

// Bits of a message's sysFlag (Java: MessageSysFlag).
const (
	CompressedFlag       = 0x1
	TransactionMask      = 0xC
	BornHostV6Flag       = 0x10
	StoreHostV6Flag      = 0x20
	NeedUnwrapFlag       = 0x40
	InnerBatchFlag       = 0x80
	CompressionTypeMask  = 0x700
	CompressionTypeShift = 8
)

// Names of message properties (Java: MessageConst). Only those used by name here.
const (
	PropertyKeys              = "KEYS"
	PropertyTags              = "TAGS"
	PropertyWaitStoreOK       = "WAIT"
	PropertyDelayLevel        = "DELAY"
	PropertyUniqueKey         = "UNIQ_KEY"
	PropertyRetryTopic        = "RETRY_TOPIC"
	PropertyRealTopic         = "REAL_TOPIC"
	PropertyRealQueueID       = "REAL_QID"
	PropertyOriginMessageID   = "ORIGIN_MESSAGE_ID"
	PropertyReconsumeTime     = "RECONSUME_TIME"
	PropertyMaxReconsumeTimes = "MAX_RECONSUME_TIMES"
	PropertyTransaction       = "TRAN_MSG"
	PropertyMinOffset         = "MIN_OFFSET"
	PropertyMaxOffset         = "MAX_OFFSET"
	PropertyDLQOriginTopic    = "DLQ_ORIGIN_TOPIC"
	PropertyDLQOriginID       = "DLQ_ORIGIN_MESSAGE_ID"
)
