//go:build unix

package proxy

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// Other tests have a network in memory, which is no socket: those here, and those of what is half
// closed or reset, are over TCP.

// socketPair is a connection on the loopback device whose buffers are small.
func socketPair(t *testing.T) (a, b *net.TCPConn) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	a, b = c.(*net.TCPConn), s.(*net.TCPConn)
	t.Cleanup(func() { a.Close(); b.Close() })
	within := time.Now().Add(20 * time.Second) // a hang fails
	for _, c := range []*net.TCPConn{a, b} {
		if err := errors.Join(c.SetDeadline(within), c.SetReadBuffer(64<<10), c.SetWriteBuffer(64<<10)); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// noise are bytes in which no two places look alike.
func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

func TestASlowReaderGetsAllInOrder(t *testing.T) {
	a, b := socketPair(t)
	all := noise(1 << 20)
	wrote := make(chan error, 1)
	go func() {
		n, err := writerOf(a).Write(all)
		if err == nil && n != len(all) {
			err = io.ErrShortWrite
		}
		wrote <- err
	}()
	from, got, piece := readerOf(b), []byte(nil), make([]byte, 30_000)
	for len(got) < len(all) {
		select {
		case err := <-wrote:
			if wrote <- err; len(got) < len(all)/2 { // the buffers hold far less
				t.Fatalf("all is said to be written when %d bytes were read: %v", len(got), err)
			}
		default:
		}
		n, err := from.Read(piece)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, piece[:n]...)
	}
	if err := <-wrote; err != nil || !bytes.Equal(got, all) {
		t.Errorf("%v, or other bytes", err)
	}
}

func TestADeadlineEndsAWaitAndNothingElse(t *testing.T) {
	a, b := socketPair(t)
	from, to := readerOf(a), writerOf(a)
	buf := make([]byte, 10)
	if err := a.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := from.Read(buf); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d, %v: want the deadline", n, err)
	}
	if err := a.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	if n, err := from.Read(buf); err != nil || string(buf[:n]) != "late" {
		t.Errorf("%q, %v", buf[:n], err)
	}
	all := noise(1 << 20)
	if err := a.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := to.Write(all)
	if n >= len(all) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d, %v: want the deadline after a part", n, err)
	}
	if err := a.SetWriteDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	go func() { // goes on where it stopped
		_, _ = to.Write(all[n:])
		a.Close()
	}()
	if got, err := io.ReadAll(b); err != nil || !bytes.Equal(got, all) {
		t.Errorf("%d bytes of %d, or others: %v", len(got), len(all), err)
	}
}

func TestAnEndIsEOFAndTheOtherHalfGoesOn(t *testing.T) {
	a, b := socketPair(t)
	if _, err := writerOf(a).Write([]byte("last")); err != nil {
		t.Fatal(err)
	}
	if err := a.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if n, err := writerOf(a).Write([]byte("more")); n != 0 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%d, %v: want none to be taken", n, err)
	}
	from := readerOf(b)
	if got, err := io.ReadAll(from); err != nil || string(got) != "last" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 {
		if n, err := from.Read(make([]byte, 1)); n != 0 || err != io.EOF { //nolint:errorlint // as io.Reader has it
			t.Errorf("%d, %v: want EOF", n, err)
		}
	}
	if _, err := writerOf(b).Write([]byte("back")); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if got, err := io.ReadAll(readerOf(a)); err != nil || string(got) != "back" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAResetIsAnErrorOfBothWays(t *testing.T) {
	a, b := socketPair(t)
	ended := make(chan error, 1)
	go func() { // what waits is woken too
		n, err := readerOf(a).Read(make([]byte, 1))
		if n != 0 {
			t.Errorf("%d bytes with an error", n)
		}
		ended <- err
	}()
	if err := b.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if err := <-ended; !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v, want a reset", err)
	}
	if n, err := writerOf(a).Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("write: %d, %v", n, err)
	}
}

func TestACloseEndsWhatWaits(t *testing.T) {
	a, _ := socketPair(t)
	ended := make(chan error, 2)
	go func() {
		_, err := readerOf(a).Read(make([]byte, 1))
		ended <- err
	}()
	go func() {
		_, err := writerOf(a).Write(make([]byte, 8<<20)) // nobody reads
		ended <- err
	}()
	a.Close()
	for range 2 {
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v, want that it is closed", err)
		}
	}
}

func TestNothingIsReadOrWrittenOfNothing(t *testing.T) {
	a, _ := socketPair(t)
	if n, err := readerOf(a).Read(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := writerOf(a).Write(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// wrapped is a connection that does more than its socket.
type wrapped struct{ *net.TCPConn }

func (wrapped) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

func TestWhatStandsBeforeASocketIsNotPassedBy(t *testing.T) {
	a, _ := socketPair(t)
	if _, err := readerOf(wrapped{a}).Read(make([]byte, 1)); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v: the socket was read", err)
	}
}

func TestReadingAndWritingAllocateNothing(t *testing.T) {
	a, b := socketPair(t)
	to, from, buf := writerOf(a), readerOf(b), make([]byte, 100)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if n := testing.AllocsPerRun(100, func() {
		if _, err := to.Write(buf); err != nil {
			t.Fatal(err)
		}
		if _, err := from.Read(buf); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestFramesPassOverTCP does so both ways at once, to readers that are slow.
func TestFramesPassOverTCP(t *testing.T) {
	client, server := overTCP(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	up, down := frames(t, rnd, 60, 0), frames(t, rnd, 60, 1)
	go send(t, client, up, rand.New(rand.NewPCG(3, 4)))
	go send(t, server, down, rand.New(rand.NewPCG(5, 6)))
	got := make(chan error, 2)
	read := func(c net.Conn, want []byte) {
		b := make([]byte, len(want))
		_, err := io.ReadFull(c, b)
		if err == nil && !bytes.Equal(b, want) {
			err = errors.New("other bytes")
		}
		got <- err
	}
	go read(server, up)
	go read(client, down)
	for range 2 {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}
