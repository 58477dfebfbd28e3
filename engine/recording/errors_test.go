package recording_test

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"mqscope/engine/recording"
)

// TestDiskErrorNamesItsFileOnce: the system's error names it too.
func TestDiskErrorNamesItsFileOnce(t *testing.T) {
	err := &recording.DiskError{Op: "write", Path: "x.mqrec", Err: &fs.PathError{Op: "write", Path: "x.mqrec", Err: syscall.ENOSPC}}
	if got := err.Error(); strings.Count(got, "x.mqrec") != 1 || !strings.HasPrefix(got, "write x.mqrec: no space left on device: ") || !strings.Contains(got, "make room") {
		t.Errorf("%q", got)
	}
}
