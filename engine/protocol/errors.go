// Contract: the errors of this package, of types that callers branch on. They quote at most 64
// bytes of what a peer sent.

package protocol

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// BrokerError is an answer that says no. Ask for it with errors.AsType[*BrokerError].
type BrokerError struct {
	Code   ResponseCode
	Remark string // the peer's own words, unchecked: escape before showing
	Addr   string // who answered, host:port
}

// Error is one line, whatever the peer wrote.
func (e *BrokerError) Error() string {
	s := e.Code.String() + " (" + strconv.Itoa(int(e.Code)) + ")"
	if e.Addr != "" {
		s += " from " + e.Addr
	}
	if e.Remark != "" {
		s += ": " + strings.Join(strings.FieldsFunc(e.Remark, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	return s
}

// FieldError tells which ext field of a command could not be read.
type FieldError struct {
	Header string // Go name of the header type
	Field  string // name on the wire
	Value  string // what was there; meaningless when Missing
	Want   string // what should be there, such as "int32"
	// Missing is set when a required field was not there at all.
	Missing bool
}

func (e *FieldError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s: required field %q is missing, want %s", e.Header, e.Field, e.Want)
	}
	return fmt.Sprintf("%s: field %q is %s, want %s", e.Header, e.Field, clipped(e.Value), e.Want)
}

// BodyError tells why a JSON body could not be read.
type BodyError struct {
	Body  string // Go name of the body type
	Field string // the member at fault, empty when the text itself is broken
	Pos   int    // byte position of a broken text, -1 otherwise
	Why   string
}

func (e *BodyError) Error() string {
	switch {
	case e.Field != "":
		return fmt.Sprintf("%s: member %q: %s", e.Body, e.Field, e.Why)
	case e.Pos >= 0:
		return fmt.Sprintf("%s: at byte %d: %s", e.Body, e.Pos, e.Why)
	}
	return e.Body + ": " + e.Why
}

// RecordError tells where the stored messages of a body stop being readable, and why.
type RecordError struct {
	Pos   int // first byte of the record at fault
	Index int // how many records before it are good
	Why   string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("stored message %d at byte %d: %s", e.Index, e.Pos, e.Why)
}

// Why the body of a message can not be read.
var (
	// ErrUnknownCodec: the sysFlag names none of ZLIB, LZ4 and ZSTD.
	ErrUnknownCodec = errors.New("unknown compression type")
	// ErrTooLarge: decompressing would pass the limit on bytes or on the ratio. Raise
	// Inflater.MaxBytes or MaxRatio if the message is meant to be that large.
	ErrTooLarge = errors.New("decompressed body over the limit")
	// ErrCorrupt: the compressed bytes are damaged or end early.
	ErrCorrupt = errors.New("compressed body is damaged")
)

// clipped quotes text of a peer for an error, at most 64 bytes of it.
func clipped(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
