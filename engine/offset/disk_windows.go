package offset

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a lock that ends when file is closed or its process ends. It never waits.
// It covers one byte far behind the text, so that others can still read who the owner is.
func lockFile(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at := &windows.Overlapped{Offset: 1 << 20}
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	if err != nil {
		return fmt.Errorf("take the file lock: %w", err)
	}
	return nil
}

// syncDir does nothing: Windows has no such call, names go through its journal.
func syncDir(*os.Root) error { return nil }
