package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

const broker = "127.0.0.1:10911" // where the embedded one is

// caller is a client on the network of a world.
func (w *world) caller(t testing.TB) *remoting.Client {
	c, stop := startClient(t)(remoting.ClientConfig{Dial: w.net.Dial, Version: protocol.ClientVersion})
	t.Cleanup(stop)
	return c
}

// runtime asks a broker for what is the same for all.
func runtime(t testing.TB, c *remoting.Client, addr string) error {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := c.Call(ctx, addr, &remoting.Command{Code: int32(protocol.GetBrokerRuntimeInfo)})
	return err
}

func TestABrokerThatIsDownLooksLikeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		c, addr := w.caller(t), seenAt(w.proxy)(broker)
		if err := runtime(t, c, addr); err != nil {
			t.Fatal(err)
		}
		if err := w.cluster.StopBroker("broker-a"); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		for range 3 {
			if err := runtime(t, c, addr); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want a connection that ends", err)
			}
		}
		if took := time.Since(before); took > 3*time.Second {
			t.Errorf("it took %v", took)
		}
		come := func() {
			conn, err := w.net.Dial(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Error("somebody speaks")
			}
			conn.Close()
			synctest.Wait()
		}
		for range 3 {
			come()
		}
		if said := w.notices.of(Unreachable); len(said) != 1 || !strings.Contains(said[0], broker) {
			t.Errorf("said %q, want it once", said)
		}
		refused := func() (n int) {
			for _, f := range of[infer.Noted](w.events.list()) {
				if f.Note.Kind == capture.NoteRefused && strings.HasPrefix(f.Note.Text, broker+" can not be reached: ") {
					n++
				}
			}
			return n
		}
		if n := refused(); n != 1 || w.proxy.Stats().Refused < 3 {
			t.Errorf("that the broker can not be reached was recorded %d times within a second", n)
		}
		time.Sleep(refusedEvery)
		come()
		if n := refused(); n != 2 {
			t.Errorf("it was recorded %d times, want it again after a second", n)
		}
		if err := w.cluster.StartBroker("broker-a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // the client waits before it connects again
		if err := runtime(t, c, addr); err != nil {
			t.Error(err)
		}
	})
}

func TestABrokerThatGoesDuringARequestEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		c, addr := w.caller(t), seenAt(w.proxy)(broker)
		w.cluster.Intercept(int32(protocol.GetBrokerRuntimeInfo), func(*embedded.Request) embedded.Verdict {
			go w.net.CutAll(broker)
			return embedded.Drop
		})
		before := time.Now()
		if err := runtime(t, c, addr); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want a connection that ends", err)
		}
		if took := time.Since(before); took > time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		closed := of[infer.Closed](w.events.list())
		called := of[infer.Called](w.events.list())
		if len(closed) != 1 || closed[0].Why != "the server reset the connection" || len(called) != 1 || called[0].Answered {
			t.Errorf("%+v, %+v", closed, called)
		}
	})
}

func TestAnAddressThatIsTheProxysOwnLeadsNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		conn, err := w.net.Dial(t.Context(), "tcp", seenAt(w.proxy)(w.proxy.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("somebody speaks")
		}
		synctest.Wait()
		if said := w.notices.of(Unreachable); len(said) != 1 || !strings.Contains(said[0], errItself.Error()) {
			t.Errorf("said %q", said)
		}
		if s := w.proxy.Stats(); s.Conns > 1 || s.Open != 0 { // the one that it made to itself
			t.Errorf("%+v", s)
		}
	})
}

func TestAnotherNameServerIsAskedWhenOneIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := map[string]int{}
		w := newWorld(t, func(c *Config) {
			c.NameServers = []string{"127.0.0.1:1", realNames, "127.0.0.1:2"}
			dial := c.Dial
			c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
				dials[addr]++
				return dial(ctx, network, addr)
			}
		})
		ask := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			c, stop := startClient(t)(remoting.ClientConfig{Dial: w.net.Dial})
			defer stop()
			_, err := c.Call(ctx, w.proxy.Addr(), &remoting.Command{Code: int32(protocol.GetBrokerClusterInfo)})
			return err
		}
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		if dials["127.0.0.1:1"] != 1 || dials[realNames] != 2 || dials["127.0.0.1:2"] != 0 {
			t.Errorf("%v: want the one that was reached last asked first", dials)
		}
		if said := w.notices.of(Unreachable); len(said) != 0 {
			t.Errorf("said %q of a name server that another one stood in for", said)
		}
		w.net.Refuse(realNames, syscall.ECONNREFUSED)
		if err := ask(); err == nil {
			t.Error("answered by nobody")
		}
		synctest.Wait()
		if said := w.notices.of(Unreachable); len(said) != 1 || strings.Count(said[0], "can not be reached") != 3 {
			t.Errorf("said %q", said)
		}
	})
}

