package memnet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/memnet"
)

const addr = "broker-a:10911"

// pair listens at addr and connects to it.
func pair(t *testing.T, n *memnet.Network) (client, server net.Conn) {
	t.Helper()
	ln, err := n.Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	client, err = n.Dial(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server, err = ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close(); ln.Close() })
	return client, server
}

func mustWrite(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if n, err := c.Write([]byte(text)); err != nil || n != len(text) {
		t.Fatalf("write %q: %d, %v", text, n, err)
	}
}

func mustRead(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v, want %q", got, err, want)
	}
}

func TestBytesGoBothWaysWithoutMeeting(t *testing.T) {
	client, server := pair(t, memnet.New())
	mustWrite(t, client, "ask")
	mustWrite(t, server, "answer")
	mustRead(t, server, "ask")
	mustRead(t, client, "answer")
	if client.LocalAddr().String() != server.RemoteAddr().String() || client.RemoteAddr().String() != addr {
		t.Errorf("addresses: %v %v, %v %v", client.LocalAddr(), client.RemoteAddr(), server.LocalAddr(), server.RemoteAddr())
	}
}

func TestCloseIsSeenAfterWhatWasWritten(t *testing.T) {
	client, server := pair(t, memnet.New())
	mustWrite(t, client, "last words")
	client.Close()
	mustRead(t, server, "last words")
	if _, err := server.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the peer's close: %v, want EOF", err)
	}
	if _, err := server.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write to a closed peer: %v, want EPIPE", err)
	}
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after own close: %v, want ErrClosed", err)
	}
	if _, err := client.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write after own close: %v, want ErrClosed", err)
	}
}

func TestWriteWaitsWhenTheBufferIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, memnet.New())
		sent := bytes.Repeat([]byte("0123456789abcdef"), 40<<10) // 640 KiB
		written := false
		go func() {
			if _, err := client.Write(sent); err != nil {
				t.Error(err)
			}
			written = true
			client.Close()
		}()
		synctest.Wait()
		if written {
			t.Fatal("640 KiB were written without a reader")
		}
		got, err := io.ReadAll(server)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("read %d bytes, %v, want the %d sent", len(got), err, len(sent))
		}
	})
}

func TestDeadlinesEndReadsAndWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, memnet.New())
		start := time.Now()
		client.SetReadDeadline(start.Add(3 * time.Second))
		_, err := client.Read(make([]byte, 1))
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 3*time.Second {
			t.Errorf("read ended with %v after %v", err, time.Since(start))
		}
		var ne net.Error
		if !errors.As(err, &ne) || !ne.Timeout() {
			t.Errorf("%v is no timeout", err)
		}
		client.SetDeadline(time.Time{})
		mustWrite(t, server, "again")
		mustRead(t, client, "again")

		client.SetWriteDeadline(time.Now().Add(time.Second))
		if n, err := client.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) || n != 256<<10 {
			t.Errorf("write ended with %d, %v", n, err)
		}
	})
}

func TestADeadlineSetWhileReadingEndsTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := pair(t, memnet.New())
		failed := make(chan error, 1)
		go func() {
			_, err := client.Read(make([]byte, 1))
			failed <- err
		}()
		synctest.Wait()
		client.SetReadDeadline(time.Now())
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestCutFailsBothEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memnet.New()
		client, server := pair(t, n)
		mustWrite(t, client, "lost")
		got := make(chan error, 2)
		go func() { _, err := client.Read(make([]byte, 1)); got <- err }()
		synctest.Wait()
		n.CutAll(addr)
		if err := <-got; !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("client: %v", err)
		}
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("server: %v", err)
		}
		if _, err := server.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("server write: %v", err)
		}
		if _, err := n.Dial(t.Context(), "tcp", addr); err != nil {
			t.Errorf("the listener should go on: %v", err)
		}
	})
}

