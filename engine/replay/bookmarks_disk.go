package replay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mqscope/engine/internal/whole"
)

// maxMarks is how large a file of bookmarks may be.
const maxMarks = 8 << 20

// Disk is where bookmarks are kept; tests have one that fails.
type Disk interface {
	// Read returns what is in a regular file. The error is fs.ErrNotExist where there is none.
	Read(path string) ([]byte, error)
	// Write puts a file that only its owner may read in the place of what is there, at once or
	// not at all. It follows no symbolic link.
	Write(path string, text []byte) error
}

// OwnDisk is the computer's own.
type OwnDisk struct{}

// Read implements Disk.
func (OwnDisk) Read(path string) ([]byte, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxMarks+1))
	if err == nil && len(text) > maxMarks {
		err = fmt.Errorf("%s has more than %d bytes: it is no file of bookmarks", path, maxMarks)
	}
	return text, err
}

// regular refuses what is no regular file, symbolic links too.
func regular(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("no regular file: it is left alone")}
	}
	return err
}

// Write implements Disk: a new file beside it gets the name when it is complete.
func (OwnDisk) Write(path string, text []byte) error {
	if err := regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return whole.Write(path, text)
}
