package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"mqscope/engine"
	"mqscope/engine/snapshot"
)

// jsonEvery is the pace of --json: one line a second, and one at the end.
const jsonEvery = time.Second

// printJSON writes one snapshot a line until ctx ends, and the last one then.
func printJSON(ctx context.Context, w io.Writer, source engine.Source) error {
	var printed *snapshot.Snapshot
	return follow(ctx, source, func(s *snapshot.Snapshot, last bool, since time.Duration) (bool, error) {
		if !last && since < jsonEvery || printed != nil && printed.Seq == s.Seq {
			return false, nil
		}
		printed = s
		line, err := snapshot.Encode(s)
		if err != nil {
			return false, err
		}
		_, err = jsonText{w}.Write(append(line, '\n'))
		return true, err
	})
}

// printPlain writes a line for each change, and a table of all queues at the end. It moves no
// cursor and writes no escape: fit for pipes and screen readers.
func printPlain(ctx context.Context, w io.Writer, source engine.Source) error {
	out := bufio.NewWriter(w)
	lines := newPlainLines(out)
	return follow(ctx, source, func(s *snapshot.Snapshot, last bool, since time.Duration) (bool, error) {
		lines.changes(s)
		if last {
			lines.table()
		}
		return true, out.Flush()
	})
}

// follow calls use with each new snapshot, and once more with the last one when ctx ends.
// since is the time since use last returned true.
func follow(ctx context.Context, source engine.Source, use func(s *snapshot.Snapshot, last bool, since time.Duration) (bool, error)) error {
	used := time.Time{}
	for {
		select {
		case <-source.Updates():
		case <-ctx.Done():
			_, err := use(source.Snapshot(), true, time.Since(used))
			return err
		}
		done, err := use(source.Snapshot(), false, time.Since(used))
		if err != nil {
			return err
		}
		if done {
			used = time.Now()
		}
	}
}

// output is standard output; what goes wrong with it is told apart from faults of the
// network, which may be the same error.
type output struct{ w io.Writer }

// Write implements io.Writer.
func (o output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		err = outputError{err}
	}
	return n, err
}

// outputError is a fault of standard output.
type outputError struct{ err error }

func (e outputError) Error() string {
	return fmt.Sprintf("standard output: %v: what was printed is not complete", e.err)
}
func (e outputError) Unwrap() error { return e.err }

// closedEarly tells whether err says that whoever reads standard output, such as head, has
// read enough. That is no failure.
func closedEarly(err error) bool {
	e, ok := errors.AsType[outputError](err)
	return ok && errors.Is(e, syscall.EPIPE)
}
