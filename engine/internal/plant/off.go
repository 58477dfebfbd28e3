//go:build !planted

package plant

// The switches; see on.go for what each one does.
const (
	CommitAtMax       = false
	IgnoreSendBack    = false
	DropTail          = false
	SkipUnlockWait    = false
	OffsetErrorIsZero = false
	DropOnEmptyList   = false
	ReuseBufferEarly  = false
	CountAtRelease    = false
)
