package recording

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
)

// boxSegments is into how many files a Box cuts what it keeps: the more, the closer it is to its
// limit.
const boxSegments = 8

// Box is a recording that keeps the last so many bytes, in a directory of its own, and saves
// them on request. Append, Run, Flush, Err and Close are those of its Writer.
type Box struct {
	*Writer
	kept *segments
}

// segments are the files of a Box, each a recording that goes on where the one before ends. The
// goroutine of the Writer adds to them; Save reads them.
type segments struct {
	dir     string
	header  Header
	options Options
	limit   int64 // of all of them
	current *file // the Writer's
	made    int

	mu   sync.Mutex
	all  []segment // oldest first
	ends bool      // the newest is closed
}

type segment struct {
	path string
	size int64 // up to its last whole block
}

// NewBox keeps about limit bytes (from 1 MiB on) in dir, which must not be there yet, or be empty.
func NewBox(dir string, limit int64, h Header, o Options) (*Box, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if limit < 1<<20 {
		return nil, fmt.Errorf("black box of %d bytes: at least 1 MiB", limit)
	}
	if err := o.FS.Mkdir(dir); err != nil {
		return nil, err
	}
	s := &segments{dir: dir, header: h, options: o, limit: limit}
	if err := s.open(h.First); err != nil {
		return nil, err
	}
	return &Box{Writer: newWriter(s, o), kept: s}, nil
}

// open begins a segment with the record of this number.
func (s *segments) open(number uint64) error {
	h, o := s.header, s.options
	h.First, o.Replace = number, false
	path := filepath.Join(s.dir, fmt.Sprintf("%08d.mqrec", s.made))
	f, err := newFile(o.FS, path, h, o)
	if err != nil {
		return err
	}
	s.made++
	s.current = f
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, segment{path: path, size: f.at})
	return nil
}

func (s *segments) setHurry(on bool) { s.current.setHurry(on) }

func (s *segments) size() (total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		total += one.size
	}
	return total
}

// add begins a new segment at a checkpoint when the current one is full; when no checkpoint
// comes, at twice its size.
func (s *segments) add(i item, whole []byte) error {
	full, f := s.limit/boxSegments, s.current
	size := f.at + int64(len(f.raw))
	if size >= full && i.flags&flagCheckpoint != 0 || size >= 2*full {
		if err := s.rotate(); err != nil {
			return err
		}
	}
	if err := s.current.add(i, whole); err != nil {
		return err
	}
	s.measure()
	return nil
}

func (s *segments) flush() error {
	err := s.current.flush()
	s.measure()
	return err
}

func (s *segments) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[len(s.all)-1].size = s.current.at
}

func (s *segments) rotate() error {
	f := s.current
	if err := f.flush(); err != nil {
		return err
	}
	if err := f.close(Closed, false); err != nil {
		return err
	}
	s.measure()
	if err := s.open(f.number); err != nil {
		return &DiskError{"begin a file in", s.dir, err}
	}
	s.current.hurry = f.hurry
	return s.drop()
}

// drop removes the oldest segments that are over the limit, together with the one that is
// written now at its usual size.
func (s *segments) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := s.limit / boxSegments
	for _, one := range s.all {
		total += one.size
	}
	for len(s.all) > 2 && total > s.limit {
		if err := s.options.FS.Remove(s.all[0].path); err != nil {
			return &DiskError{"remove", s.all[0].path, err}
		}
		total -= s.all[0].size
		s.all = s.all[1:]
	}
	return nil
}

func (s *segments) close(why End, sync bool) error {
	s.mu.Lock()
	closed := s.ends
	s.ends = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	err := s.current.close(why, sync)
	s.measure()
	return err
}

// Saved is what a Save wrote.
type Saved struct {
	First, Next  uint64 // numbers of the first record, and of the first one behind the last
	AtCheckpoint bool   // it begins with one; else none was kept
	Gaps         int    // places where what was kept could not be read
}

// Save writes all that is kept to a new recording at path, beginning with the oldest checkpoint.
// It may be called while the box goes on, and after its end until Discard.
func (b *Box) Save(ctx context.Context, path string) (Saved, error) {
	if err := b.Flush(ctx); err != nil && b.Err() == nil {
		return Saved{}, err // it was ctx; when the box has ended it still has what it kept
	}
	files, err := b.kept.openAll()
	if err != nil {
		return Saved{}, err
	}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	return save(ctx, files, path, b.kept.header, b.kept.options)
}

// openAll opens the segments as they are now; one that is removed later stays open.
func (s *segments) openAll() ([]*sized, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []*sized
	for _, one := range s.all {
		f, err := s.options.FS.Open(one.path)
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			return nil, fmt.Errorf("save the black box: %w", err)
		}
		files = append(files, &sized{File: f, path: one.path, size: one.size})
	}
	return files, nil
}

// sized is a file as it was when it was opened.
type sized struct {
	File
	path string
	size int64
}

// Discard removes all that is kept; Close was called before.
func (b *Box) Discard() error {
	s := b.kept
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.all) > 0 {
		if err := s.options.FS.Remove(s.all[0].path); err != nil {
			return err
		}
		s.all = s.all[1:]
	}
	return s.options.FS.Remove(s.dir)
}
