package remoting

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

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

// A call whose context ends at the same instant as its own time shows as much as one that
// expires by itself.
func TestFN3CallsGivenUpAtTheirDeadlineShowAHalfOpenConnection(t *testing.T) {
	for range 20 { // which of the two comes first is chance
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ClientConfig{})
			r.serve(brokerA, ServerConfig{Handler: echo})
			if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
				t.Fatal(err)
			}
			r.net.Blackhole(brokerA, true)
			for i := range 3 {
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if up := r.client.States()[0].Up; up != (i < 2) {
					t.Fatalf("before call %d in silence the connection is up: %v", i+1, up)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				if _, err := r.client.Call(ctx, brokerA, &Command{}); err == nil {
					t.Fatal("answered")
				}
				cancel()
			}
		})
	}
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
		old := make(chan func(), 2*firstSlots)
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 1 {
				old <- func() { p.Reply(req, &Command{Body: []byte("old")}) }
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
			if i < 2*firstSlots {
				(<-old)()
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
