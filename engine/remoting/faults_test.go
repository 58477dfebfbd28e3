package remoting

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

func TestConnectionEndFailsAllCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(context.Context, *Peer, *Command) {}})
		var got ends
		for range 1000 {
			r.client.Go(brokerA, &Command{}, time.Hour, got.done)
		}
		time.Sleep(time.Second)
		if n := len(got.all()); n != 0 {
			t.Fatalf("%d calls ended", n)
		}
		r.net.CutAll(brokerA)
		all := got.all()
		if len(all) != 1000 {
			t.Fatalf("%d calls ended", len(all))
		}
		for _, a := range all {
			if !errors.Is(a.Err, ErrLost) || errors.Is(a.Err, ErrUnreachable) || a.Took != time.Second {
				t.Fatalf("%+v", a)
			}
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrUnreachable) || errors.Is(err, ErrLost) {
			t.Errorf("what comes after was never sent: %v", err)
		}
	})
}

// FN2: an answer cut at every byte never arrives, the call says so, and the next connection
// serves.
func TestFN2ResetInsideAnAnswerAtEveryByte(t *testing.T) {
	size := len(answer(&Command{}, "pulled"))
	for cut := range size {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ClientConfig{})
			r.script(brokerA, func(n int, c net.Conn) {
				for {
					req := receive(c)
					if req == nil {
						return
					}
					b := answer(req, "pulled")
					if n == 0 {
						c.Write(b[:min(cut, len(b))])
						return
					}
					c.Write(b)
				}
			})
			if a, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrLost) {
				t.Fatalf("cut at %d: %+v, %v", cut, a, err)
			}
			time.Sleep(time.Second)
			if a, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil || string(a.Body) != "pulled" {
				t.Fatalf("cut at %d, then: %+v, %v", cut, a, err)
			}
		})
	}
}

func TestFN3HalfOpenConnectionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var mu sync.Mutex
		var last uint64
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			mu.Lock()
			last = p.ID()
			mu.Unlock()
			echo(ctx, p, req)
		}})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		r.net.Blackhole(brokerA, true)
		start := time.Now()
		var pull ends
		r.client.Go(brokerA, &Command{}, 25*time.Second, pull.done)
		for time.Since(start) < 9*time.Second {
			if _, err := r.client.Call(t.Context(), brokerA, &Command{}); !errors.Is(err, ErrTimeout) {
				t.Fatalf("after %v: %v", time.Since(start), err)
			}
			if !r.client.States()[0].Up {
				t.Fatalf("given up after %v", time.Since(start))
			}
		}
		_, err := r.client.Call(t.Context(), brokerA, &Command{})
		if !errors.Is(err, ErrTimeout) {
			t.Fatal(err)
		}
		if all := pull.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrLost) || all[0].Took != 12*time.Second {
			t.Errorf("12 s of silence: %v", all)
		}
		r.net.Blackhole(brokerA, false)
		time.Sleep(4 * time.Second)
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil || last != 2 {
			t.Errorf("on connection %d: %v", last, err)
		}
	})
}

func TestSlowAnswersAreNoHalfOpenConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 0 {
				echo(ctx, p, req)
			}
		}})
		for range 20 { // every second call is never answered, the others are
			if _, err := r.client.Call(t.Context(), brokerA, &Command{Code: 1}); !errors.Is(err, ErrTimeout) {
				t.Fatal(err)
			}
			if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
				t.Fatal(err)
			}
		}
		if s := r.client.States()[0]; !s.Up || time.Since(s.Since) < time.Minute {
			t.Errorf("%+v", s)
		}
	})
}

func TestFN5SlowNetworkOnlySlows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		r.net.Delay(brokerA, 400*time.Millisecond)
		var got ends
		for range 200 {
			r.client.Go(brokerA, &Command{Body: make([]byte, 10<<10)}, 30*time.Second, got.done)
		}
		time.Sleep(29 * time.Second)
		for _, a := range got.all() {
			if a.Err != nil {
				t.Fatal(a.Err)
			}
		}
		if n := len(got.list); n != 200 {
			t.Errorf("%d calls ended", n)
		}
	})
}

