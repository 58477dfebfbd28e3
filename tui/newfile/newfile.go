// Package newfile writes files for a person to keep: one is there as a whole or not at all, only
// its owner may read it, and nothing that was there before goes without being asked for.
package newfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write makes the file of path with what fill writes. Where there is something of that name
// already the error is fs.ErrExist, unless replace is set and it is a regular file. A symbolic
// link is neither followed nor replaced.
func Write(path string, replace bool, fill func(io.Writer) error) error {
	if err := free(path, replace); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mqscope-*") // its owner's only
	if err != nil {
		return err
	}
	err = errors.Join(write(f, fill), f.Close())
	if err == nil {
		err = put(f.Name(), path, replace)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // gone already once it has its name
	}
	return err
}

// free tells whether the name may be taken.
func free(path string, replace bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory: add a name for the file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file: give another name", path)
	case !replace:
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	return nil
}

func write(f *os.File, fill func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// put gives a finished file its name. A hard link takes only a name that is free, so nothing
// that came meanwhile is lost; where a disk has none, an empty file holds the name first.
func put(from, path string, replace bool) error {
	if replace {
		return os.Rename(from, path)
	}
	err := os.Link(from, path)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "write", Path: path, Err: fs.ErrExist}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(f.Close(), os.Rename(from, path))
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}
