package remoting

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestFN1RefusedAddressIsDialledAgainOnSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		var mu sync.Mutex
		var dials []time.Time
		r = newRig(t, ClientConfig{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr == brokerA {
				mu.Lock()
				dials = append(dials, time.Now())
				mu.Unlock()
			}
			return r.net.Dial(ctx, network, addr)
		}})
		r.serve(brokerB, ServerConfig{Handler: echo})
		start := time.Now()
		_, err := r.client.Call(t.Context(), brokerA, &Command{})
		if !errors.Is(err, ErrUnreachable) || !errors.Is(err, syscall.ECONNREFUSED) || time.Since(start) != 0 {
			t.Fatalf("after %v: %v", time.Since(start), err)
		}
		synctest.Wait()
		for range 100 {
			_, err := r.client.Call(t.Context(), brokerA, &Command{})
			u, ok := errors.AsType[*UnreachableError](err)
			if !ok || !errors.Is(err, syscall.ECONNREFUSED) || !u.RetryAt.After(time.Now()) || u.RetryAt.After(time.Now().Add(900*time.Millisecond)) {
				t.Fatalf("while waiting for the next try: %v", err)
			}
			if !strings.Contains(err.Error(), "broker-a:10911 is unreachable (next try at") {
				t.Errorf("it says %q", err)
			}
			if s := r.client.States()[0]; s.Up || s.Err == nil || !s.RetryAt.Equal(u.RetryAt) {
				t.Fatalf("%+v", s)
			}
			if _, err := r.client.Call(t.Context(), brokerB, &Command{}); err != nil {
				t.Fatalf("the other broker: %v", err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		mu.Lock()
		if n := len(dials); n < 12 || n > 22 {
			t.Errorf("%d dials in 10 s", n)
		}
		differ := false
		for i := 1; i < len(dials); i++ {
			got, want := dials[i].Sub(dials[i-1]), min(50*time.Millisecond<<(i-1), 750*time.Millisecond)
			if got < want*8/10 || got > want*12/10 {
				t.Errorf("wait %d is %v, want %v give or take a fifth", i, got, want)
			}
			differ = differ || got != want
		}
		mu.Unlock()
		if !differ {
			t.Error("no jitter")
		}

		r.serve(brokerA, ServerConfig{Handler: echo})
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if s := r.client.States()[0]; !s.Up || s.Err != nil {
			t.Errorf("once it listens: %+v", s)
		}
	})
}

func TestFN1BlackHoledAddressCostsOneConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.net.Blackhole(brokerA, true)
		start := time.Now()
		var short, long ends
		r.client.Go(brokerA, &Command{}, time.Second, short.done)
		r.client.Go(brokerA, &Command{}, time.Minute, long.done)
		time.Sleep(time.Second)
		if all := short.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrTimeout) {
			t.Errorf("a call waits for the dial no longer than its own time: %v", all)
		}
		time.Sleep(2 * time.Second)
		all := long.all()
		if len(all) != 1 || !errors.Is(all[0].Err, ErrUnreachable) || all[0].Took != 3*time.Second || !strings.Contains(all[0].Err.Error(), "firewall") {
			t.Errorf("after %v: %v", time.Since(start), all)
		}
		// While it is being dialled again, requests do not wait for that.
		time.Sleep(500 * time.Millisecond)
		at := time.Now()
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrUnreachable) || time.Since(at) != 0 {
			t.Errorf("after %v: %v", time.Since(at), err)
		}
	})
}

func TestUnwantedAddressIsNoLongerDialled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err == nil {
			t.Fatal("nobody listens")
		}
		time.Sleep(119 * time.Second)
		if s := r.client.States(); len(s) != 1 {
			t.Errorf("%+v", s)
		}
		time.Sleep(3 * time.Second)
		if s := r.client.States(); len(s) != 0 {
			t.Errorf("%+v", s)
		}
		r.serve(brokerA, ServerConfig{Handler: echo})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Errorf("a new request dials at once: %v", err)
		}
	})
}
