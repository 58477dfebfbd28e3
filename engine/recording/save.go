package recording

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// SaveLeft writes what a Box left in dir, because its program was killed, to a new recording.
func SaveLeft(ctx context.Context, dir, path string, o Options) (Saved, error) {
	o, err := o.filled()
	if err != nil {
		return Saved{}, err
	}
	there, err := os.ReadDir(dir) // in the order of names, which is that of time
	if err != nil {
		return Saved{}, err
	}
	var files []*sized
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	for _, entry := range there {
		if !strings.HasSuffix(entry.Name(), ".mqrec") {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		f, err := o.FS.Open(name)
		if err != nil {
			return Saved{}, err
		}
		size, err := f.Size()
		files = append(files, &sized{File: f, path: name, size: size})
		if err != nil {
			return Saved{}, err
		}
	}
	if len(files) == 0 {
		return Saved{}, &NotRecordingError{"a directory without black box", "give the directory that --black-box used"}
	}
	first, err := NewReader(files[0], files[0].size)
	if err != nil {
		return Saved{}, &FileError{files[0].path, err}
	}
	return save(ctx, files, path, first.Header(), o)
}

// save copies the records of files, one after the other, from the first checkpoint on.
func save(ctx context.Context, files []*sized, path string, h Header, o Options) (Saved, error) {
	s, from, err := firstOf(files)
	if err != nil {
		return Saved{}, err
	}
	h.First = s.First
	to, err := newFile(o.FS, path, h, o)
	if err != nil {
		return Saved{}, err
	}
	err = s.copy(ctx, to, files[from:])
	if err == nil {
		err = to.flush()
	}
	if err == nil {
		err = to.close(Closed, true)
	} else {
		err = errors.Join(err, to.f.Close())
	}
	if err != nil {
		return Saved{}, errors.Join(err, o.FS.Remove(path))
	}
	s.Next = to.number
	return s, nil
}

// firstOf finds the record that a copy begins with, and the file that it is in.
func firstOf(files []*sized) (s Saved, from int, err error) {
	for n, f := range files {
		r, err := f.reader(n == len(files)-1)
		if err != nil {
			return Saved{}, 0, err
		}
		if r == nil {
			break
		}
		if n == 0 {
			s.First = r.Header().First
		}
		if number, ok := r.firstCheckpoint(); ok {
			s.First, s.AtCheckpoint = number, true
			return s, n, nil
		}
	}
	return s, 0, nil
}

// reader opens a file; nil when it is the last one and ends in its header, because its program was
// killed just then.
func (f *sized) reader(last bool) (*Reader, error) {
	r, err := NewReader(f, f.size)
	if _, empty := errors.AsType[*EmptyError](err); empty && last {
		return nil, nil
	}
	if err != nil {
		return nil, &FileError{f.path, err}
	}
	r.SkipDamage(true)
	return r, nil
}

func (s *Saved) copy(ctx context.Context, to *file, from []*sized) error {
	var whole []byte
	for n, f := range from {
		r, err := f.reader(n == len(from)-1)
		if r == nil || err != nil {
			return err
		}
		if n == 0 {
			if err := r.SeekRecord(s.First); err != nil {
				return err
			}
		}
		for {
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if e.Number&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if e.Number != to.number {
				s.Gaps++
				if err := to.jump(e.Number); err != nil {
					return err
				}
			}
			i := e.item()
			whole = append(appendPrefix(whole[:0], i), i.payload...)
			if err := to.add(i, whole); err != nil {
				return err
			}
		}
	}
	return nil
}
