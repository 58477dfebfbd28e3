package proxy

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/memnet"
	"mqscope/engine/remoting"
)

// FuzzRelay sends any bytes both ways, with names that stay as they are: they arrive as they are,
// and nothing stands still.
func FuzzRelay(f *testing.F) {
	route := frame(f, &remoting.Command{Flag: 1, Opaque: 1, Body: []byte(`{"brokerDatas":[{"brokerAddrs":{0:"h:1"}}]}`)})
	asked := frame(f, &remoting.Command{Code: 105, Opaque: 1})
	f.Add(asked, route, uint64(1))
	f.Add(frame(f, &remoting.Command{Code: 105, Opaque: 1, Serialize: remoting.RocketMQ}), route[:len(route)-3], uint64(2))
	f.Add(append(asked, "\x16\x03"...), append(route, route...), uint64(3))
	f.Add([]byte("GET / HTTP/1.1"), []byte{0, 0, 0}, uint64(4))
	f.Add([]byte{0, 0, 0, 40, 0, 0, 0, 36, '{', '"', 'c', 'o', 'd', 'e', '"', ':'}, []byte{0, 0, 1, 0, 0, 0, 0, 200}, uint64(5))
	f.Fuzz(func(t *testing.T, up, down []byte, seed uint64) {
		network := memnet.New()
		near, far := pairOf(t, network, "a:1")
		out, in := pairOf(t, network, "b:1")
		p := &Proxy{cfg: Config{QueueBytes: 1 << 20, Sink: &events{}}, doors: newDoors(), said: map[string]time.Time{}}
		p.cfg.fill()
		p.watch = newObserver(p, 0)
		watching := run(t, func(ctx context.Context) error { return p.look(ctx) })
		l := &link{proxy: p, client: far, server: out, rename: func(a string) (string, bool) { return a, true }, view: p.watch.Open(capture.AddrOf(near.RemoteAddr()), capture.AddrOf(out.RemoteAddr()))}
		over := run(t, l.run)
		rnd := rand.New(rand.NewPCG(seed, 1))
		got := make(chan []byte, 1)
		send(t, near, up, rnd)
		mustRead(t, in, up[:passes(up)])
		go func() {
			b := make([]byte, len(down))
			n, _ := io.ReadFull(near, b)
			got <- b[:n]
		}()
		send(t, in, down, rnd)
		in.Close()
		if b := <-got; !bytes.Equal(b, down) {
			t.Errorf("\n got %q\nwant %q", b, down)
		}
		near.Close()
		over()
		p.watch.End()
		watching()
	})
}

// passes is how many bytes of up go on before more of it come: all but the start of a frame.
func passes(up []byte) int {
	pos := 0
	for pos < len(up) {
		o, ok := outlineOf(up[pos:])
		switch {
		case !ok:
			return len(up)
		case o.size == 0, o.header <= maxHeader && len(up) < pos+prefix+o.header:
			return pos
		}
		pos += o.size
	}
	return len(up)
}

// pairOf connects both ends of a connection.
func pairOf(t *testing.T, n *memnet.Network, addr string) (near, far net.Conn) {
	ln, err := n.Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if near, err = n.Dial(t.Context(), "tcp", addr); err != nil {
		t.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	return near, far
}
