// Package verify plays all of a recording, headless, and says whether each event of it does what was
// recorded. A recording is cut at its checkpoints, and its parts are played beside each other, on all
// processors; meanwhile the file itself is read through. There is no Java counterpart.
package verify

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
)

// Report is what was found.
type Report struct {
	Info replay.Info
	// Events happened again, Checkpoints were compared with what came of them.
	Events      uint64
	Checkpoints int
	// Departed says what was not as it was recorded, for the first time, and At at which record; it is
	// empty where all was.
	Departed string
	At       uint64
	// End is how the recording ended.
	End recording.End
	// File is what the bytes of the file say of themselves.
	File recording.Report
	// Stopped is why an event, the first of those, could not be played; nil where all could.
	Stopped error
}

// Whole tells that all of the recording is there and did again what it had done.
func (r *Report) Whole() bool { return r.Departed == "" && r.Stopped == nil && r.File.Whole() }

// mostAtOnce is how many parts a worker takes one after the other: it begins anew at the first only.
const mostAtOnce = 16

// File plays the recording at path with so many workers, 0 for as many as there are processors. The
// error is why nothing could be played.
func File(ctx context.Context, path string, workers int) (*Report, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	first, err := open(path)
	if err != nil {
		return nil, err
	}
	v := &verifier{path: path, report: Report{Info: first.Info()}}
	if v.at, v.report.End, err = checkpoints(path, first.Info().Total); err != nil {
		return nil, errors.Join(err, first.Close())
	}
	v.each = max(1, min(mostAtOnce, len(v.at)/(4*workers)))
	v.departed.Store(uint64(len(v.at)))
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("file", v.file)
	g.Go("track", func(ctx context.Context) error { return v.play(ctx, first) })
	for range min(workers, len(v.at)) - 1 {
		g.Go("track", func(ctx context.Context) error {
			t, err := open(path)
			if err != nil {
				return err
			}
			return v.play(ctx, t)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &v.report, nil
}

func open(path string) (replay.Spanner, error) {
	t, err := tracks.Open(path, replay.Options{})
	if err != nil {
		return nil, err
	}
	s, ok := t.(replay.Spanner)
	if !ok {
		return nil, errors.Join(errors.New("a recording of this kind can not be played headless"), t.Close())
	}
	return s, nil
}

// checkpoints are the numbers of those of a recording, rising, and that of its last record; and how it
// ended.
func checkpoints(path string, total uint64) (at []uint64, end recording.End, err error) {
	r, err := recording.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	back := []uint64{}
	for n := total; ; n-- {
		n, err = r.SeekCheckpoint(n)
		if errors.Is(err, recording.ErrNoCheckpoint) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if back = append(back, n); n == 0 {
			break
		}
	}
	for i := len(back) - 1; i >= 0; i-- {
		at = append(at, back[i])
	}
	return append(at, total), r.Info().End, nil
}

// verifier is what the workers share.
type verifier struct {
	path string
	at   []uint64 // see checkpoints
	each int      // parts to take at once
	next atomic.Int64
	// departed is from which part on nothing needs to be played any more.
	departed atomic.Uint64

	mu     sync.Mutex
	report Report
}

// file reads the file through.
func (v *verifier) file(ctx context.Context) (err error) {
	r, err := recording.Open(v.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	report, err := r.Verify(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.File = report
	return err
}

// play takes parts until there are no more.
func (v *verifier) play(ctx context.Context, t replay.Spanner) (err error) {
	defer func() { err = errors.Join(err, t.Close()) }()
	for ctx.Err() == nil {
		from := int(v.next.Add(int64(v.each))) - v.each
		to := min(from+v.each, len(v.at)-1)
		if from >= to || uint64(from) >= v.departed.Load() {
			return nil
		}
		s, err := t.Span(v.at[from], v.at[to])
		if _, damaged := errors.AsType[*recording.Damage](err); err != nil && !damaged {
			return err
		}
		if v.take(from, s, err) {
			return nil // what t knows is of another history now
		}
	}
	return nil
}

// take adds a part to the report, and tells whether it departed.
func (v *verifier) take(from int, s replay.Span, stopped error) (departed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := &v.report
	r.Events += s.Events
	r.Checkpoints += s.Checkpoints
	if stopped != nil && (r.Stopped == nil || damageAt(stopped) < damageAt(r.Stopped)) {
		r.Stopped = stopped
	}
	if s.Departed == "" {
		return false
	}
	if r.Departed == "" || s.At < r.At {
		r.Departed, r.At = s.Departed, s.At
	}
	v.departed.Store(min(v.departed.Load(), uint64(from)))
	return true
}

func damageAt(err error) uint64 {
	d, _ := errors.AsType[*recording.Damage](err)
	return d.Record
}
