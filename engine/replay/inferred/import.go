package inferred

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
)

const (
	// Between two flushes stepBytes are appended, and one flush may be under way and one may wait:
	// that is how much the queue of the writer takes, and memory.
	stepBytes  = 4 << 20
	queueBytes = 20 << 20
	tellEvery  = 4 << 20 // bytes of the capture between two tellings of progress
)

// ImportOptions say what of a capture becomes a recording; zero values mean all of it.
type ImportOptions struct {
	Name    string // of the capture; its base name goes into the header
	Program string // that writes it, with its version
	Created time.Time
	Group   string // leaves events of other groups out; it is an error when it was not seen
	Replace bool   // a recording that is there already
	Scrub   func(string) string
	Capture capture.Options
	// Progress is called now and then, with how much was read.
	Progress func(bytes int64, events uint64)
}

// Import reads a packet capture and writes what clients and brokers did to a new recording at
// path, which is there only when all went well. When ctx ends, it is made of what was read.
func Import(ctx context.Context, in io.Reader, path string, o ImportOptions) (*Summary, error) {
	if err := recording.Free(path, o.Replace); err != nil {
		return nil, err
	}
	from := &counted{in: in}
	begin := bufio.NewReaderSize(from, 256<<10)
	if head, err := begin.Peek(5); err == nil && string(head) == "MQREC" {
		return nil, errors.New("it is a recording already, not a packet capture: see it with mqscope replay")
	}
	c, err := capture.Read(begin, o.Capture)
	if err != nil {
		return nil, err
	}
	part := fmt.Sprintf("%s.%d.part", path, os.Getpid())
	w, err := recording.Create(part, o.header(), recording.Options{QueueBytes: queueBytes})
	if err != nil {
		return nil, err
	}
	m := newImporter(c, w, o)
	m.from = from
	err = m.run(ctx)
	if err == nil {
		err = m.rename(part, path)
	}
	if err != nil {
		if gone := os.Remove(part); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return nil, err
	}
	return m.summary(path)
}

func (o *ImportOptions) header() recording.Header {
	h := recording.Header{
		Program: o.Program, Created: o.Created, Source: replay.SourceCapture, Group: o.Group,
		Secrets: "none: they are taken out of what is read",
	}
	if o.Name != "" {
		h.Meta = map[string]string{"capture": filepath.Base(o.Name)}
	}
	return Header(h)
}

// importer is one import that goes on.
type importer struct {
	o       ImportOptions
	c       *capture.Reader
	from    *counted
	w       *recording.Writer
	rec     *Recorder
	inferer *infer.Inferer
	steps   chan struct{} // a flush is wanted
	sent    int64         // bytes appended since the last one
	told    int64
	early   bool // ctx ended

	began  time.Time
	errors int
	seen   map[string]*GroupSummary // what the State does not count
}

func newImporter(c *capture.Reader, w *recording.Writer, o ImportOptions) *importer {
	return &importer{
		o: o, c: c, from: &counted{}, w: w, inferer: infer.New(), steps: make(chan struct{}), seen: map[string]*GroupSummary{},
		rec: NewRecorder(w, RecorderOptions{Group: o.Group, Scrub: o.Scrub}),
	}
}

func (m *importer) run(ctx context.Context) error {
	whole := context.WithoutCancel(ctx)
	g, end := lifecycle.NewGroup(whole)
	g.Go("recording", m.w.Run)
	g.Go("flush", func(ctx context.Context) error {
		for range m.steps {
			if err := m.w.Flush(ctx); err != nil {
				return fmt.Errorf("write the recording: %w", err)
			}
		}
		return nil
	})
	g.Go("import", func(context.Context) error {
		defer close(m.steps)
		err := m.all(ctx, end)
		return errors.Join(err, m.w.Close(whole))
	})
	return g.Wait()
}

// all reads the capture to its end, or that of ctx; when end ends, something failed.
func (m *importer) all(ctx, end context.Context) error {
	for {
		it, err := m.c.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		before := m.rec.Bytes()
		for _, e := range m.inferer.Step(it) {
			m.add(e)
		}
		if m.sent += m.rec.Bytes() - before; m.sent >= stepBytes {
			m.sent = 0
			select {
			case m.steps <- struct{}{}:
			case <-end.Done():
				return nil // the writer says why
			}
		}
		if ctx.Err() != nil {
			m.early = true
			return nil
		}
		if n := m.from.n; m.o.Progress != nil && n-m.told >= tellEvery {
			m.told = n
			m.o.Progress(n, m.rec.State().Seq)
		}
	}
}

func (m *importer) add(e infer.Event) {
	m.rec.Add(e)
	if m.began.IsZero() {
		m.began = e.At
	}
	switch f := e.Fact.(type) {
	case infer.Failed:
		m.errors++
	case infer.MemberSeen:
		if g := m.group(f.Group); g != nil && f.New {
			g.Joined++
		}
	case infer.Popped:
		if g := m.group(f.Group); g != nil {
			g.Pulls++
			g.Received += f.Count
		}
	}
}

// group is what is counted of a group; nil when the State has no room for it.
func (m *importer) group(name string) *GroupSummary {
	g := m.seen[name]
	if g == nil && m.rec.State().Groups[name] != nil {
		g = &GroupSummary{Name: name}
		m.seen[name] = g
	}
	return g
}

// rename gives the finished file its name.
func (m *importer) rename(part, path string) error {
	if m.o.Group != "" && m.rec.State().Groups[m.o.Group] == nil {
		return fmt.Errorf("no group %.80q in the capture: %s", m.o.Group, namesOf(m.inferer.State()))
	}
	if err := recording.Free(path, m.o.Replace); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// counted counts what is read.
type counted struct {
	in io.Reader
	n  int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}