func TestFN6AnswerAfterItsDeadlineCompletesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var mu sync.Mutex
		var old []func()
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 1 {
				mu.Lock()
				defer mu.Unlock()
				old = append(old, func() { p.Reply(req, &Command{Body: []byte("old")}) })
				return
			}
			echo(ctx, p, req)
		}})
		for range 2 * firstSlots { // until slots are used again
			if _, err := r.client.Call(timeout(t, 10*time.Millisecond), brokerA, &Command{Code: 1}); !errors.Is(err, ErrTimeout) {
				t.Fatal(err)
			}
		}
		var got ends
		for i := range 3 * firstSlots {
			r.client.Go(brokerA, &Command{Body: []byte("new")}, time.Second, got.done)
			if i < len(old) {
				old[i]()
			}
		}
		for _, a := range got.all() {
			if a.Err != nil || string(a.Cmd.Body) != "new" {
				t.Fatalf("%+v", a)
			}
		}
		if s := r.client.Stats(); s.LateAnswers != 2*firstSlots || s.UnknownAnswers != 0 || len(got.list) != 3*firstSlots {
			t.Errorf("%+v, %d ended", s, len(got.list))
		}
	})
}

func timeout(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestFN7RepeatedAndUnknownAnswersAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.script(brokerA, func(_ int, c net.Conn) {
			for {
				req := receive(c)
				if req == nil {
					return
				}
				b := answer(req, "once")
				c.Write(append(b, b...))
				for _, opaque := range []int32{0, 1, -1, 1<<31 - 1, -1 << 31, oneWayOpaque, req.Opaque + 1<<slotBits} {
					c.Write(answer(&Command{Opaque: opaque}, "never asked"))
				}
			}
		})
		var got ends
		for range 10 {
			r.client.Go(brokerA, &Command{}, time.Second, got.done)
			synctest.Wait()
		}
		for _, a := range got.all() {
			if a.Err != nil || string(a.Cmd.Body) != "once" {
				t.Fatalf("%+v", a)
			}
		}
		if s := r.client.Stats(); s.LateAnswers != 10 || s.UnknownAnswers != 70 || len(got.list) != 10 {
			t.Errorf("%+v, %d ended", s, len(got.list))
		}
	})
}

func TestFM1FM2BadFramesEndTheConnectionAndItsCallsAtOnce(t *testing.T) {
	word := func(n int32, rest ...byte) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(n))) + string(rest)
	}
	whole := func(t SerializeType, header, body string) string {
		f := frameOf(t, header, body)
		return word(int32(len(f)), f...)
	}
	bad := map[string]string{
		"length -1":               word(-1),
		"length 0":                word(0),
		"length 3":                word(3, 0, 0, 0),
		"length over the limit":   word(16<<20 - 3),
		"header over its frame":   word(8, 0, 0, 0, 5, 1, 2, 3, 4),
		"unknown header type":     word(4, 9, 0, 0, 0),
		"broken JSON":             whole(JSON, `{"code":0,"flag":1,`, ""),
		"no JSON object":          whole(JSON, `[]`, ""),
		"binary header too short": whole(RocketMQ, "\x00\x0b\x00\x01", ""),
		"field length that lies":  whole(RocketMQ, "\x00\x00\x00\x01\xdb\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x01k\x7f\xff\xff\xff", ""),
		"negative field length":   whole(RocketMQ, "\x00\x00\x00\x01\xdb\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x01k\xff\xff\xff\xff", ""),
		"not the protocol at all": "HTTP/1.1 400 Bad Request\r\n\r\n",
	}
	for name, bytes := range bad {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, ClientConfig{})
				r.script(brokerA, func(n int, c net.Conn) {
					for {
						req := receive(c)
						if req == nil {
							return
						}
						if n > 0 {
							c.Write(answer(req, "good"))
							continue
						}
						c.Write([]byte(bytes))
						io.Copy(io.Discard, c) // it is the client that closes
						return
					}
				})
				start := time.Now()
				_, err := r.client.Call(t.Context(), brokerA, &Command{})
				if badFrame(t, err); !errors.Is(err, ErrLost) || time.Since(start) != 0 {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
				synctest.Wait()
				badFrame(t, r.client.States()[0].Err)
				time.Sleep(time.Second)
				if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
					t.Errorf("the next connection: %v", err)
				}
				if n := r.client.Stats().BadFrames; n != 1 {
					t.Errorf("%d bad frames counted", n)
				}
			})
		})
	}
}

// A server that takes connections and closes them is not dialled in a tight loop.
func TestConnectionsThatBringNothingBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var mu sync.Mutex
		conns := 0
		r.script(brokerA, func(int, net.Conn) {
			mu.Lock()
			defer mu.Unlock()
			conns++
		})
		_, err := r.client.Call(t.Context(), brokerA, &Command{})
		if !errors.Is(err, ErrLost) && !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "is TLS missing") {
			t.Errorf("it says %v", err)
		}
		time.Sleep(30 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		if conns < 30 || conns > 60 {
			t.Errorf("%d connections in 30 s", conns)
		}
	})
}

// Each call ends exactly once, whatever happens to its connection, and with its own answer.
func TestEachCallEndsOnceUnderFaults(t *testing.T) {
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
