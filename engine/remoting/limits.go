package remoting

// Limits bound what one side of a connection can make the other hold. A field that is not
// above zero means its default. The first group is checked when reading and when writing.
type Limits struct {
	// FrameBytes is the largest frame with its 4 bytes of length. Default 16 MiB, which is
	// Java's com.rocketmq.remoting.frameMaxLength.
	FrameBytes int
	// HeaderBytes is the largest header. Default 64 KiB; the wire allows 16 MiB.
	HeaderBytes int
	// Fields is how many header fields one command may have. Default 512.
	Fields int
	// KeyBytes is the longest name of a header field. Default 1 KiB.
	KeyBytes int
	// ValueBytes is the longest value of a header field, and the longest remark. Default
	// HeaderBytes.
	ValueBytes int
	// JSONDepth is how deep a JSON header may nest. Default 32.
	JSONDepth int

	// PendingBytes is how much may wait to be written on one connection. A single frame
	// always fits. Default 32 MiB.
	PendingBytes int
	// Calls is how many calls may be in flight on one connection, at most 65535, which is
	// also the default.
	Calls int
	// Requests is how many requests of the other side may wait to be handled by a Client.
	// Default 256.
	Requests int
}

// maxCalls is what the slot numbers inside an opaque can count; one is left for one-ways.
const maxCalls = 1<<slotBits - 1

func (l Limits) withDefaults() Limits {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.FrameBytes, 16<<20)
	set(&l.HeaderBytes, 64<<10)
	set(&l.Fields, 512)
	set(&l.KeyBytes, 1<<10)
	set(&l.ValueBytes, l.HeaderBytes)
	set(&l.JSONDepth, 32)
	set(&l.PendingBytes, 32<<20)
	set(&l.Calls, maxCalls)
	set(&l.Requests, 256)
	l.HeaderBytes = min(l.HeaderBytes, 1<<24-1)
	l.KeyBytes = min(l.KeyBytes, 1<<15-1)
	l.Calls = min(l.Calls, maxCalls)
	return l
}
