package observer_test

import (
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/observer"
	"mqscope/engine/clock"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

var client, server = netip.MustParseAddrPort("127.0.0.1:40000"), netip.MustParseAddrPort("127.0.0.1:10911")

// rig is an observer that runs.
type rig struct {
	*observer.Observer
	t    *testing.T
	stop func()

	mu     sync.Mutex
	events []infer.Event
	missed int
}

func watching(t *testing.T, cfg observer.Config) *rig {
	t.Helper()
	r := &rig{t: t}
	cfg.Clock = clock.System{}
	cfg.Sink = func(events []infer.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, events...)
	}
	cfg.Missed = func(n int) { r.missed += n }
	r.Observer = observer.New(cfg)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(t.Context()) }()
	r.stop = func() {
		r.End()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return r
}

// of are the events that say a T.
func of[T infer.Fact](r *rig) (list []infer.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if _, ok := e.Fact.(T); ok {
			list = append(list, e)
		}
	}
	return list
}

// lent counts how often it is held.
type lent struct{ held int }

func (l *lent) Hold()    { l.held++ }
func (l *lent) Release() { l.held-- }

// frame is a request of so many bytes.
func frame(t *testing.T, size int) []byte {
	t.Helper()
	b, err := remoting.AppendFrame(nil, &remoting.Command{Code: int32(protocol.GetBrokerRuntimeInfo), Flag: 2, Body: make([]byte, size)}, remoting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTheObserverRestsUntilAQuarterOfItsQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := watching(t, observer.Config{QueueBytes: 400 << 10, Rest: time.Hour})
		defer r.stop()
		v := r.Open(client, server)
		called := func(want int, why string) {
			t.Helper()
			synctest.Wait()
			if n := len(of[infer.Called](r)); n != want {
				t.Fatalf("%d requests were looked at, want %d: %s", n, want, why)
			}
		}
		start := time.Now()
		v.Data(false, frame(t, 50<<10), nil)
		called(0, "more may come")
		v.Data(false, frame(t, 60<<10), nil)
		called(2, "a quarter of the queue is full")
		v.Data(false, frame(t, 10), nil)
		called(2, "it is nearly empty again")
		if time.Since(start) > 0 {
			t.Error("time has passed")
		}
		time.Sleep(time.Hour)
		called(3, "it has rested")
		for _, e := range of[infer.Called](r) {
			if !e.At.Equal(start) {
				t.Errorf("%+v is said to be of %v, when it was looked at, and was read at %v", e.Fact, e.At, start)
			}
		}
	})
}

func TestTheEndOfAnObserverWaitsForNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := watching(t, observer.Config{QueueBytes: 1 << 20, Rest: time.Hour})
		start := time.Now()
		r.Open(client, server).Data(false, frame(t, 10), nil)
		synctest.Wait()
		r.stop()
		if n := len(of[infer.Called](r)); n != 1 || time.Since(start) > 0 {
			t.Errorf("%d requests were looked at, after %v", n, time.Since(start))
		}
	})
}

// TestAConnectionWithoutRoomForItsBeginningIsNotSeen, also when there is room again, but where each
// beginning has room: then what is missing is a gap. What was lent is given back either way.
func TestAConnectionWithoutRoomForItsBeginningIsNotSeen(t *testing.T) {
	for _, always := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b, l := frame(t, 100), &lent{}
			r := watching(t, observer.Config{QueueBytes: 2*observer.EntryCost + len(b), AlwaysOpen: always, Rest: time.Second})
			first := r.Open(client, server)
			first.Data(false, b, l) // nothing more has room
			second := r.Open(netip.MustParseAddrPort("127.0.0.1:40001"), server)
			second.Data(false, b, l)
			if l.held != 1 || r.missed != len(b) {
				t.Errorf("held %d times, %d bytes missed", l.held, r.missed)
			}
			first.Close("closed")
			time.Sleep(2 * time.Second)
			for range 3 {
				second.Data(false, b, l)
				time.Sleep(2 * time.Second)
			}
			second.Close("closed")
			r.stop()
			opens, notes := 1, 0
			if always {
				opens, notes = 2, 1
			}
			if len(of[infer.Opened](r)) != opens || len(of[infer.Closed](r)) != opens || len(of[infer.Noted](r)) < notes || l.held != 0 || r.Waiting() > observer.EntryCost {
				t.Errorf("always %v: held %d times, %d bytes wait, concluded %+v", always, l.held, r.Waiting(), r.events)
			}
		})
	}
}
