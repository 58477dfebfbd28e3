package remoting

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// P20: the end of the client races with answers, and nothing is sent on what is closed.
func TestP20StopDuringAPullAnswer(t *testing.T) {
	rounds := 10000
	if testing.Short() {
		rounds = 1000
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		ends := map[bool]int{}
		for round := range rounds {
			c := NewClient(ClientConfig{Dial: r.net.Dial})
			ctx, cancel := context.WithCancel(t.Context())
			ran := make(chan error, 1)
			go func() { ran <- c.Run(ctx) }()
			if round%2 == 0 { // else the connection is still being made
				if _, err := c.Call(ctx, brokerA, &Command{}); err != nil {
					t.Fatal(err)
				}
			}
			if round%10 == 8 {
				cancel() // before any answer can come
			}
			var told atomic.Int32
			var answered atomic.Bool
			for range 2 {
				c.Go(brokerA, &Command{Body: []byte("pull")}, time.Minute, func(a Answer) {
					told.Add(1)
					answered.Store(a.Err == nil)
					if a.Err != nil && !errors.Is(a.Err, ErrClosed) {
						t.Error(a.Err)
					}
				})
			}
			if round%10 == 9 {
				synctest.Wait() // the answers have come
			}
			go cancel()
			if err := <-ran; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			synctest.Wait() // a call made after the end is told of it a moment later
			if n := told.Load(); n != 2 {
				t.Fatalf("round %d: %d calls ended", round, n)
			}
			ends[answered.Load()]++
		}
		if len(ends) != 2 {
			t.Errorf("answered or not: %v; both must have been seen", ends)
		}
	})
}

func TestShutdownEndsEveryCallAndWhatComesAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(context.Context, *Peer, *Command) {}})
		r.net.Blackhole(brokerB, true)
		var got ends
		for range 100 {
			r.client.Go(brokerA, &Command{}, time.Hour, got.done)
			r.client.Go(brokerB, &Command{}, time.Hour, got.done)
			r.client.Go("nobody:1", &Command{}, time.Hour, got.done)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		})
		synctest.Wait()
		start := time.Now()
		r.stop()
		wg.Wait()
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %v", d)
		}
		all := got.all()
		closed := 0
		for _, a := range all {
			if errors.Is(a.Err, ErrClosed) {
				closed++
			}
		}
		if len(all) != 300 || closed != 200 {
			t.Errorf("%d calls ended, %d with ErrClosed", len(all), closed)
		}

		var mu sync.Mutex
		mu.Lock() // a done that ran inside Go would wait for this for ever
		after := make(chan error, 1)
		r.client.Go(brokerA, &Command{}, time.Hour, func(a Answer) {
			mu.Lock()
			defer mu.Unlock()
			after <- a.Err
		})
		mu.Unlock()
		if err := <-after; !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := r.client.OneWay(brokerA, &Command{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		r.client.Forget(brokerA)
	})
}

// The last commit of an offset is a one-way request: it is written before the connection
// is closed.
func TestShutdownWritesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var mu sync.Mutex
		seen := 0
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			mu.Lock()
			defer mu.Unlock()
			seen++
			echo(ctx, p, req)
		}})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			if err := r.client.OneWay(brokerA, &Command{Code: 15, Body: make([]byte, 1000)}); err != nil {
				t.Fatal(err)
			}
		}
		r.stop()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if seen != 1001 {
			t.Errorf("%d of 1001 requests arrived", seen)
		}
	})
}

func TestShutdownDoesNotWaitForASilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		r.net.Blackhole(brokerA, true)
		for range 40 {
			if err := r.client.OneWay(brokerA, &Command{Body: make([]byte, 100<<10)}); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		r.stop()
		if d := time.Since(start); d > flushWithin {
			t.Errorf("it took %v", d)
		}
		r.net.Blackhole(brokerA, false)
	})
}

// P19: two hundred starts and ends, also with calls that never get an answer; a goroutine
// left behind fails the bubble.
func TestP19StartAndStopLeaveNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 0 {
				echo(ctx, p, req)
			}
		}})
		for i := range 200 {
			c := NewClient(ClientConfig{Dial: r.net.Dial})
			ctx, cancel := context.WithCancel(t.Context())
			ran := make(chan error, 1)
			go func() { ran <- c.Run(ctx) }()
			for _, addr := range []string{brokerA, brokerB, "nobody:1"} {
				c.Go(addr, &Command{Code: int32(i % 2)}, time.Hour, func(Answer) {})
			}
			time.Sleep(time.Duration(i) * time.Millisecond)
			cancel()
			if err := <-ran; err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestDoneThatPanicsEndsTheClientWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		c := NewClient(ClientConfig{Dial: r.net.Dial})
		ran := make(chan error, 1)
		go func() { ran <- c.Run(t.Context()) }()
		var others ends
		c.Go(brokerB, &Command{}, time.Hour, func(Answer) {})
		c.Go(brokerA, &Command{}, time.Hour, func(Answer) { panic("a bug") })
		c.Go(brokerA, &Command{}, time.Hour, others.done)
		if err := <-ran; err == nil || fmt.Sprint(err) == "" {
			t.Error("the bug went unnoticed")
		}
		if all := others.all(); len(all) != 1 {
			t.Errorf("%d other calls ended", len(all))
		}
	})
}
