package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// diary is what a callback of a test noted, one line a call.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// check compares the first lines and forgets them all.
func (d *diary) check(t *testing.T, want ...string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if diff := cmp.Diff(want, d.lines[:min(len(want), len(d.lines))]); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	d.lines = nil
}

func (d *diary) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = nil
}

// TestS0AnOffsetThatIsNotThereIsNoFailure: a callback is told apart what Java tells by two
// negative numbers: there is no offset yet (-1), and it could not be read (-2), which must not
// begin the queue anew.
func TestS0AnOffsetThatIsNotThereIsNoFailure(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 3, "", 0)
		w.on("broker-a", func(b *embedded.Broker) { b.Trim(topic, 0, 2) }) // so that the broker says "none", not 0
		pulls := w.watch(protocol.PullMessage)
		var d diary
		_, r := w.scheduled("192.0.2.10@me", func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			c.Delay = 3 * time.Second
			at, found, err := c.PullConsumer().FetchConsumeOffset(ctx, q, true)
			d.note("%d %v %v", at, found, err != nil)
			return err
		})
		defer r.stop()
		r.after(2 * time.Second)
		d.check(t, "0 false false")
		w.commit(first, 2)
		r.after(3 * time.Second)
		d.check(t, "2 true false")
		repair := w.onCode(protocol.QueryConsumerOffset, func(*embedded.Request) embedded.Verdict {
			return embedded.Fail(protocol.SystemError, "no disk")
		})
		r.after(4 * time.Second)
		d.check(t, "0 false true", "0 false true") // a second after the failure, not three
		repair()
		r.after(2 * time.Second)
		d.check(t, "2 true false")
		if n := len(pulls.take()); n != 0 {
			t.Errorf("%d pulls were made", n)
		}
	})
}

// TestS0PullsOf32GoOnAtNextBeginOffset: what each pull of the example brings, and where it says
// to go on, to the end of the queue.
func TestS0PullsOf32GoOnAtNextBeginOffset(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 100, "", 0)
		var d diary
		next := int64(0)
		_, r := w.scheduled("192.0.2.10@me", func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			got, err := c.PullConsumer().Pull(ctx, q, consumer.ByTag("*"), next, 32)
			if err != nil {
				return err
			}
			defer got.Release()
			for i, m := range got.Messages {
				if m.QueueOffset() != next+int64(i) {
					t.Errorf("message %d of the pull at %d has offset %d", i, next, m.QueueOffset())
				}
			}
			d.note("%d: %v with %d, next %d", next, got.Status, len(got.Messages), got.Next)
			next = got.Next
			return nil
		})
		defer r.stop()
		r.after(3 * time.Second)
		d.check(t, "0: FOUND with 32, next 32", "32: FOUND with 32, next 64", "64: FOUND with 32, next 96",
			"96: FOUND with 4, next 100", "100: NO_NEW_MSG with 0, next 100", "100: NO_NEW_MSG with 0, next 100")
	})
}

// TestS0StatusesThatACallbackSees: a callback that always goes on where the answer says meets
// each status and comes to the end, wherever it began.
func TestS0StatusesThatACallbackSees(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 40, "other", 0)
		w.on("broker-a", func(b *embedded.Broker) { b.Trim(topic, 0, 5) })
		var d diary
		next := int64(2) // of a message that the broker has no more
		_, r := w.scheduled("192.0.2.10@me", func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			got, err := c.PullConsumer().Pull(ctx, q, consumer.ByTag("wanted"), next, 32)
			if err != nil {
				return err
			}
			defer got.Release()
			d.note("%d: %v next %d", next, got.Status, got.Next)
			next = got.Next
			return nil
		})
		defer r.stop()
		r.after(2 * time.Second)
		d.check(t, "2: OFFSET_ILLEGAL next 5", "5: NO_MATCHED_MSG next 40", "40: NO_NEW_MSG next 40")
		w.put(first, 1, "wanted", 0)
		r.after(300 * time.Millisecond)
		d.check(t, "40: FOUND next 41")
	})
}

// TestS0UpdateConsumeOffset: an offset is set in memory only, goes to the broker with the next
// interval, may go back, and is where the next member begins.
func TestS0UpdateConsumeOffset(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 50, "", 0)
		commits := w.watch(protocol.UpdateConsumerOffset)
		var d diary
		script := []int64{20, 30, 10}
		callback := func(ctx context.Context, q mq.MessageQueue, c *consumer.PullTaskContext) error {
			p := c.PullConsumer()
			before, found, err := p.FetchConsumeOffset(ctx, q, false)
			if len(script) > 0 {
				err = errors.Join(err, p.UpdateConsumeOffset(ctx, q, script[0]))
				script = script[1:]
			}
			after, _, err2 := p.FetchConsumeOffset(ctx, q, false)
			d.note("%d %v, then %d", before, found, after)
			return errors.Join(err, err2)
		}
		_, r := w.scheduled("192.0.2.10@me", callback)
		r.after(2 * time.Second)
		d.check(t, "0 true, then 20", "20 true, then 30", "30 true, then 10", "10 true, then 10")
		if n := len(commits.take()); n != 0 || w.committed(first) > 0 {
			t.Errorf("%d commits before the interval, the broker has %d", n, w.committed(first))
		}
		r.after(5 * time.Second)
		if w.committed(first) != 10 {
			t.Errorf("after the interval the broker has %d, want 10", w.committed(first))
		}
		r.stop()
		_, r = w.scheduled("192.0.2.11@next", callback)
		defer r.stop()
		d.forget()
		r.after(2 * time.Second)
		d.check(t, "10 true, then 10")
	})
}
