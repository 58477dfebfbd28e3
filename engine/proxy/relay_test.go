package proxy

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/observer"
	"mqscope/engine/memnet"
	"mqscope/engine/remoting"
)

// ends are what stands at both ends of a proxy: a client's connection, and a server that is the
// test.
type ends struct {
	*world
	client, server net.Conn
}

// between starts a proxy before a server that does nothing, and connects to it.
func between(t testing.TB, change ...func(*Config)) *ends {
	t.Helper()
	w := &world{net: memnet.New(), events: &events{}, notices: &notices{}}
	ln, err := w.net.Listen(t.Context(), "tcp", realNames)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	w.start(t, change...)
	client, err := w.net.Dial(t.Context(), "tcp", ourNames)
	if err != nil {
		t.Fatal(err)
	}
	server, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return &ends{w, client, server}
}

func frame(t testing.TB, c *remoting.Command) []byte {
	t.Helper()
	b, err := remoting.AppendFrame(nil, c, remoting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// frames makes n frames of both encodings whose answers have no addresses.
func frames(t testing.TB, rnd *rand.Rand, n int, flag int32) (all []byte) {
	for i := range n {
		c := &remoting.Command{Code: 11, Opaque: int32(i), Flag: flag, Remark: strings.Repeat("r", rnd.IntN(20)), Serialize: remoting.SerializeType(rnd.IntN(2))}
		for range rnd.IntN(20) {
			c.Fields = append(c.Fields, remoting.Field{Key: "key", Value: strings.Repeat("v", rnd.IntN(300))})
		}
		c.Body = make([]byte, rnd.IntN(100)*rnd.IntN(2000))
		for j := range c.Body {
			c.Body[j] = byte(rnd.Uint32())
		}
		all = append(all, frame(t, c)...)
	}
	return all
}

// send writes b in pieces of any size and ends the connection.
func send(t testing.TB, c net.Conn, b []byte, rnd *rand.Rand) {
	for len(b) > 0 {
		n := min(len(b), 1+rnd.IntN(1<<rnd.IntN(17)))
		if _, err := c.Write(b[:n]); err != nil {
			t.Error(err)
			return
		}
		b = b[n:]
	}
}

func TestFramesPassByteForByteInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		rnd := rand.New(rand.NewPCG(1, 2))
		up, down := frames(t, rnd, 200, 0), frames(t, rnd, 200, 1)
		go send(t, e.client, up, rand.New(rand.NewPCG(3, 4)))
		go send(t, e.server, down, rand.New(rand.NewPCG(5, 6)))
		for _, c := range []struct {
			conn net.Conn
			want []byte
		}{{e.server, up}, {e.client, down}} {
			got := make([]byte, len(c.want))
			if _, err := io.ReadFull(c.conn, got); err != nil || !bytes.Equal(got, c.want) {
				t.Fatalf("other bytes: %v", err)
			}
		}
		synctest.Wait()
		s := e.proxy.Stats()
		if s.FromClients != (Flow{200, int64(len(up))}) || s.FromServers != (Flow{200, int64(len(down))}) || s.Unseen != 0 {
			t.Errorf("%+v", s)
		}
		if n := len(of[infer.PullDone](e.events.list())) + len(of[infer.Unreadable](e.events.list())); n < 200 {
			t.Errorf("%d pulls were seen", n)
		}
	})
}

// TestAnAnswerIsHeldBackNoLongerThanItsFrame: what is not to be rewritten goes on as it comes.
func TestBytesGoOnAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		b := frame(t, &remoting.Command{Code: 11, Body: make([]byte, 1000)})
		for _, part := range [][]byte{b[:len(b)-1], b[len(b)-1:]} {
			if _, err := e.client.Write(part); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(part))
			if _, err := io.ReadFull(e.server, got); err != nil || !bytes.Equal(got, part) {
				t.Fatalf("%v", err)
			}
		}
	})
}

func TestRoutesAreRewrittenAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t, func(c *Config) { c.Advertise = "proxy.example" })
		ask := func(code, opaque, flag int32) []byte {
			return frame(t, &remoting.Command{Code: code, Opaque: opaque, Flag: flag, Serialize: remoting.SerializeType(opaque % 2)})
		}
		const body = `{"brokerDatas":[{"brokerAddrs":{0:"10.1.2.3:10911",1:"10.1.2.4:10911"},"brokerName":"b"}]}`
		answer := func(code, opaque, flag int32) []byte {
			return frame(t, &remoting.Command{Code: code, Opaque: opaque, Flag: flag, Body: []byte(body), Serialize: remoting.SerializeType(opaque % 2)})
		}
		for _, c := range []struct {
			name          string
			asked, answer []byte
			changes       bool
		}{
			{"a route", ask(105, 1, 0), answer(0, 1, 1), true},
			{"a route, binary", ask(105, 2, 0), answer(0, 2, 1), true},
			{"another number", ask(105, 3, 0), answer(0, 99, 1), false},
			{"the number of before", ask(11, 4, 0), answer(0, 3, 1), true},
			{"an error", ask(105, 5, 0), answer(17, 5, 1), false},
			{"a request of the server", ask(105, 6, 0), answer(0, 6, 0), false},
			{"its answer at last", ask(11, 7, 0), answer(0, 6, 1), true},
			{"another request", ask(11, 8, 0), answer(0, 8, 1), false},
			{"a one-way request", ask(105, 9, 2), answer(0, 9, 1), false},
			{"an answer of the client", ask(105, 10, 1), answer(0, 10, 1), false},
			{"a number that a route had before", ask(11, 1, 0), answer(0, 1, 1), false},
		} {
			if _, err := e.client.Write(c.asked); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, c.asked)
			if _, err := e.server.Write(c.answer); err != nil {
				t.Fatal(err)
			}
			want := c.answer
			if c.changes {
				first, _ := e.proxy.doors.to(e.proxy, "10.1.2.3:10911")
				second, _ := e.proxy.doors.to(e.proxy, "10.1.2.4:10911")
				cmd, err := remoting.DecodeFrame(c.answer[4:], remoting.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				cmd.Body = []byte(strings.NewReplacer("10.1.2.3:10911", "proxy.example:"+first, "10.1.2.4:10911", "proxy.example:"+second).Replace(body))
				want = frame(t, cmd)
			}
			t.Log(c.name)
			mustRead(t, e.client, want)
		}
	})
}

func mustRead(t testing.TB, c net.Conn, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v\n got %q\nwant %q", err, got[:n], want)
	}
}

func TestWhatIsNoFramePassesUnreadAndIsSaid(t *testing.T) {
	for _, c := range []struct{ name, up, down, want string }{
		{"TLS", "\x16\x03\x01\x00\x05hello", "\x16\x03\x03\x00\x05hello", "speaks TLS"},
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "no RocketMQ frame"},
		{"a length of nothing", "\x00\x00\x00\x00\x00\x00\x00\x00", "x", "no RocketMQ frame"},
		{"a header longer than the frame", "\x00\x00\x00\x08\x00\x00\x00\x09abcd", "", "no RocketMQ frame"},
		{"another header type", "\x00\x00\x00\x08\x07\x00\x00\x01abcd", "", "no RocketMQ frame"},
		{"a frame of 16 MiB", "\x01\x00\x00\x00", "", "no RocketMQ frame"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := between(t)
				for range 3 {
					if _, err := e.client.Write([]byte(c.up)); err != nil {
						t.Fatal(err)
					}
					mustRead(t, e.server, []byte(c.up))
					if _, err := e.server.Write([]byte(c.down)); err != nil {
						t.Fatal(err)
					}
					mustRead(t, e.client, []byte(c.down))
				}
				if said := e.notices.of(PassedBlindly); len(said) != 1 || !strings.Contains(said[0], c.want) {
					t.Errorf("said %q", said)
				}
			})
		})
	}
}

// TestASlowClientHoldsUpItsServerAndNothingGrows: with a client that does not read, the server can
// write what the network and one buffer of the proxy hold, and no more.
func TestASlowClientHoldsUpItsServerAndNothingGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t)
		b := frame(t, &remoting.Command{Code: 0, Flag: 1, Body: make([]byte, 30<<10)})
		written := 0
		go func() {
			for range 2000 {
				n, err := e.server.Write(b)
				if written += n; err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if most := 2*256<<10 + classBytes(classes-1) + len(b); written > most {
			t.Errorf("%d bytes were taken, want at most %d", written, most)
		}
		if e.proxy.watch.Waiting() > 2*observer.EntryCost {
			t.Errorf("%d bytes wait for the observer", e.proxy.watch.Waiting())
		}
		if _, err := io.CopyN(io.Discard, e.client, int64(2000*len(b))); err != nil {
			t.Error(err)
		}
	})
}
