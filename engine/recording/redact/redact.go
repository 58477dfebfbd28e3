package redact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"

	"mqscope/engine/internal/pack"
	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

// Counts are what was taken out.
type Counts struct {
	Bodies     int // that were cut
	Properties int // that were left out
	Secrets    int // that were found in texts
}

// Nothing tells whether nothing was.
func (c Counts) Nothing() bool { return c == Counts{} }

// Report is what came of it.
type Report struct {
	Counts
	Records uint64
	Left    Counts // found when what was written was read again: nothing, or the program has a fault
	// Behind says why what is behind some record was left out, "" where all is there.
	Behind string
}

// Meta names what the header of a redacted recording has: Done is "1", How has words.
const (
	Done = "redacted"
	How  = "redacted.how"
)

// File writes what the policy lets out of a recording to a new file at path, which is there only
// when all went well. With replace it takes the place of a regular file.
func File(ctx context.Context, from *recording.Reader, path string, p policy.Policy, replace bool) (*Report, error) {
	return file(ctx, from, path, p, replace, false)
}

// InPlace writes it to the place of the recording at path, which is the one that is read. One of
// which not all can be read stays as it is: somebody may still read more of it.
func InPlace(ctx context.Context, from *recording.Reader, path string, p policy.Policy) (*Report, error) {
	return file(ctx, from, path, p, true, true)
}

func file(ctx context.Context, from *recording.Reader, path string, p policy.Policy, replace, inPlace bool) (*Report, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := recording.Free(path, replace); err != nil {
		return nil, err
	}
	r, err := newRedactor(from, p)
	if err != nil {
		return nil, err
	}
	h, err := r.header(from.Header())
	if err != nil {
		return nil, err
	}
	part := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	w, err := recording.Create(part, h, recording.Options{})
	if err != nil {
		return nil, err
	}
	report := &Report{}
	err = write(ctx, w, func() error { return r.all(ctx, from, w, report) })
	if err == nil {
		report.Counts = r.counts
		report.Left, err = again(ctx, part, p)
	}
	switch {
	case err != nil || report.Behind == "":
	case report.Records == 0:
		err = errors.New("nothing of it can be read: " + report.Behind)
	case inPlace:
		err = fmt.Errorf("it is left as it is, because not all of it can be read: %s: write another recording, with -o", report.Behind)
	}
	if err == nil {
		err = recording.Free(path, replace)
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		if gone := os.Remove(part); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return nil, err
	}
	return report, nil
}

// write runs w while fn appends to it.
func write(ctx context.Context, w *recording.Writer, fn func() error) error {
	ctx = context.WithoutCancel(ctx) // the file is finished, or removed, in any case
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("recording", w.Run)
	g.Go("redact", func(context.Context) error { return errors.Join(fn(), w.Close(ctx)) })
	return g.Wait()
}

// again reads what was written, and tells what would still be taken out.
func again(ctx context.Context, path string, p policy.Policy) (Counts, error) {
	from, err := recording.Open(path)
	if err != nil {
		return Counts{}, err
	}
	defer from.Close() //nolint:errcheck // it was only read
	r, err := newRedactor(from, p)
	if err != nil {
		return Counts{}, err
	}
	if _, err := r.header(from.Header()); err != nil {
		return Counts{}, err
	}
	err = r.all(ctx, from, nil, &Report{})
	return r.counts, err
}

// stepBytes are appended between two flushes: less than the queue of a Writer takes.
const stepBytes = 4 << 20

// all takes the records of from to w, which may be nil.
func (r *redactor) all(ctx context.Context, from *recording.Reader, w *recording.Writer, report *Report) error {
	bytes, number := 0, from.Header().First
	for {
		e, err := from.Next()
		switch d, damaged := errors.AsType[*recording.Damage](err); {
		case errors.Is(err, io.EOF):
			if len(r.parts) > 0 {
				report.Behind = "its last checkpoint is not whole"
			}
			if cut := from.Info().Cut; cut != nil {
				report.Behind = cut.Error()
			}
			return nil
		case damaged:
			report.Behind = d.Error()
			return nil
		case err != nil:
			return err
		case e.Number != number:
			report.Behind = fmt.Sprintf("records %d to %d are missing", number, e.Number-1)
			return nil
		}
		number++
		records, err := r.record(e)
		if err != nil {
			return fmt.Errorf("record %d: %w", e.Number, err)
		}
		for _, one := range records {
			report.Records++
			bytes += len(one.Payload)
			if w == nil {
				continue
			}
			if len(one.Payload) > recording.MaxPayload {
				return fmt.Errorf("record %d: it would become too large", e.Number)
			}
			w.Append(one)
		}
		if w != nil && bytes >= stepBytes {
			bytes = 0
			if err := w.Flush(ctx); err != nil {
				return fmt.Errorf("write the recording: %w", err)
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// redactor is one pass over a recording.
type redactor struct {
	policy policy.Policy
	layout *layout
	codec  *pack.Codec // nil until the types were described
	parts  []recording.Record
	out    []byte
	counts Counts
}

// newRedactor looks for the description of types in the header and in the first record, which it
// leaves to be read.
func newRedactor(from *recording.Reader, p policy.Policy) (*redactor, error) {
	h := from.Header()
	l, err := layoutOf(h)
	if err != nil {
		return nil, err
	}
	r := &redactor{policy: p, layout: l}
	for _, name := range l.shapes {
		if text := h.Meta[name]; text != "" {
			return r, r.describe(text)
		}
	}
	if l.described == 0 {
		return nil, errNotDescribed
	}
	if e, err := from.Next(); err == nil && e.Kind == l.described {
		if err := r.describe(string(e.Payload)); err != nil {
			return nil, err
		}
	}
	return r, from.SeekRecord(h.First)
}

func (r *redactor) describe(text string) (err error) {
	r.codec, err = pack.New().Adapt(text)
	return err
}

// header returns that of the file that is written.
func (r *redactor) header(h recording.Header) (recording.Header, error) {
	if !strings.HasPrefix(h.Bodies, "no") { // else there are none
		bodies := r.policy.Bodies
		if was, err := policy.ParseBodies(h.Bodies); err == nil {
			bodies = bodies.Fewer(was)
		}
		h.Bodies = bodies.String()
	}
	h.Secrets = r.policy.Words()
	h.Cluster, h.Group, h.Program = r.text(h.Cluster), r.text(h.Group), r.text(h.Program)
	meta := maps.Clone(h.Meta)
	for name, value := range h.Meta {
		with, keep, err := r.meta(name, value)
		if err != nil {
			return h, fmt.Errorf("header, %.40s: %w", name, err)
		}
		if meta[name] = with; !keep {
			delete(meta, name)
		}
	}
	if meta == nil {
		meta = map[string]string{}
	}
	meta[Done] = "1"
	meta[How] = "bodies: " + r.policy.Bodies.String() + "; secrets: " + r.policy.Words()
	h.Meta = meta
	return h, nil
}
