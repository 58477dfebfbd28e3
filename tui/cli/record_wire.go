package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"mqscope/engine"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/tap"
	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/ondemand"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
	"mqscope/engine/snapshot"
)

// tapBytes are those that connections carry before it is looked at.
const tapBytes = 32 << 20

// wireRecording records a consumer by what its own connections carry, as the proxy does that of
// others: of those that are asked for messages nothing else is recorded.
type wireRecording struct {
	path string
	to   *recording.Writer
	tap  *tap.Tap
}

// newWireRecording begins one of a consumer of this cluster and group.
func newWireRecording(f *recordFlags, cluster, group string) (*wireRecording, error) {
	h := inferred.Header(recording.Header{
		Program: "mqscope " + version(), Created: time.Now(), Source: replay.SourceCapture, Cluster: cluster, Group: group,
		Secrets: "none: they are taken out of what is seen",
	})
	to, err := recording.Create(f.output, h, recording.Options{Replace: f.force, QueueBytes: tapBytes})
	if err != nil {
		return nil, f.refused(err)
	}
	rec := inferred.NewRecorder(to, inferred.RecorderOptions{Scrub: scrub})
	return &wireRecording{path: f.output, to: to, tap: tap.New(clock.System{}, tapBytes, func(e infer.Event) { rec.Add(e) })}, nil
}

// refused says why a recording can not be begun.
func (f *recordFlags) refused(err error) error {
	if errors.Is(err, os.ErrExist) {
		return usage("%s is there already: give another name with -o, or replace it with --force", f.output)
	}
	return usageError{cmp.Or(unwritten(f.output, err), err)}
}

// dial is how connections are made whose bytes are recorded.
func (w *wireRecording) dial() tap.Dial { return w.tap.Dial((&net.Dialer{}).DialContext) }

// around runs show, records meanwhile, and says what became of the recording.
func (w *wireRecording) around(ctx context.Context, p Process, show func() error) error {
	writers, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	watchers, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	writers.Go("recording", w.to.Run)
	watchers.Go("tap", w.tap.Run)
	err := show()
	w.tap.End()
	err = errors.Join(err, watchers.Wait())
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	end := w.to.Close(within)
	if within.Err() != nil && errors.Is(end, within.Err()) { // nobody waits for it: the process ends next
		return errors.Join(err, fmt.Errorf("the disk of %s stands still: the end of the recording is not on it", clean(w.path)))
	}
	if end = errors.Join(end, writers.Wait()); end != nil {
		return errors.Join(err, fmt.Errorf("the recording ended before the consumer did: %w", end))
	}
	fmt.Fprintf(p.Err, "written to %s: %s\n", clean(w.path), sizeWords(w.to.Size()))
	return err
}

// shown is source with the recording in its snapshots.
func (w *wireRecording) shown(source *ondemand.Source) engine.Source {
	return wireRecorded{source, w}
}

type wireRecorded struct {
	*ondemand.Source
	to *wireRecording
}

// Snapshot implements engine.Source.
func (r wireRecorded) Snapshot() *snapshot.Snapshot {
	s := *r.Source.Snapshot()
	s.Recorder = snapshot.Recorder{On: true, File: r.to.path, Bytes: r.to.to.Size()}
	if err := r.to.to.Err(); err != nil {
		s.Recorder.On, s.Recorder.Err = false, err.Error()
	}
	return &s
}
