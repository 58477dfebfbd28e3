//go:build linux && race

package proxy

import (
	detector "runtime"
	"unsafe"
)

// The race detector does not see what the kernel does with a buffer. Package net tells it; so do
// these, for it to find a chunk that is read into while the observer still looks at it.

// wasWritten says that something wrote b.
func wasWritten(b []byte) {
	if len(b) > 0 {
		detector.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}

// wasRead says that something read b.
func wasRead(b []byte) {
	if len(b) > 0 {
		detector.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}
