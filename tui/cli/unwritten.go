package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mqscope/engine/recording"
)

// unwritten says which file could not be written, why and what to do, where that is what err is
// about; else it is nil. Files are written under another name beside path until they are whole.
func unwritten(path string, err error) error {
	at, cause := "", error(nil)
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		at, cause = e.New, e.Err
	}
	if e, ok := errors.AsType[*recording.DiskError](err); ok {
		at, cause = e.Path, e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		at, cause = e.Path, e.Err
	}
	dir := filepath.Dir(path)
	switch {
	case at == "" && strings.HasPrefix(err.Error(), path+": "):
		return err // it says so itself
	case at == "" || filepath.Dir(at) != dir || at != path && !strings.HasPrefix(filepath.Base(at), filepath.Base(path)+".") && !strings.HasPrefix(filepath.Base(at), "."):
		return nil
	case errors.Is(cause, fs.ErrNotExist):
		return fmt.Errorf("%s: the folder %s is not there: make it, or give another name", path, dir)
	case errors.Is(cause, fs.ErrPermission):
		return fmt.Errorf("%s: %w: nothing may be written in the folder %s: give another name", path, cause, dir)
	case errors.Is(cause, syscall.ENOSPC), errors.Is(cause, syscall.EDQUOT):
		return fmt.Errorf("%s: %w: make room, or write elsewhere", path, cause)
	}
	return fmt.Errorf("%s: %w", path, cause)
}

// unread says why a file can not be opened, without how that was tried.
func unread(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}
