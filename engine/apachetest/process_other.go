//go:build !unix

package apachetest

import "os/exec"

// ownGroup does nothing: run.sh needs a POSIX shell, and starting it fails here.
func ownGroup(*exec.Cmd) {}

// signalGroup ends the process; there is no way to ask.
func signalGroup(cmd *exec.Cmd, _ bool) error { return cmd.Process.Kill() }
