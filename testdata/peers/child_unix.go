package main

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl-C in the terminal from the child: the bench ends it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
