package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// maxLine bounds a line of a child: some ten bytes for each latency.
const maxLine = 64 << 20

// child is a process of the bench. It is killed when the context of its start ends, and ends
// by itself when the bench is gone and with it the other end of its standard input.
type child struct {
	name  string
	cmd   *exec.Cmd
	tied  io.Closer
	lines *bufio.Scanner
	over  context.CancelFunc
}

// begin starts the process that does j.
func (b *turns) begin(ctx context.Context, j job) (*child, error) {
	args, err := b.program(j)
	if err != nil {
		return nil, err
	}
	if b.s.Pin {
		core := "0"
		if j.Who != "" {
			core = "1"
		}
		args = append([]string{"taskset", "-c", core}, args...)
	}
	ctx, over := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 5 * time.Second
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		over()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		over()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		over()
		return nil, err
	}
	c := &child{name: j.Do + " " + j.Who, cmd: cmd, tied: in, lines: bufio.NewScanner(out), over: over}
	c.lines.Buffer(nil, maxLine)
	return c, nil
}

// program is the command line of the process that does j: Java, or this program again.
func (b *turns) program(j job) ([]string, error) {
	if j.Who == "java" {
		return b.java.command(j), nil
	}
	exe, err := os.Executable()
	return append([]string{exe}, j.args()...), err
}

// next reads on to the report of that name. What libraries print is passed over.
func (c *child) next(event string) (report, error) {
	for c.lines.Scan() {
		var r report
		if json.Unmarshal(c.lines.Bytes(), &r) == nil && r.Event == event {
			return r, nil
		}
	}
	return report{}, fmt.Errorf("%s ended without a word of being %s: %w", c.name, event, c.end())
}

// end waits for the process to end by itself.
func (c *child) end() error {
	err := c.cmd.Wait()
	c.over()
	_ = c.tied.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// kill ends the process at once. After the end it does nothing.
func (c *child) kill() {
	c.over()
	_ = c.tied.Close()
	_ = c.cmd.Wait() // killed: its code says nothing
}
