package recorder_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/recording/policy"
)

// recordedMessages has 400 messages consumed and recorded at a rate; those with the body of refused
// fail the first time. It returns what is recorded.
func recordedMessages(t *testing.T, rate consumer.Rate, refused string) (list []consumer.Delivered, left int64) {
	path := filepath.Join(t.TempDir(), "a.mqrec")
	synctest.Test(t, func(t *testing.T) {
		m := member(t, func(c *engine.Config) {
			c.Recording.Rate = rate
			next := c.Consumer.Listener
			c.Consumer.Listener = func(ctx context.Context, msgs []mq.Message, how *consume.Context) consume.Status {
				if m := msgs[0]; string(m.Body()) == refused && m.ReconsumeTimes() == 0 {
					return consume.ReconsumeLater
				}
				return next(ctx, msgs, how)
			}
		})
		if err := m.StartRecording(recorder.Record{File: path}); err != nil {
			t.Fatal(err)
		}
		m.join()
		for i := range 8 {
			m.send(nil, bodies(50)...)
			if i == 6 {
				m.send(nil, refused)
			}
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		m.consumed(401)
		if err := m.leave(); err != nil {
			t.Fatal(err)
		}
		left = m.Recorded().LeftOut
	})
	_, list = remakeFile(t, path)
	return list, left
}

const refusedBody = "this one is not wanted"

// TestMessagesOverTheRateAreLeftOutAndCounted: each message is either there or counted, what failed
// is there.
func TestMessagesOverTheRateAreLeftOutAndCounted(t *testing.T) {
	there, left, failed := map[mq.MessageQueue][]int64{}, map[mq.MessageQueue]int64{}, 0
	list, told := recordedMessages(t, 12_000, refusedBody)
	for _, d := range list {
		for _, m := range d.Messages {
			if body := policy.ReadKept(m.Body).Bytes; d.Failed {
				failed++
				if string(body) != refusedBody || len(d.Messages) != 1 {
					t.Errorf("offset %d of %v, recorded as failed: %q", m.Offset, d.Queue, body)
				}
				continue
			}
			if slices.Contains(there[d.Queue], m.Offset) {
				t.Errorf("offset %d of %v is recorded twice", m.Offset, d.Queue)
			}
			there[d.Queue] = append(there[d.Queue], m.Offset)
		}
		l := d.Left
		left[d.Queue] += l.Count
		if l.Count > l.Last-l.First+1 || slices.ContainsFunc(there[d.Queue], func(o int64) bool { return o >= l.First && o <= l.Last && l.Count > 0 }) {
			t.Errorf("%v: left out are %+v, recorded are %v", d.Queue, l, there[d.Queue])
		}
	}
	recorded, counted := 0, int64(0)
	for _, all := range there {
		recorded += len(all)
	}
	for _, n := range left {
		counted += n
	}
	if told != counted {
		t.Errorf("%d messages were left out, told are %d", counted, told)
	}
	if failed != 1 || recorded < 40 || counted < 40 || int64(recorded)+counted != 402 { // one came again
		t.Errorf("%d messages are recorded, %d counted, %d recorded as failed", recorded, counted, failed)
	}
}

// TestEveryMessageIsRecordedWhereAskedFor: none is counted.
func TestEveryMessageIsRecordedWhereAskedFor(t *testing.T) {
	recorded := 0
	list, told := recordedMessages(t, consumer.EveryMessage, refusedBody)
	for _, d := range list {
		if recorded += len(d.Messages); d.Left.Count > 0 {
			t.Errorf("%v: left out are %+v", d.Queue, d.Left)
		}
	}
	if recorded != 403 || told != 0 { // one came again, and is there as one that failed
		t.Errorf("%d messages are recorded", recorded)
	}
}
