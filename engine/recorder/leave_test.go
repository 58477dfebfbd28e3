package recorder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/recorder"
	"mqscope/engine/recorder/recordertest"
	"mqscope/engine/snapshot"
)

func saysAtEnd(t *testing.T, s *snapshot.Snapshot, words ...string) {
	t.Helper()
	var b strings.Builder
	for _, e := range s.Events.Entries {
		b.WriteString(e.What + "\n")
	}
	for _, w := range words {
		if !strings.Contains(b.String(), w) {
			t.Errorf("the end of the recording does not say %q:\n%s", w, b.String())
		}
	}
}

// slow has a listener take d for each message, whatever its context says.
func slow(d time.Duration) func(c *engine.Config) {
	return func(c *engine.Config) {
		listener := c.Consumer.Listener
		c.Consumer.Listener = func(ctx context.Context, msgs []mq.Message, cc *consume.Context) consume.Status {
			time.Sleep(d)
			return listener(ctx, msgs, cc)
		}
	}
}

// TestARecordingHasHowAConsumerLeft: the file is closed behind the last step of the leave, also where
// a listener never returns, and a person may stop it while listeners are waited for.
func TestARecordingHasHowAConsumerLeft(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes time.Duration
		stop  bool
		state snapshot.SourceState
		says  []string
	}{
		{"in peace", 2 * time.Second, false, snapshot.Ended, []string{"stopping: waits for running listeners", "given up: shutdown"}},
		{"hung", time.Minute, false, snapshot.Ended, []string{"listeners still run after 3s", "left behind", "given up: shutdown"}},
		{"stopped", 2 * time.Second, true, snapshot.Stopping, []string{"stopping: waits for running listeners"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mqrec")
			var live *snapshot.Snapshot
			synctest.Test(t, func(t *testing.T) {
				m := member(t, slow(tt.takes))
				if err := m.StartRecording(recorder.Record{File: path}); err != nil {
					t.Fatal(err)
				}
				m.join()
				time.Sleep(5 * time.Second)
				m.send(nil, bodies(30)...)
				time.Sleep(500 * time.Millisecond)
				if tt.stop {
					time.AfterFunc(time.Second, func() { m.Do(recorder.Stop{}) })
				}
				err := m.leave()
				if _, hung := errors.AsType[*consumer.HungError](err); hung != (tt.name == "hung") {
					t.Error(err)
				}
				live = m.Snapshot()
				time.Sleep(2 * time.Minute) // no listener is left
			})
			s := recordertest.EndOf(t, path)
			saysAtEnd(t, s, tt.says...)
			if s.Source.State != tt.state || len(s.Queues) != len(live.Queues) {
				t.Errorf("it ends %v with %d queues, want %v with %d", s.Source.State, len(s.Queues), tt.state, len(live.Queues))
			}
			for i, q := range s.Queues {
				if was := live.Queues[i]; !tt.stop && (q.ID != was.ID || q.Committed.V != was.Committed.V || q.Next.V != was.Next.V) {
					t.Errorf("in the end queue %v, was %v", q, was)
				}
			}
		})
	}
}

// TestABlackBoxHasHowAConsumerLeft: a listener that never returned is why it is saved.
func TestABlackBoxHasHowAConsumerLeft(t *testing.T) {
	dir, saved := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := member(t, func(c *engine.Config) {
			slow(time.Minute)(c)
			c.Recording.Box = recorder.Box{Dir: filepath.Join(dir, "box"), Limit: 16 << 20, SaveTo: saved}
		})
		m.join()
		time.Sleep(5 * time.Second)
		m.send(nil, bodies(30)...)
		time.Sleep(500 * time.Millisecond)
		if _, hung := errors.AsType[*consumer.HungError](m.leave()); !hung {
			t.Error("the listener did not hang")
		}
		time.Sleep(2 * time.Minute)
	})
	files, err := os.ReadDir(saved)
	if err != nil || len(files) != 1 {
		t.Fatalf("saved are %v, %v", files, err)
	}
	s := recordertest.EndOf(t, filepath.Join(saved, files[0].Name()))
	saysAtEnd(t, s, "left behind", "given up: shutdown")
	if s.Source.State != snapshot.Ended {
		t.Errorf("it ends %v", s.Source.State)
	}
}
