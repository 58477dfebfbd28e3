package cli

import (
	"bufio"
	"context"
	"io"
	"time"

	"mqscope/engine"
	"mqscope/engine/snapshot"
)

// jsonEvery is the pace of --json: one line a second, and one at the end.
const jsonEvery = time.Second

// printJSON writes one snapshot a line until ctx ends, and the last one then.
func printJSON(ctx context.Context, w io.Writer, source engine.Source) error {
	return follow(ctx, source, func(s *snapshot.Snapshot, last bool, since time.Duration) (bool, error) {
		if !last && since < jsonEvery {
			return false, nil
		}
		line, err := snapshot.Encode(s)
		if err != nil {
			return false, err
		}
		_, err = w.Write(append(line, '\n'))
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
			lines.table(s)
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
