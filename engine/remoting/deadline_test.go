package remoting

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		answers := make(chan func(), 10)
		r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
			answers <- func() { p.Reply(req, &Command{}) }
		}})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		start := time.Now()
		_, err := r.client.Call(ctx, brokerA, &Command{})
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrTimeout) || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		(<-answers)()
		synctest.Wait()
		if n := r.client.Stats().LateAnswers; n != 1 {
			t.Errorf("%d late answers", n)
		}

		start = time.Now()
		ctx, cancel = context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		if _, err = r.client.Call(ctx, brokerA, &Command{}); !errors.Is(err, ErrTimeout) || time.Since(start) != 700*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if _, err = r.client.Call(ctx, brokerA, &Command{}); !errors.Is(err, ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with an ended context: %v", err)
		}
		start = time.Now()
		if _, err = r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrTimeout) || time.Since(start) != 3*time.Second {
			t.Errorf("without a deadline after %v: %v", time.Since(start), err)
		}
	})
}

func TestDeadlinesEndCallsOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{DeadAfter: time.Hour})
		r.serve(brokerA, ServerConfig{Handler: func(context.Context, *Peer, *Command) {}})
		start := time.Now()
		var mu sync.Mutex
		for _, ms := range []int{900, 100, 500, 300, 2000, 100} {
			d := time.Duration(ms) * time.Millisecond
			r.client.Go(brokerA, &Command{}, d, func(a Answer) {
				mu.Lock()
				defer mu.Unlock()
				if !errors.Is(a.Err, ErrTimeout) || a.Took != d || time.Since(start) != d {
					t.Errorf("%v: after %v, took %v: %v", d, time.Since(start), a.Took, a.Err)
				}
			})
		}
		synctest.Wait()
		if s := r.client.States()[0]; s.InFlight != 6 || !s.Up {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Second)
		if s := r.client.States()[0]; s.InFlight != 1 || s.OldestCall != time.Second {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s := r.client.States()[0]; s.InFlight != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestIdleConnectionIsClosedAndComesBackWhenAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var mu sync.Mutex
		conns, gone := 0, 0
		counts := func() (int, int) {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return conns, gone
		}
		r.serve(brokerA, ServerConfig{IdleAfter: time.Hour, OnClose: func(*Peer) {
			mu.Lock()
			defer mu.Unlock()
			gone++
		}, Handler: func(ctx context.Context, p *Peer, req *Command) {
			mu.Lock()
			conns = int(p.ID())
			mu.Unlock()
			if req.Code == 1 {
				return // the call that is in flight for long
			}
			echo(ctx, p, req)
		}})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(119 * time.Second)
		if _, gone := counts(); gone != 0 || len(r.client.States()) != 1 {
			t.Fatal("closed before its time")
		}
		time.Sleep(2 * time.Second)
		if _, gone := counts(); gone != 1 || len(r.client.States()) != 0 {
			t.Fatalf("%d connections closed; %+v", gone, r.client.States())
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		if conns, _ := counts(); conns != 2 {
			t.Fatalf("on connection %d", conns)
		}
		r.client.Go(brokerA, &Command{Code: 1}, 10*time.Minute, func(Answer) {})
		time.Sleep(5 * time.Minute)
		if _, gone := counts(); gone != 1 || r.client.States()[0].InFlight != 1 {
			t.Errorf("closed with a call in flight")
		}
	})
}

// A request at the very moment that its connection goes idle is not lost.
func TestRequestMeetsTheIdleClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{IdleAfter: time.Second})
		r.serve(brokerA, ServerConfig{Handler: echo})
		var got ends
		for range 50 {
			for range 4 {
				go r.client.Go(brokerA, &Command{}, 5*time.Second, got.done)
			}
			time.Sleep(time.Second)
		}
		for _, a := range got.all() {
			if a.Err != nil {
				t.Fatal(a.Err)
			}
		}
		if len(got.list) != 200 {
			t.Errorf("%d calls ended", len(got.list))
		}
	})
}
