package apachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// errEnded says that a server ended while its start was being waited for.
var errEnded = errors.New("it ended by itself")

// lookAgain is how often a server that starts is asked whether it is there.
const lookAgain = 100 * time.Millisecond

// process is a program run by run.sh in a process group of its own. The script becomes the
// JVM, so the process is the JVM's.
type process struct {
	cmd   *exec.Cmd
	input io.Closer // the JVM halts when this is closed
	alive *os.File  // read end of a pipe that only the process holds the other end of
}

// spawn starts a server in the cluster's folder; its output goes to NAME.out there.
func (c *Cluster) spawn(name string, args ...string) (*process, error) {
	return c.spawnIn("", name, args...)
}

// spawnIn is spawn in a folder below the cluster's.
func (c *Cluster) spawnIn(folder, name string, args ...string) (*process, error) {
	folder = filepath.Join(c.Folder, folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	out, err := os.OpenFile(filepath.Join(folder, name+".out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := c.command(context.Background(), append([]string{name, folder}, args...)...)
	cmd.Stdout, cmd.Stderr = out, out
	return run(cmd)
}

// command is run.sh with args. Its process ends with ctx.
func (c *Cluster) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.script, args...)
	cmd.Dir = c.Folder
	cmd.Env = append(os.Environ(), "MQSCOPE_APACHE_TETHER=1", "MQSCOPE_APACHE_FOLDER="+filepath.Join(c.Folder, "clients"))
	return cmd
}

func run(cmd *exec.Cmd) (*process, error) {
	ownGroup(cmd)
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	alive, held, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Start(); err != nil {
		_ = alive.Close()
		return nil, fmt.Errorf("start %s: %w", cmd, err)
	}
	return &process{cmd: cmd, input: input, alive: alive}, nil
}

// ended waits for the process to end until ctx does, and says whether it has.
func (p *process) ended(ctx context.Context) bool {
	defer context.AfterFunc(ctx, func() { _ = p.alive.SetReadDeadline(time.Unix(1, 0)) })()
	if ctx.Err() == nil {
		_ = p.alive.SetReadDeadline(time.Time{})
	}
	_, err := p.alive.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// kill ends the process and its children at once.
func (p *process) kill() error {
	err := signalGroup(p.cmd, true)
	_ = p.reap() // the exit code of a killed process says nothing
	return err
}

// stop asks the process to end and waits; when ctx ends first it is killed.
func (p *process) stop(ctx context.Context) error {
	if err := signalGroup(p.cmd, false); err != nil {
		return errors.Join(err, p.kill())
	}
	if !p.ended(ctx) {
		return errors.Join(fmt.Errorf("%s still runs after SIGTERM: %w", p.cmd, ctx.Err()), p.kill())
	}
	_ = p.reap() // 143 after SIGTERM
	return nil
}

// reap waits for the end that has come or is coming, and gives back what the process cost.
func (p *process) reap() error {
	err := p.cmd.Wait()
	_ = p.input.Close()
	_ = p.alive.Close()
	return err
}

// until asks check again and again until it has no fault to tell, p ends, or ctx does.
func (c *Cluster) until(ctx context.Context, p *process, check func(ctx context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		pause, cancel := context.WithTimeout(ctx, lookAgain)
		over := p.ended(pause)
		cancel()
		if over {
			return fmt.Errorf("%w\n%s", errEnded, c.BrokerLog())
		}
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err(), errors.New(c.BrokerLog()))
		}
	}
}

// tail returns the last 4 KiB of a file, or nothing.
func tail(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-4096):])
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePorts returns a port p such that p-2 (the broker's fast port), p, p+1 (its HA port)
// and p+5 (the name server's) are free. They lie below the range that systems take ports of
// outgoing connections from, so a broker that restarts finds its own still free.
func freePorts() (int, error) {
	for range 100 {
		p := 20_000 + 10*rand.IntN(1_200)
		if free(p-2) && free(p) && free(p+1) && free(p+5) {
			return p, nil
		}
	}
	return 0, errors.New("no free ports between 20000 and 32000")
}

func free(port int) bool {
	ln, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return ln.Close() == nil
}
