package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/remoting"
)

func TestEndsArePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		half := frame(t, &remoting.Command{Code: 105})[:11]
		if _, err := e.client.Write(half); err != nil {
			t.Fatal(err)
		}
		e.client.Close()
		if got, err := io.ReadAll(e.server); err != nil || !bytes.Equal(got, half) {
			t.Errorf("%q, %v: want what came of the frame", got, err)
		}
		synctest.Wait()
		if s := e.proxy.Stats(); s.Open != 0 {
			t.Errorf("%+v", s)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		if _, err := e.client.Write(frame(t, &remoting.Command{Code: 105, Opaque: 1})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		route := frame(t, &remoting.Command{Flag: 1, Opaque: 1, Body: []byte(`{"brokerDatas":[]}`)})
		if _, err := e.server.Write(route[:len(route)-2]); err != nil {
			t.Fatal(err)
		}
		e.server.Close()
		if got, err := io.ReadAll(e.client); err != nil || !bytes.Equal(got, route[:len(route)-2]) {
			t.Errorf("%q, %v: want what came of the answer", got, err)
		}
		closed := func() []infer.Closed { synctest.Wait(); return of[infer.Closed](e.events.list()) }
		if c := closed(); len(c) != 1 || c[0].Why != "the server closed the connection" {
			t.Errorf("%+v", c)
		}
	})
}

// TestAHalfClosedConnectionGoesOnTheOtherWay needs TCP: a network in memory knows no half.
func TestAHalfClosedConnectionGoesOnTheOtherWay(t *testing.T) {
	client, server := overTCP(t)
	b := frame(t, &remoting.Command{Code: 11})
	if _, err := client.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(server); err != nil || !bytes.Equal(got, b) {
		t.Fatalf("%q, %v", got, err)
	}
	for range 3 {
		if _, err := server.Write(b); err != nil {
			t.Fatal(err)
		}
		mustRead(t, client, b)
	}
	server.Close()
	if got, err := io.ReadAll(client); len(got) != 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAResetIsPassedOn(t *testing.T) {
	for name, who := range map[string]func(client, server *net.TCPConn) (resets, sees *net.TCPConn){
		"by the server": func(c, s *net.TCPConn) (*net.TCPConn, *net.TCPConn) { return s, c },
		"by the client": func(c, s *net.TCPConn) (*net.TCPConn, *net.TCPConn) { return c, s },
	} {
		t.Run(name, func(t *testing.T) {
			resets, sees := who(overTCP(t))
			if err := resets.SetLinger(0); err != nil {
				t.Fatal(err)
			}
			resets.Close()
			if _, err := sees.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("%v, want a reset", err)
			}
		})
	}
}

// overTCP is between on the loopback device.
func overTCP(t *testing.T) (client, server *net.TCPConn) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	p, err := New(Config{NameServers: []string{ln.Addr().String()}, Listen: "127.0.0.1:0", Sink: &events{}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, p.Run)
	<-p.Ready()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	within := time.Now().Add(20 * time.Second) // a hang fails
	_, _ = c.SetDeadline(within), s.SetDeadline(within)
	return c.(*net.TCPConn), s.(*net.TCPConn)
}

// halfClosed is a connection to a server that does not care that nothing more will come.
type halfClosed struct{ net.Conn }

func (halfClosed) CloseWrite() error { return nil }

func TestAHalfOpenConnectionEndsWhenItIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t, func(c *Config) {
			dial := c.Dial
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := dial(ctx, network, addr)
				return halfClosed{conn}, err
			}
		})
		open := func(after time.Duration, want int64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if n := e.proxy.Stats().Open; n != want {
				t.Errorf("%d connections are open, want %d", n, want)
			}
		}
		e.client.Close()
		open(halfOpenFor-time.Second, 1)
		open(2*time.Second, 0)
	})
}

// TestWhatAServerSentBeforeItWentArrives though something that is sent to it fails meanwhile.
func TestWhatAServerSentBeforeItWentArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		all := frame(t, &remoting.Command{Flag: 1, Body: make([]byte, 500<<10)}) // more than is on its way to a client that does not read
		go func() {
			_, _ = e.server.Write(all)
			e.server.Close()
		}()
		synctest.Wait()
		for range 2 { // the first may still be on its way when the server goes
			_, _ = e.client.Write(frame(t, &remoting.Command{Code: 11}))
			synctest.Wait()
		}
		if got, err := io.ReadAll(e.client); err != nil || !bytes.Equal(got, all) {
			t.Errorf("%d bytes of %d arrived: %v", len(got), len(all), err)
		}
	})
}