// TestAThousandConnectionsLeaveNothingBehind: the end of the bubble would find a goroutine.
func TestAThousandConnectionsLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		addr := seenAt(w.proxy)(broker)
		ask := frame(t, &remoting.Command{Code: int32(protocol.GetBrokerRuntimeInfo)})
		for i := range 1000 {
			c, err := w.net.Dial(t.Context(), "tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Write(ask[:min(len(ask), 1+i%(len(ask)+20))]); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				synctest.Wait()
			}
			c.Close()
			synctest.Wait()
		}
		s := w.proxy.Stats()
		if s.Conns != 1000 || s.Open != 0 || s.Listeners != 3 {
			t.Errorf("%+v", s)
		}
		e := w.proxy.doors.byAddr[broker]
		if !e.unused() || w.proxy.watch.Waiting() != 0 {
			t.Errorf("%d bytes wait for the observer", w.proxy.watch.Waiting())
		}
		if n := len(of[infer.Closed](w.events.list())); n < 150 {
			t.Errorf("%d connections were seen to end", n)
		}
	})
}

func TestListenersStayWhileTheyAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const quiet, away = "127.0.0.1:777", "127.0.0.1:555"
		ln, err := w.net.Listen(t.Context(), "tcp", quiet)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		to := seenAt(w.proxy)
		used, unused := to(quiet), to(away)
		c, err := w.net.Dial(t.Context(), "tcp", used)
		if err != nil {
			t.Fatal(err)
		}
		listeners := func(after time.Duration, want int64, why string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if s := w.proxy.Stats(); s.Listeners != want {
				t.Errorf("%d listeners, want %d: %s", s.Listeners, want, why)
			}
		}
		listeners(time.Minute, 5, "that of names, those of two brokers and of their VIP channels")
		if got := to(away); got != unused {
			t.Errorf("%s was %s", got, unused)
		}
		listeners(keepUnused-time.Second, 5, "one is named, one is connected to")
		listeners(2*time.Minute, 3, "one is connected to")
		if _, err := w.net.Dial(t.Context(), "tcp", unused); err == nil {
			t.Error("what is not used is still listened for")
		}
		listeners(time.Hour, 3, "one is connected to")
		c.Close()
		listeners(2*time.Minute, 1, "none is used")
	})
}

func TestTheVIPChannelIsTwoPortsBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ln, err := w.net.Listen(t.Context(), "tcp", "127.0.0.1:10909")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		for _, named := range []string{"127.0.0.1:20911", broker, "127.0.0.1:30911"} {
			host, port, err := splitAddr(seenAt(w.proxy)(named), 1)
			if err != nil {
				t.Fatal(err)
			}
			if named != broker {
				continue
			}
			c, err := w.net.Dial(t.Context(), "tcp", net.JoinHostPort(host, fmt.Sprint(port-2)))
			if err != nil {
				t.Fatal(err)
			}
			s, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Write([]byte("vip")); err != nil {
				t.Fatal(err)
			}
			mustRead(t, s, []byte("vip"))
			c.Close()
			s.Close()
		}
	})
}

func TestPortsAreLookedForFromTheFirstOneOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *Config) { c.FirstPort = 20911 })
		for i, want := range []string{"127.0.0.1:20911", "127.0.0.1:20912", "127.0.0.1:20915"} {
			if got := seenAt(w.proxy)(fmt.Sprintf("10.0.0.%d:10911", i)); got != want {
				t.Errorf("broker %d is at %s, want %s", i, got, want)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *Config) { c.FirstPort = 65535 })
		if _, ok := w.proxy.doors.to(w.proxy, "10.0.0.1:1"); !ok {
			t.Error("a port without a VIP channel is not found")
		}
		if _, ok := w.proxy.doors.to(w.proxy, "10.0.0.2:10911"); ok {
			t.Error("two brokers at one port")
		}
		if said := w.notices.of(NotRewritten); len(said) != 1 || !strings.Contains(said[0], "10.0.0.2:10911 past the proxy") {
			t.Errorf("said %q", said)
		}
	})
}

func TestMistakesInTheConfigurationAreAllNamed(t *testing.T) {
	_, err := New(Config{Listen: "here", Advertise: "a\"b", FirstPort: -1})
	for _, want := range []string{`NameServers "": name at least one`, `Listen "here"`, `Advertise "a\"b"`, `FirstPort "-1"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	if _, err := New(Config{NameServers: []string{"x:0", defaultListen}}); err == nil || !strings.Contains(err.Error(), `"x:0"`) || !strings.Contains(err.Error(), "talk to itself") {
		t.Errorf("%v", err)
	}
	p, err := New(Config{NameServers: []string{"127.0.0.1:1"}, Listen: "192.0.2.1:9876"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "192.0.2.1:9876") {
		t.Errorf("%v", err)
	}
}
