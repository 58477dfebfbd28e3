package tap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/tap"
	"mqscope/engine/clock"
	"mqscope/engine/memnet"
	"mqscope/engine/remoting"
)

// rig is a tap before a server in memory that answers each request with its own fields.
type rig struct {
	t       *testing.T
	tap     *tap.Tap
	network *memnet.Network
	end     func()

	mu     sync.Mutex
	events []infer.Event
}

func newRig(t *testing.T, room int) *rig {
	t.Helper()
	r := &rig{t: t, network: memnet.New()}
	r.tap = tap.New(clock.System{}, room, func(e infer.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events = append(r.events, e)
	})
	ln, err := r.network.Listen(t.Context(), "tcp", "10.0.0.1:10911")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	r.end = func() { _ = ln.Close() }
	return r
}

func (r *rig) run() (wait func()) {
	done := make(chan error, 1)
	go func() { done <- r.tap.Run(r.t.Context()) }()
	return func() {
		r.tap.End()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
		r.end()
	}
}

func (r *rig) dial() net.Conn {
	r.t.Helper()
	c, err := r.tap.Dial(r.network.Dial)(r.t.Context(), "tcp", "10.0.0.1:10911")
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// said is what was concluded, a word an event.
func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var words []string
	for _, e := range r.events {
		words = append(words, strings.TrimPrefix(fmt.Sprintf("%T", e.Fact), "infer."))
	}
	return strings.Join(words, " ")
}

// frame is a one-way request, so that the echo is one too.
func frame(t *testing.T, n int) []byte {
	t.Helper()
	b, err := remoting.AppendFrame(nil, &remoting.Command{Code: 35, Opaque: int32(n), Flag: 2, Body: make([]byte, n)}, remoting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestATapChangesNothingThatIsCarried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1<<20)
		wait := r.run()
		c := r.dial()
		for n := range 100 {
			sent := frame(t, n*17)
			if _, err := c.Write(sent); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(c, got); err != nil || string(got) != string(sent) {
				t.Fatalf("%v, %d bytes are not what was sent", err, len(got))
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_ = c.Close()
		time.Sleep(time.Second)
		if said := r.said(); !strings.HasPrefix(said, "Opened ") || strings.Count(said, "Closed") != 1 || strings.Contains(said, "Noted") {
			t.Errorf("concluded %s", said)
		}
		open := r.dial()
		_, _ = open.Write(frame(t, 10)) // what is carried up to the end is seen
		wait()
		_ = open.Close()
		if said := r.said(); strings.Count(said, "Opened") != 2 || !strings.HasSuffix(said, "Opened Unreadable Closed") {
			t.Errorf("in the end concluded %s", said)
		}
	})
}

// TestATapMarksWhatItHadNoRoomFor, and goes on behind it; nobody waits for it.
func TestATapMarksWhatItHadNoRoomFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4096)
		c := r.dial()
		for range 50 { // nobody looks yet
			sent := frame(t, 300)
			_, _ = c.Write(sent)
			if _, err := io.ReadFull(c, make([]byte, len(sent))); err != nil {
				t.Fatal(err)
			}
		}
		wait := r.run()
		time.Sleep(time.Second)
		before := r.said()
		sent := frame(t, 10)
		for range 3 {
			_, _ = c.Write(sent)
			_, _ = io.ReadFull(c, make([]byte, len(sent)))
			time.Sleep(time.Second)
		}
		after := strings.TrimPrefix(r.said(), before)
		if strings.Contains(before, "Noted") || !strings.Contains(after, "Noted") {
			t.Errorf("before %q, then %q: where bytes are missing is not marked", before, after)
		}
		_ = c.Close()
		wait()
	})
}

func TestATapTellsOfNoConnectionThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 4096)
		wait := r.run()
		boom := errors.New("boom")
		_, err := r.tap.Dial(func(context.Context, string, string) (net.Conn, error) { return nil, boom })(t.Context(), "tcp", "x:1")
		if !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
		wait()
		if said := r.said(); said != "" {
			t.Errorf("concluded %s", said)
		}
	})
}

// TestATapThatFailsHoldsNobodyUp: of a sink that panics the owner hears, connections go on.
func TestATapThatFailsHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1<<20)
		broken := tap.New(clock.System{}, 1<<20, func(infer.Event) { panic("boom") })
		r.tap = broken
		done := make(chan error, 1)
		go func() { done <- broken.Run(t.Context()) }()
		c := r.dial()
		for range 10 {
			sent := frame(t, 100)
			_, _ = c.Write(sent)
			if _, err := io.ReadFull(c, make([]byte, len(sent))); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.Close()
		if err := <-done; err == nil || !strings.Contains(err.Error(), "boom") {
			t.Errorf("it ends with %v", err)
		}
		r.end()
	})
}
