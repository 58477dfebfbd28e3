package cli

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/snapshot"
)

// taped is a source that is recorded.
type taped struct {
	engine.Source
	updates chan struct{}
	shown   *snapshot.Snapshot
	now     atomic.Pointer[snapshot.Recorder]
}

func (s *taped) Updates() <-chan struct{}     { return s.updates }
func (s *taped) Snapshot() *snapshot.Snapshot { return s.shown }
func (s *taped) Recorded() snapshot.Recorder  { return *s.now.Load() }

// TestARecordingWithoutAScreenThatEndsIsTold: whoever left it alone looks at its lines.
func TestARecordingWithoutAScreenThatEndsIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &taped{updates: make(chan struct{}, 1), shown: &snapshot.Snapshot{}}
		s.shown.Recorder = snapshot.Recorder{On: true, File: "x.mqrec"}
		s.now.Store(&snapshot.Recorder{})
		s.updates <- struct{}{}
		ctx, cancel := context.WithCancel(t.Context())
		var out lockedBuffer
		done := make(chan error, 1)
		go func() { done <- waitQuietly(ctx, &out, s) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := out.String(); got != "recording to x.mqrec; ctrl+c ends it\n" {
			t.Errorf("while it goes on: %q", got)
		}
		s.now.Store(&snapshot.Recorder{Err: "disk \x1b full"})
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, "THE RECORDING HAS ENDED, the consumer goes on: disk ␛ full\n") {
			t.Errorf("when it ended: %q", got)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
