//go:build unix

package apachetest

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the head of a process group, so that all of it can be signalled.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup ends cmd's group: at once, or by asking.
func signalGroup(cmd *exec.Cmd, atOnce bool) error {
	sig := syscall.SIGTERM
	if atOnce {
		sig = syscall.SIGKILL
	}
	return syscall.Kill(-cmd.Process.Pid, sig)
}
