//go:build planted

package plant

// The switches. A test sets them while no consumer runs.
var (
	CommitAtMax       bool // a queue commits one past its highest offset instead of its lowest that is unresolved
	IgnoreSendBack    bool // a failed message counts as sent back whatever its broker says
	DropTail          bool // the last message of each answer is lost
	SkipUnlockWait    bool // a queue's lock is given back while its listener still runs
	OffsetErrorIsZero bool // a queue whose committed offset can not be read starts at 0
	DropOnEmptyList   bool // an empty member list takes all queues away
	ReuseBufferEarly  bool // the bytes of an answer are used again while listeners have them
	CountAtRelease    bool // cached bytes are counted down by what a body is when it is released
)
