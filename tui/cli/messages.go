package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"

	"mqscope/engine/mq"
)

// printedBody is how many bytes of a body are printed; the rest is told as a number.
const printedBody = 1 << 10

// messageLines prints messages, one a line.
type messageLines struct {
	mu     sync.Mutex
	out    *bufio.Writer
	err    error
	broken chan struct{} // closed when nothing can be printed any more
}

func newMessageLines(w io.Writer) *messageLines {
	return &messageLines{out: bufio.NewWriter(w), broken: make(chan struct{})}
}

// line prints one message: where it is stored, what it says of itself, and its body.
func (l *messageLines) line(q mq.MessageQueue, m mq.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
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

// wait returns when ctx ends, or with what is wrong with the output.
func (l *messageLines) wait(ctx context.Context) error {
	select {
	case <-l.broken:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
