package tui

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty is a terminal whose other end the test holds.
type pty struct {
	// leftBehind: a program that was given up may still use the slave.
	leftBehind bool
	t          *testing.T
	master     *os.File
	slave      *os.File

	mu   sync.Mutex
	got  bytes.Buffer
	more chan struct{} // closed and replaced at each read
	done chan struct{}
}

func openPTY(t *testing.T, w, h int) *pty {
	t.Helper()
	// Fd of a file makes it blocking, and then Close would not end a Read: only the number is used.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must(err)
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(err)
	must(unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(h), Col: uint16(w)}))
	p := &pty{t: t, master: os.NewFile(uintptr(fd), "ptmx"), slave: slave, more: make(chan struct{}), done: make(chan struct{})}
	t.Cleanup(func() {
		p.master.Close()
		if !p.leftBehind {
			p.slave.Close()
		}
		<-p.done
	})
	go p.read()
	return p
}

func (p *pty) read() {
	defer close(p.done)
	buf := make([]byte, 4096)
	for {
		n, err := p.master.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.got.Write(buf[:n])
		close(p.more)
		p.more = make(chan struct{})
		p.mu.Unlock()
	}
}

func (p *pty) write(s string) {
	p.t.Helper()
	if _, err := p.master.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pty) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

// expect waits until text has been written.
func (p *pty) expect(text string) {
	p.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		p.mu.Lock()
		found, more := bytes.Contains(p.got.Bytes(), []byte(text)), p.more
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-limit:
			p.t.Fatalf("%q was not written, but %q", text, p.output())
		}
	}
}

func (p *pty) modes() unix.Termios {
	p.t.Helper()
	m, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *m
}
