package offset

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// files is what Disk needs of one directory. All names are plain ones inside it.
type files interface {
	Read(name string) ([]byte, error)    // whole, at most maxFileBytes
	Create(name string) (newFile, error) // which is not there yet
	Rename(from, to string) error        // replaces to at one stroke
	Remove(name string) error
	Sync() error // brings names to the disk
	Close() error
}

type newFile interface {
	io.Writer
	Sync() error // brings the content to the disk
	Close() error
}

// rootFiles is a directory of the operating system. Nothing in it leads out, and links are
// not followed.
type rootFiles struct {
	root *os.Root
	lock *os.File
}

// openDirs makes and opens base/name/name. base is the user's and may be a link; what lies
// below must be directories.
func openDirs(base string, names ...string) (*os.Root, error) {
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(base)
	for _, name := range names {
		if err != nil {
			return nil, err
		}
		var below *os.Root
		below, err = openDir(root, name)
		err = errors.Join(err, root.Close())
		if err != nil && below != nil {
			err = errors.Join(err, below.Close())
		}
		root = below
	}
	return root, err
}

// openDir makes and opens one directory of root.
func openDir(root *os.Root, name string) (*os.Root, error) {
	err := root.Mkdir(name, 0o700)
	if err == nil {
		err = syncDir(root)
	} else if errors.Is(err, os.ErrExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	there, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.IsDir() {
		return nil, fmt.Errorf("%s is no directory: links are not followed, move it away", name)
	}
	below, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := below.Stat("."); err != nil || !os.SameFile(there, opened) {
		return nil, errors.Join(fmt.Errorf("%s was exchanged while it was opened", name), err, below.Close())
	}
	return below, nil
}

// open opens a regular file. One that is not there is made when flag says so.
func (f *rootFiles) open(name string, flag int) (*os.File, error) {
	there, err := f.root.Lstat(name)
	if err == nil && !there.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: links are not followed", name)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, os.ErrNotExist)) {
		return nil, err
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || there != nil && !os.SameFile(there, opened) {
		return nil, errors.Join(fmt.Errorf("%s was exchanged while it was opened", name), err, file.Close())
	}
	return file, nil
}

func (f *rootFiles) Read(name string) ([]byte, error) {
	file, err := f.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("it is longer than %d bytes", maxFileBytes)
	}
	return text, errors.Join(err, file.Close())
}

func (f *rootFiles) Create(name string) (newFile, error) {
	return f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (f *rootFiles) Rename(from, to string) error { return f.root.Rename(from, to) }

func (f *rootFiles) Remove(name string) error { return f.root.Remove(name) }

func (f *rootFiles) Sync() error { return syncDir(f.root) }

// Close lets go of the lock. Its file stays: were it removed, one process could hold the old
// file and another the new one.
func (f *rootFiles) Close() error { return errors.Join(f.lock.Close(), f.root.Close()) }

// takeLock takes the lock or says who has it.
func (f *rootFiles) takeLock(owner string) error {
	const most = 200 // bytes of an owner's name that are read or written
	file, err := f.open(lockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := lockFile(file); err != nil {
		if errors.Is(err, ErrLocked) {
			who, _ := io.ReadAll(io.LimitReader(file, most)) // only to tell a person more
			err = fmt.Errorf("%w by another consumer of this client id and group (%q): "+
				"end that one, or give this one another instance name", err, who)
		}
		return errors.Join(err, file.Close())
	}
	f.lock = file
	owner = owner[:min(len(owner), most)]
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(owner), 0)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return nil
}
