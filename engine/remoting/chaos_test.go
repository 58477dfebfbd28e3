package remoting

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Each call ends exactly once, whatever happens to its connection, and with its own answer.
func TestS2EachCallEndsOnceUnderFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{IdleAfter: 700 * time.Millisecond, Limits: Limits{Calls: 64}})
		addrs := []string{brokerA, brokerB}
		for _, addr := range addrs {
			r.serve(addr, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
				switch req.Opaque % 5 {
				case 0: // no answer
				case 1:
					time.AfterFunc(300*time.Millisecond, func() { p.Reply(req, &Command{Body: req.Body}) })
				case 2:
					p.Reply(req, &Command{Body: req.Body})
					p.Reply(req, &Command{Body: []byte("again")})
				default:
					p.Reply(req, &Command{Body: req.Body})
				}
			}})
		}
		var mu sync.Mutex
		told := map[int]int{}
		kinds := map[string]int{}
		var faults sync.WaitGroup
		faults.Go(func() {
			for i := range 120 {
				time.Sleep(83 * time.Millisecond)
				switch addr := addrs[i%2]; i % 7 {
				case 0, 1:
					r.net.CutAll(addr)
				case 2:
					r.net.Refuse(addr, syscall.ECONNREFUSED)
				case 3:
					r.net.Refuse(addr, nil)
				case 4:
					r.net.Blackhole(addr, true)
				case 5:
					r.net.Blackhole(addr, false)
				case 6:
					r.client.Forget(addr)
				}
			}
			for _, addr := range addrs {
				r.net.Refuse(addr, nil)
				r.net.Blackhole(addr, false)
			}
		})
		calls := 20000
		for i := range calls {
			body := fmt.Sprint(i)
			r.client.Go(addrs[i%2], &Command{Body: []byte(body)}, 100*time.Millisecond+time.Duration(i%977)*time.Millisecond, func(a Answer) {
				kind := "answered"
				if a.Err == nil && string(a.Cmd.Body) != body {
					t.Errorf("call %s got the answer of %s", body, a.Cmd.Body)
				}
				for _, err := range []error{ErrBusy, ErrClosed, ErrLost, ErrTimeout, ErrUnreachable} {
					if errors.Is(a.Err, err) {
						kind = err.Error()
					}
				}
				if a.Err != nil && kind == "answered" {
					t.Errorf("call %s: %v", body, a.Err)
				}
				mu.Lock()
				defer mu.Unlock()
				told[i]++
				kinds[kind]++
			})
			if i%4 == 0 {
				time.Sleep(2 * time.Millisecond)
			}
		}
		faults.Wait()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for i := range calls {
			if told[i] != 1 {
				t.Fatalf("call %d ended %d times", i, told[i])
			}
		}
		if len(kinds) != 6 {
			t.Errorf("not all ends were seen: %v", kinds)
		}
		for _, s := range r.client.States() {
			if s.InFlight != 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}