func TestDialIsRefused(t *testing.T) {
	n := memnet.New()
	if _, err := n.Dial(t.Context(), "tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("nobody listens: %v", err)
	}
	client, server := pair(t, n)
	own := errors.New("no way")
	n.Refuse(addr, own)
	if _, err := n.Dial(t.Context(), "tcp", addr); !errors.Is(err, own) {
		t.Errorf("refused: %v", err)
	}
	mustWrite(t, client, "open connections stay")
	mustRead(t, server, "open connections stay")
	n.Refuse(addr, nil)
	if _, err := n.Dial(t.Context(), "tcp", addr); err != nil {
		t.Errorf("allowed again: %v", err)
	}
}

func TestBlackHoleHoldsEverythingAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memnet.New()
		client, server := pair(t, n)
		n.Blackhole(addr, true)
		mustWrite(t, client, "held")
		client.SetReadDeadline(time.Now().Add(30 * time.Second))
		server.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("bytes crossed a black hole: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := n.Dial(ctx, "tcp", addr); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial into a black hole: %v", err)
		}
		dialled := make(chan error, 1)
		go func() {
			c, err := n.Dial(t.Context(), "tcp", addr)
			if err == nil {
				c.Close()
			}
			dialled <- err
		}()
		client.Close()
		synctest.Wait()
		n.Blackhole(addr, false)
		server.SetReadDeadline(time.Time{})
		if got, err := io.ReadAll(server); string(got) != "held" || err != nil {
			t.Errorf("after the hole: %q, %v", got, err)
		}
		if err := <-dialled; err != nil {
			t.Errorf("a waiting dial: %v", err)
		}
	})
}

func TestDelayMovesArrivalAndKeepsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := memnet.New()
		client, server := pair(t, n)
		n.Delay(addr, 200*time.Millisecond)
		start := time.Now()
		mustWrite(t, client, "slow")
		time.Sleep(50 * time.Millisecond)
		n.Delay(addr, 0)
		mustWrite(t, client, "fast")
		client.Close()
		mustRead(t, server, "slow")
		if got := time.Since(start); got != 200*time.Millisecond {
			t.Errorf("arrived after %v", got)
		}
		mustRead(t, server, "fast")
		if _, err := server.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("close: %v", err)
		}
		n.Delay(addr, time.Second)
		start = time.Now()
		c, err := n.Dial(t.Context(), "tcp", addr)
		if err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("dial took %v, %v", time.Since(start), err)
		}
		c.Close()
	})
}

func TestListeners(t *testing.T) {
	n := memnet.New()
	ln, err := n.Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Listen(t.Context(), "tcp", ln.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("second listener: %v", err)
	}
	waiting, err := n.Dial(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	ln.Close()
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept after close: %v", err)
	}
	if _, err := waiting.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("a connection nobody accepted: %v", err)
	}
	if _, err := n.Dial(t.Context(), "tcp", ln.Addr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial after close: %v", err)
	}
	if _, err := n.Listen(t.Context(), "tcp", ln.Addr().String()); err != nil {
		t.Errorf("listen again: %v", err)
	}
	if _, err := n.Listen(t.Context(), "tcp", "host:99999"); err == nil {
		t.Error("port 99999 was taken")
	}
}

func TestRandomWritesArriveWhole(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	client, server := pair(t, memnet.New())
	sent := make([]byte, 3<<20)
	for i := range sent {
		sent[i] = byte(rnd.Uint32())
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+rnd.IntN(9000))
			if _, err := client.Write(rest[:n]); err != nil {
				t.Error(err)
				return
			}
			rest = rest[n:]
		}
		client.Close()
	})
	got, err := io.ReadAll(server)
	wg.Wait()
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes, %v, want the %d sent", len(got), err, len(sent))
	}
}

func BenchmarkPingPong(b *testing.B) {
	n := memnet.New()
	ln, err := n.Listen(b.Context(), "tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	client, err := n.Dial(b.Context(), "tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	server, err := ln.Accept()
	if err != nil {
		b.Fatal(err)
	}
	go io.Copy(server, server)
	buf := make([]byte, 200)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Write(buf); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(client, buf); err != nil {
			b.Fatal(err)
		}
	}
	client.Close()
}
