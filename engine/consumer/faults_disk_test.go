package consumer_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
)

// TestFD2HandOverWithTheDiskFull: offsets can not be written when a broadcasting member ends and
// another one goes on in its place. The old file stays whole, consumption goes on, the failure
// is told, and the next member has again what the file does not know of; nothing is missed.
func TestFD2HandOverWithTheDiskFull(t *testing.T) {
	dir := t.TempDir()
	const id = "192.0.2.10@me"
	path := filepath.Join(dir, offset.DirName(id), group)
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		a := w.join(id, nil, broadcasting(dir))
		w.put(first, 30, "", 0)
		a.after(8 * time.Second)
		before, err := os.ReadFile(filepath.Join(path, "offsets.json"))
		if err != nil || !strings.Contains(string(before), ":30") {
			t.Fatalf("file %q, %v", before, err)
		}
		free := fillDisk(t, path)
		w.put(first, 20, "", 0)
		s := a.after(20 * time.Second)
		if distinct(a) != 50 {
			t.Errorf("%d of 50 messages with the disk full", distinct(a))
		}
		if len(told(s, "offsets.json")) == 0 {
			t.Errorf("not told:\n%s", texts(s))
		}
		a.stop()
		if after, err := os.ReadFile(filepath.Join(path, "offsets.json")); err != nil || string(after) != string(before) {
			t.Errorf("the old file became %q, %v", after, err)
		}
		b := w.join(id, nil, broadcasting(dir))
		w.put(first, 5, "", 0)
		b.after(8 * time.Second)
		if distinct(b) != 25 || b.deliveries("0-30 ") != 1 || b.deliveries("0-29 ") != 0 {
			t.Errorf("the next member got %d messages, want those from 30 on", distinct(b))
		}
		free()
		b.after(6 * time.Second)
		if text, err := os.ReadFile(filepath.Join(path, "offsets.json")); err != nil || !strings.Contains(string(text), ":55") {
			t.Errorf("with room again the file says %q, %v", text, err)
		}
	})
}

// fillDisk makes the files of a directory unwritable, as a full disk does: a directory stands
// where new generations are written. free ends that.
func fillDisk(t *testing.T, path string) (free func()) {
	t.Helper()
	var made []string
	for _, name := range []string{"offsets.json.new", "offsets.json.bak.new"} {
		at := filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Join(at, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		made = append(made, at)
	}
	return func() {
		for _, at := range made {
			if err := os.RemoveAll(at); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFD2HandOverWithTheBrokersDiskFull: a broker whose disk is full stores nothing, neither what
// is sent back nor what is sent instead. What failed stays unresolved, holds the offset, and
// goes to the member that takes over, with everything behind it.
func TestFD2HandOverWithTheBrokersDiskFull(t *testing.T) {
	full := func(w *world) (free func()) {
		var frees []func()
		for _, code := range []protocol.RequestCode{protocol.ConsumerSendMsgBack, protocol.SendMessage, protocol.SendMessageV2} {
			frees = append(frees, w.onCode(code, func(*embedded.Request) embedded.Verdict {
				return embedded.Fail(protocol.ServiceNotAvailable, "service not available now. It may be caused by one of the following reasons: the broker's disk is full")
			}))
		}
		return func() {
			for _, fn := range frees {
				fn()
			}
		}
	}
	t.Run("concurrent", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 20, "", 0)
			books := w.ledger()
			free := full(w)
			a := w.join("192.0.2.10@a", func(_ context.Context, m mq.Message, _ *consume.Context) consume.Status {
				if m.QueueOffset() == 7 {
					return consume.ReconsumeLater
				}
				return consume.Success
			})
			s := a.after(20 * time.Second)
			if w.committed(first) != 7 || len(told(s, "could not be sent back")) == 0 && len(told(s, "disk is full")) == 0 {
				t.Errorf("%d committed, want 7:\n%s", w.committed(first), texts(s))
			}
			a.stop()
			if w.committed(first) != 7 {
				t.Errorf("%d committed after the member left, want 7", w.committed(first))
			}
			b := w.join("192.0.2.11@b", nil)
			b.caughtUp(b.after(8*time.Second), 1)
			if b.deliveries("0-7 ") != 1 || distinct(b) != 13 {
				t.Errorf("the next member got %d messages, want those from 7 on", distinct(b))
			}
			free()
			books.check()
		})
	})
	t.Run("orderly", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 20, "", 0)
			book := w.orderBook()
			free := full(w)
			fails := func(_ context.Context, m []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
				c.Suspend = 100 * time.Millisecond
				if m[0].QueueOffset() == 7 {
					return consume.SuspendCurrentQueueAMoment
				}
				return consume.OrderlySuccess
			}
			twice := func(c *consumer.Config) { c.MaxReconsume = 2 }
			a := w.joinInOrder("192.0.2.10@a", book, fails, twice)
			s := a.after(20 * time.Second)
			if w.committed(first) != 7 || len(told(s, "could not be sent")) == 0 {
				t.Errorf("%d committed, want 7: the dead letter has no place\n%s", w.committed(first), texts(s))
			}
			a.stop()
			b := w.joinInOrder("192.0.2.11@b", book, nil, twice)
			b.caughtUp(b.after(8*time.Second), 1)
			for _, c := range book.callsOf(first) {
				if c.Member == b.id && c.Offset < 7 {
					t.Errorf("the next member got %d", c.Offset)
				}
			}
			free()
			book.check()
		})
	})
}
