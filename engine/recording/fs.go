package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// FS is the disk that recordings are written to; tests have one that fails.
type FS interface {
	// Create makes a new file that only its owner may read. It follows no symbolic link and
	// fails with fs.ErrExist when there is something of that name.
	Create(path string) (File, error)
	// Clear removes the regular file of that name, if there is one; something else is an error.
	Clear(path string) error
	// Open opens a file to read.
	Open(path string) (File, error)
	// Remove removes a file or an empty directory.
	Remove(path string) error
	// Mkdir makes a directory that only its owner may enter, or finds that there is an empty one.
	Mkdir(path string) error
}

// File is an open file of an FS.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Size() (int64, error)
	// Sync returns when all is on the disk, the file's name too.
	Sync() error
	Close() error
}

// Disk is the computer's own.
type Disk struct{}

// Create does what FS says: O_EXCL does not follow a link in the last part of the path either.
func (Disk) Create(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

// Clear leaves what is no regular file, a symbolic link too.
func (Disk) Clear(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("no regular file: give another name")}
	}
	return os.Remove(path)
}

// Open does not wait for what is no file, as a pipe would let it.
func (Disk) Open(path string) (File, error) {
	info, err := os.Stat(path)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", path, e.Err)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		what := "no regular file"
		if info.IsDir() {
			what = "a directory"
		}
		return nil, &NotRecordingError{what, "give the path of a recording (.mqrec)"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

// Remove is os.Remove.
func (Disk) Remove(path string) error { return os.Remove(path) }

// Mkdir refuses a directory that is not empty, and a symbolic link.
func (Disk) Mkdir(path string) error {
	err := os.Mkdir(path, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: errors.New("not a directory")}
	}
	there, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if len(there) > 0 {
		return fmt.Errorf("mkdir %s: %w and is not empty: another program may use it, or one was killed: save what it left, then remove it", path, fs.ErrExist)
	}
	return nil
}

type diskFile struct{ *os.File }

func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f diskFile) Sync() error {
	if err := f.File.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return nil // has no fsync of directories
	}
	dir, err := os.Open(filepath.Dir(f.Name()))
	if err != nil {
		return nil //nolint:nilerr // a directory that we may not read keeps its names by itself
	}
	return errors.Join(dir.Sync(), dir.Close())
}
