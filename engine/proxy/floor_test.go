package proxy

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// floor is the relay of testdata/relay: what a proxy can not cost less than.
type floor struct {
	program string
	broker  string // where it leads
	process *os.Process
}

// newFloor builds it; nil where that can not be done.
func newFloor(b *testing.B, broker string) *floor {
	b.Helper()
	f := &floor{program: filepath.Join(b.TempDir(), "relay"), broker: broker}
	out, err := exec.Command("cc", "-O2", "-pthread", "-o", f.program, filepath.Join("..", "..", "testdata", "relay", "relay.c")).CombinedOutput()
	if err == nil {
		_, err = os.Stat("/proc/self/io") // by which it is watched
	}
	if err != nil {
		b.Logf("the relay in C is left out: %v %s", err, out)
		return nil
	}
	return f
}

// listenFor is that of copier: the second listener is the relay's.
func (f *floor) listenFor(b *testing.B) func(ctx context.Context, network, addr string) (net.Listener, error) {
	var made atomic.Int32
	return func(ctx context.Context, network, addr string) (net.Listener, error) {
		ln, err := new(net.ListenConfig).Listen(ctx, network, addr)
		if err != nil || made.Add(1) != 2 {
			return ln, err
		}
		at := ln.Addr()
		if err := ln.Close(); err != nil {
			return nil, err
		}
		f.start(b, at)
		ended, end := context.WithCancel(context.Background())
		return &taken{elsewhere{at}, ended, end}, nil
	}
}

func (f *floor) start(b *testing.B, at net.Addr) {
	_, port, _ := net.SplitHostPort(at.String())
	_, broker, _ := net.SplitHostPort(f.broker)
	cmd := exec.Command(f.program, port, broker)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	f.process = cmd.Process
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		c, err := net.Dial("tcp", at.String())
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			b.Fatal(err)
		}
	}
}

// elsewhere is a listener of another process.
type elsewhere struct{ addr net.Addr }

func (e elsewhere) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (e elsewhere) Close() error              { return nil }
func (e elsewhere) Addr() net.Addr            { return e.addr }

// bytes is how many it has written, up and down.
func (f *floor) bytes() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", f.process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("wchar: "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(line), 10, 64)
	return n
}

// used is its processor time.
func (f *floor) used() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", f.process.Pid))
	for _, path := range threads {
		text, _ := os.ReadFile(path)
		first, _, _ := bytes.Cut(text, []byte(" "))
		n, _ := strconv.ParseInt(string(first), 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
