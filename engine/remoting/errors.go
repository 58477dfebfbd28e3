package remoting

import (
	"errors"
	"fmt"
	"time"
)

// What a call can end with. Test with errors.Is.
var (
	// ErrClosed: the client, the server or the address was closed by this side.
	ErrClosed = errors.New("remoting: closed")
	// ErrTimeout: no answer came within the time given. The request may have been carried out.
	ErrTimeout = errors.New("remoting: no answer in time")
	// ErrUnreachable: there is no connection, so nothing was sent. See *UnreachableError.
	ErrUnreachable = errors.New("remoting: unreachable")
	// ErrLost: the connection ended before the answer. The request may have been carried out.
	ErrLost = errors.New("remoting: connection lost")
	// ErrBusy: too much waits on the connection already, so nothing was sent.
	ErrBusy = errors.New("remoting: too much is waiting")
)

// UnreachableError is the ErrUnreachable of one address.
type UnreachableError struct {
	Addr    string
	RetryAt time.Time // of the next dial; zero when none is planned
	Err     error     // why the last dial failed or the last connection ended
}

// Error names the address, the cause and when the next dial is due.
func (e *UnreachableError) Error() string {
	next := ""
	if !e.RetryAt.IsZero() {
		next = " (next try at " + e.RetryAt.Format("15:04:05.000") + ")"
	}
	if e.Err == nil {
		return e.Addr + " is unreachable" + next
	}
	return fmt.Sprintf("%s is unreachable%s: %v", e.Addr, next, e.Err)
}

// Unwrap gives ErrUnreachable and the cause.
func (e *UnreachableError) Unwrap() []error { return []error{ErrUnreachable, e.Err} }

// LostError is the ErrLost of one connection.
type LostError struct {
	Addr string
	Err  error // what ended the connection
}

// Error names the address and the cause.
func (e *LostError) Error() string { return fmt.Sprintf("connection to %s lost: %v", e.Addr, e.Err) }

// Unwrap gives ErrLost and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrLost, e.Err} }

// ProtocolError says what is wrong with a frame: with one that arrived, which ends its
// connection, or with a command that cannot be written as one.
type ProtocolError struct {
	What string // with the numbers and, if there is one, the remedy
	At   int    // byte in the frame after its length, -1 when the fault has no place
}

// Error says what is wrong and where.
func (e *ProtocolError) Error() string {
	if e.At < 0 {
		return "remoting: " + e.What
	}
	return fmt.Sprintf("remoting: %s (at byte %d of the frame)", e.What, e.At)
}

func badf(at int, format string, args ...any) *ProtocolError {
	return &ProtocolError{What: fmt.Sprintf(format, args...), At: at}
}
