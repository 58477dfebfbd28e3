package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mqscope/engine/capture"
	"mqscope/engine/lifecycle"
)

// openInput opens what a command reads: a file by its name, or standard input for "-". What may keep a
// reader waiting, a pipe or a terminal, is read so that the end of ctx ends the wait; file is nil then.
func openInput(ctx context.Context, name string, stdin io.Reader) (in io.Reader, file *os.File, err error) {
	if name == "-" {
		if f, ok := stdin.(*os.File); ok && !waits(f.Stat()) {
			return f, nil, nil
		}
		return awaited(ctx, func() (io.Reader, error) { return stdin, nil }), nil, nil
	}
	if waits(os.Stat(name)) {
		return awaited(ctx, func() (io.Reader, error) { // a pipe with a name is opened when somebody writes to it
			f, err := os.Open(name)
			return f, unread(err)
		}), nil, nil
	}
	if file, err = os.Open(name); err != nil {
		return nil, nil, unread(err)
	}
	return file, file, nil
}

// waits tells whether reading a file may take for ever.
func waits(info os.FileInfo, err error) bool {
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// awaited reads from what open opens, on a goroutine of its own: one that waits for input when ctx ends
// stays behind, and ends with the program.
func awaited(ctx context.Context, open func() (io.Reader, error)) io.Reader {
	r := &awaitedReader{ctx: ctx, parts: make(chan part)}
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("input", func(ctx context.Context) error {
		in, err := open()
		for {
			p := part{err: err}
			if err == nil {
				p.b = make([]byte, 64<<10)
				var n int
				n, p.err = in.Read(p.b)
				p.b, err = p.b[:n], p.err
			}
			select {
			case r.parts <- p:
			case <-ctx.Done():
				return nil
			}
			if err != nil {
				return nil
			}
		}
	})
	return r
}

type part struct {
	b   []byte
	err error
}

type awaitedReader struct {
	ctx   context.Context //nolint:containedctx // of the command
	parts chan part
	left  part
}

// Read implements io.Reader.
func (r *awaitedReader) Read(b []byte) (int, error) {
	for len(r.left.b) == 0 {
		if r.left.err != nil {
			return 0, r.left.err
		}
		select {
		case r.left = <-r.parts:
		case <-r.ctx.Done():
			return 0, r.ctx.Err()
		}
	}
	n := copy(b, r.left.b)
	r.left.b = r.left.b[n:]
	return n, nil
}

// instead adds what to give in place of a file that is no packet capture.
func instead(err error, or string) error {
	if !errors.Is(err, capture.ErrNotACapture) {
		return err
	}
	return fmt.Errorf("%w: give a pcap or pcapng file, as tcpdump -w and Wireshark write them%s", err, or)
}
