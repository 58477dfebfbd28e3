//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package offset

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile takes a lock that ends when file is closed or its process ends. It never waits.
func lockFile(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		case err != nil:
			return fmt.Errorf("take the file lock: %w", err)
		}
		return nil
	}
}

// syncDir brings the names in a directory to the disk. Some network file systems do not have
// such a call and do it unasked.
func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}
