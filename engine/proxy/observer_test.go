package proxy

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// watching starts an observer that rests for so long.
func watching(t *testing.T, rest time.Duration) (v *view, seen *events, stop func()) {
	t.Helper()
	seen = &events{}
	p, err := New(Config{NameServers: []string{realNames}, Listen: ourNames, Sink: seen, QueueBytes: 400 << 10})
	if err != nil {
		t.Fatal(err)
	}
	o := p.watch
	o.rest = rest
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := o.run(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	v = o.open(netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort(broker))
	return v, seen, func() { o.end(); <-ended }
}

// show has v see a request of so many bytes.
func show(t *testing.T, v *view, size int) {
	t.Helper()
	b := frame(t, &remoting.Command{Code: int32(protocol.GetBrokerRuntimeInfo), Flag: 2, Body: make([]byte, size)})
	c := &chunk{b: b, size: classes - 1}
	c.refs.Store(1)
	v.data(true, c, 0, len(b))
}

func TestTheObserverRestsUntilAQuarterOfItsQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, seen, stop := watching(t, time.Hour)
		defer stop()
		called := func(want int, why string) {
			t.Helper()
			synctest.Wait()
			if n := len(of[infer.Called](seen.list())); n != want {
				t.Fatalf("%d requests were looked at, want %d: %s", n, want, why)
			}
		}
		start := time.Now()
		show(t, v, 50<<10)
		called(0, "more may come")
		show(t, v, 60<<10)
		called(2, "a quarter of the queue is full")
		show(t, v, 10)
		called(2, "it is nearly empty again")
		if time.Since(start) > 0 {
			t.Error("time has passed")
		}
		time.Sleep(time.Hour)
		called(3, "it has rested")
		for _, e := range seen.list() {
			if !e.At.Equal(start) {
				t.Errorf("%+v is said to be of %v, when it was looked at, and was read at %v", e.Fact, e.At, start)
			}
		}
	})
}

func TestTheEndOfAnObserverWaitsForNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, seen, stop := watching(t, time.Hour)
		start := time.Now()
		show(t, v, 10)
		synctest.Wait()
		stop()
		if n := len(of[infer.Called](seen.list())); n != 1 || time.Since(start) > 0 {
			t.Errorf("%d requests were looked at, after %v", n, time.Since(start))
		}
	})
}
