package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"mqscope/engine/lifecycle"
)

// inputLine is a line of standard input, or how it ended: io.EOF at its end.
type inputLine struct {
	text []byte
	err  error
}

// readLines yields the lines of r until it ends or ctx does. A read can not be ended, so the
// goroutine that waits in one is left to the end of the process.
func readLines(ctx context.Context, r io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	reader, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	reader.Go("standard input", func(context.Context) error {
		give := func(l inputLine) bool {
			select {
			case lines <- l:
				return true
			case <-ctx.Done():
				return false
			}
		}
		scan := bufio.NewScanner(r)
		scan.Buffer(nil, maxBody+1)
		n := 1
		for ; scan.Scan(); n++ {
			if !give(inputLine{text: append([]byte(nil), scan.Bytes()...)}) {
				return nil
			}
		}
		err := io.EOF
		if scan.Err() != nil {
			err = fmt.Errorf("line %d: %w: a line may have up to %d bytes", n, scan.Err(), maxBody)
		}
		give(inputLine{err: err})
		return nil
	})
	return lines
}
