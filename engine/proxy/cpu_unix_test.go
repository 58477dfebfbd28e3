//go:build unix

package proxy

import (
	"syscall"
	"time"
)

// cpuUsed is the time that this process has spent on processors.
func cpuUsed() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
