package tui

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// terminal is what Run borrows: Bubble Tea draws through it, and nothing else may write
// while it does. Each Write is whole, so a sequence of ours never lands inside a frame.
type terminal struct {
	in  io.Reader
	out io.Writer

	mu sync.Mutex // serialises writes to out
}

// Read is there because Bubble Tea wants a file; nobody reads from an output.
func (t *terminal) Read([]byte) (int, error) { return 0, io.EOF }

// Close leaves the file open: it is the process's.
func (t *terminal) Close() error { return nil }

// Write implements io.Writer.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.Write(b)
}

// Fd is the descriptor of the output; one that is no file is no terminal.
func (t *terminal) Fd() uintptr {
	if f, ok := t.out.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// input is what keys are read from.
func (t *terminal) input() io.Reader {
	if f, ok := t.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return keyboard{f}
	}
	return t.in
}

// keyboard is a terminal's input. Bubble Tea takes an end of its input for a pipe that ran
// out and goes on, but a terminal that ends is gone.
type keyboard struct{ *os.File }

// Read implements io.Reader.
func (k keyboard) Read(b []byte) (int, error) {
	n, err := k.File.Read(b)
	if errors.Is(err, io.EOF) {
		err = ErrTerminalGone
	}
	return n, err
}

// keep returns a function that puts the terminal's modes back to what they are now. It is
// the second guard behind Bubble Tea's own and does not write, so it can not be held up by
// a terminal that takes no bytes.
func (t *terminal) keep() (restore func()) {
	f, ok := t.in.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(int(f.Fd()))
	if err != nil {
		return func() {}
	}
	return func() {
		// The error would say that the terminal is gone, and then there is nothing to restore.
		_ = term.Restore(int(f.Fd()), state)
	}
}

// maxClipboard is how many bytes are sent to the clipboard: most terminals take no sequence
// longer than 100,000 characters.
const maxClipboard = 64 << 10

// clipboardSequence writes OSC 52. The text is in Base64, so nothing in it can end the
// sequence or begin another. The flag tells that text was too long and is not sent.
func clipboardSequence(text string) (sequence string, ok bool) {
	if len(text) > maxClipboard {
		return "", false
	}
	var b strings.Builder
	b.WriteString("\x1b]52;c;")
	b.WriteString(base64.StdEncoding.EncodeToString([]byte(text)))
	b.WriteString("\x07")
	return b.String(), true
}
