package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"

	"mqscope/engine"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// printedBody is how many bytes of a body are printed; the rest is told as a number.
const printedBody = 1 << 10

// messageLines prints messages, one a line.
type messageLines struct {
	mu     sync.Mutex
	out    *bufio.Writer
	n      int
	want   int // 0: without end
	err    error
	broken chan struct{} // closed when nothing can be printed any more
}

func newMessageLines(w io.Writer, want int) *messageLines {
	return &messageLines{want: want, out: bufio.NewWriter(w), broken: make(chan struct{})}
}

// line prints one message: where it is stored, what it says of itself, and its body.
func (l *messageLines) line(q mq.MessageQueue, m mq.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.n++
	body, bad := m.Body(), m.BodyError()
	text, size := cleanLong(string(body[:min(len(body), printedBody)])), len(body)
	switch {
	case bad != nil:
		text, size = "(body can not be read: "+clean(bad.Error())+")", len(m.StoredBody())
	case size > printedBody:
		text += fmt.Sprintf(" … %d bytes more", size-printedBody)
	}
	fmt.Fprintf(l.out, "%s/%s/%d %d  %s  tag=%s keys=%s try=%d  %dB  %s\n", clean(q.Topic), clean(q.BrokerName), q.QueueID, m.QueueOffset(),
		m.StoreTime().Local().Format("2006-01-02T15:04:05.000"), clean(m.Tags()), clean(m.Keys()), m.ReconsumeTimes(), size, text)
	if l.err = l.out.Flush(); l.err != nil {
		close(l.broken)
	}
}

// follow prints warnings of the source to notes until ctx ends, or nothing can be printed any
// more; the error says why.
func (l *messageLines) follow(ctx context.Context, source engine.Source, notes io.Writer) error {
	told := newPlainLines(notes)
	for {
		select {
		case <-source.Updates():
			told.events(source.Snapshot(), snapshot.Warn)
			continue
		case <-l.broken:
		case <-ctx.Done():
		}
		told.events(source.Snapshot(), snapshot.Warn)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.err == nil && l.n < l.want {
			fmt.Fprintf(notes, "mqscope: %d of %s printed\n", l.n, count(l.want, "message"))
		}
		return l.err
	}
}
