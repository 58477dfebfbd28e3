package tui

import (
	"bytes"
	"context"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/cancelreader"
	"golang.org/x/term"

	"mqscope/engine/lifecycle"
)

const (
	// groundWithin is how long the first frame waits for the terminal to tell its background.
	groundWithin = 100 * time.Millisecond
	// askGround is OSC 11, the question for the background, and DA1, which every terminal
	// answers: what comes after DA1's answer can not be OSC 11's.
	askGround = "\x1b]11;?\x07\x1b[c"
	// lateFor is how long after the start a late answer is still expected.
	lateFor = 5 * time.Second
	// lateAtMost bounds what is taken for a late answer.
	lateAtMost = 64
)

// ground asks the terminal for the colour of its background before Bubble Tea takes it. It
// returns the answer, empty when there was none, and whether an answer may still come.
func (t *terminal) ground(ctx context.Context) (answer string, late bool) {
	in, inOK := t.in.(*os.File)
	_, outOK := t.out.(*os.File)
	if !inOK || !outOK || !term.IsTerminal(int(in.Fd())) {
		return "", false
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", false
	}
	defer func() { _ = term.Restore(int(in.Fd()), state) }() // keep has the same state as a second guard
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return "", false
	}
	defer reader.Close()
	if _, err := t.Write([]byte(askGround)); err != nil {
		return "", false
	}
	return readAnswer(ctx, reader, groundWithin)
}

// readAnswer reads until DA1 is answered or limit is over.
func readAnswer(ctx context.Context, r cancelreader.CancelReader, limit time.Duration) (answer string, late bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var got []byte
	group, groupCtx := lifecycle.NewGroup(ctx)
	done, finish := context.WithCancel(groupCtx)
	group.Go("background query", func(context.Context) error {
		defer finish()
		buf := make([]byte, 256)
		for len(got) < 4096 && !hasDeviceAttributes(got) {
			n, err := r.Read(buf)
			if err != nil {
				return nil // cancelled or closed: there is no answer then
			}
			got = append(got, buf[:n]...)
		}
		return nil
	})
	<-done.Done()
	r.Cancel()
	if err := group.Wait(); err != nil {
		return "", true
	}
	return colourAnswer(got), !hasDeviceAttributes(got)
}

// hasDeviceAttributes tells whether b has an answer to DA1: ESC [ ? digits and ; c.
func hasDeviceAttributes(b []byte) bool {
	_, rest, ok := bytes.Cut(b, []byte("\x1b[?"))
	for ok {
		n := 0
		for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == ';') {
			n++
		}
		if n < len(rest) && rest[n] == 'c' {
			return true
		}
		_, rest, ok = bytes.Cut(rest, []byte("\x1b[?"))
	}
	return false
}

// colourAnswer cuts the answer to OSC 11 out of b.
func colourAnswer(b []byte) string {
	_, rest, ok := bytes.Cut(b, []byte("\x1b]11;"))
	if !ok {
		return ""
	}
	end := bytes.IndexAny(rest, "\x07\x1b")
	if end < 0 {
		return ""
	}
	return "\x1b]11;" + string(rest[:end])
}

// lateAnswer recognises an answer to OSC 11 that comes after the program has started.
// Bubble Tea reads it as keys: alt and ], a burst of letters and digits, then ctrl+g or alt
// and \. None of them may act.
type lateAnswer struct {
	until time.Time // zero: none is expected
	open  bool
	taken int
}

// swallow tells whether msg is a piece of a late answer.
func (l *lateAnswer) swallow(msg tea.KeyMsg, now time.Time) bool {
	if !now.Before(l.until) {
		return false
	}
	switch {
	case !l.open && msg.Alt && string(msg.Runes) == "]",
		!l.open && !msg.Paste && bytes.HasPrefix([]byte(string(msg.Runes)), []byte("]11;")):
		l.open, l.taken = true, len(msg.Runes)
		return true
	case !l.open:
		return false
	}
	l.taken += max(len(msg.Runes), 1)
	ends := msg.Type == tea.KeyCtrlG || msg.Alt && string(msg.Runes) == "\\"
	if ends || l.taken > lateAtMost || !isAnswerText(msg) {
		*l = lateAnswer{}
		return ends
	}
	return true
}

// isAnswerText tells whether a key can stand inside an answer to OSC 11.
func isAnswerText(msg tea.KeyMsg) bool {
	if msg.Type == tea.KeyEscape {
		return true // the end, ESC \, came in two reads
	}
	for _, r := range msg.Runes {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'f', r >= 'A' && r <= 'F', r == 'r', r == 'g', r == ':', r == ';', r == '/', r == '\\':
		default:
			return false
		}
	}
	return len(msg.Runes) > 0
}
