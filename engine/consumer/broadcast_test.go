package consumer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func broadcasting(dir string) func(*consumer.Config) {
	return func(c *consumer.Config) { c.Model, c.OffsetsDir = mq.Broadcasting, dir }
}

func TestS4BroadcastingMembersEachGetEverythingAndGoOnFromTheirFile(t *testing.T) {
	dir := t.TempDir()
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 2)
		commits := 0
		w.cluster.Intercept(int32(protocol.UpdateConsumerOffset), func(*embedded.Request) embedded.Verdict {
			commits++
			return embedded.Pass
		})
		a := w.join("192.0.2.10@a", nil, broadcasting(dir))
		b := w.join("192.0.2.11@b", nil, broadcasting(dir))
		w.send(100, "first")
		s := a.after(10 * time.Second)
		b.after(0)
		if distinct(a) != 100 || distinct(b) != 100 {
			t.Errorf("a got %d and b %d of 100 messages, want all each", distinct(a), distinct(b))
		}
		for _, q := range s.Queues {
			if strings.HasPrefix(q.ID.Topic, mq.RetryPrefix) {
				t.Errorf("a broadcasting consumer subscribes to %s", q.ID.Topic)
			}
		}
		a.stop()
		w.send(20, "second")
		again := w.join("192.0.2.10@a", nil, broadcasting(dir))
		again.after(10 * time.Second)
		if got := distinct(again); got != 20 {
			t.Errorf("after its restart a got %d messages, want the 20 new ones", got)
		}
		again.stop()
		b.stop()
		if commits != 0 {
			t.Errorf("%d offsets were committed at brokers, want none", commits)
		}
	})
}

func TestABroadcastingMemberDoesNotStartWithAFileThatNobodyCanRead(t *testing.T) {
	dir := t.TempDir()
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@a", nil, broadcasting(dir))
		w.send(10, "x")
		m.after(10 * time.Second)
		m.stop()
		files, err := filepath.Glob(filepath.Join(dir, "*", group, "offsets.json*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no offsets files: %v", err)
		}
		for _, f := range files {
			if err := os.WriteFile(f, []byte(`{"offsetTable":{{`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m = w.join("192.0.2.10@a", nil, broadcasting(dir))
		time.Sleep(time.Second)
		if err := m.end(); err == nil || !strings.Contains(err.Error(), "offsets.json") {
			t.Errorf("Run ended with %v, want an error that names the file", err)
		}
		if distinct(m) != 0 {
			t.Errorf("%d messages were delivered, want none", distinct(m))
		}
	})
}
