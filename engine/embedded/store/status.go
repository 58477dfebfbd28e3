package store

// Status is what reading a queue came to. Its text travels as the remark of a pull answer
// (Java: GetMessageStatus).
type Status uint8

const (
	Found Status = iota
	NoMatchedMessage
	MessageWasRemoving
	OffsetFoundNull
	OffsetOverflowBadly
	OffsetOverflowOne
	OffsetTooSmall
	NoMatchedLogicQueue
	NoMessageInQueue
	OffsetReset // never the result of a read: an offset was reset by an operator
)

// String returns Java's name.
func (s Status) String() string {
	switch s {
	case Found:
		return "FOUND"
	case NoMatchedMessage:
		return "NO_MATCHED_MESSAGE"
	case MessageWasRemoving:
		return "MESSAGE_WAS_REMOVING"
	case OffsetFoundNull:
		return "OFFSET_FOUND_NULL"
	case OffsetOverflowBadly:
		return "OFFSET_OVERFLOW_BADLY"
	case OffsetOverflowOne:
		return "OFFSET_OVERFLOW_ONE"
	case OffsetTooSmall:
		return "OFFSET_TOO_SMALL"
	case NoMatchedLogicQueue:
		return "NO_MATCHED_LOGIC_QUEUE"
	case NoMessageInQueue:
		return "NO_MESSAGE_IN_QUEUE"
	case OffsetReset:
		return "OFFSET_RESET"
	}
	return "UNKNOWN"
}
