package remoting

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCallGetsItsAnswer(t *testing.T) {
	for _, kind := range []SerializeType{JSON, RocketMQ} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, ClientConfig{})
			var seen []Command
			r.serve(brokerA, ServerConfig{Version: 479, Serialize: RocketMQ, Handler: func(ctx context.Context, p *Peer, req *Command) {
				seen = append(seen, *req)
				echo(ctx, p, req)
			}})
			req := &Command{Code: 11, Serialize: kind, Fields: Fields{{"topic", "orders"}}, Body: []byte("body"), Flag: flagOneWay | flagResponse, Opaque: -5}
			for range 2 {
				got, err := r.client.Call(t.Context(), brokerA, req)
				if err != nil {
					t.Fatal(err)
				}
				want := &Command{Version: 479, Opaque: got.Opaque, Flag: flagResponse, Language: Java, Serialize: RocketMQ, Remark: "echo", Fields: req.Fields, Body: []byte("body")}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
			synctest.Wait()
			for _, s := range seen {
				want := Command{Code: 11, Version: 475, Language: Go, Opaque: s.Opaque, Serialize: kind, Fields: req.Fields, Body: []byte("body")}
				if diff := cmp.Diff(want, s); diff != "" {
					t.Error(diff)
				}
			}
			if len(seen) != 2 || seen[0].Opaque == seen[1].Opaque || req.Opaque != -5 {
				t.Errorf("%d requests, opaque %d", len(seen), req.Opaque)
			}
		})
	}
}

func TestAnswersComeInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var parked []func()
		var mu sync.Mutex
		r.serve(brokerA, ServerConfig{Handler: func(_ context.Context, p *Peer, req *Command) {
			mu.Lock()
			defer mu.Unlock()
			parked = append(parked, func() { p.Reply(req, &Command{Body: req.Body}) })
		}})
		var got sync.Map
		for i := range 500 {
			r.client.Go(brokerA, &Command{Body: fmt.Append(nil, i)}, time.Minute, func(a Answer) {
				if a.Err != nil || string(a.Cmd.Body) != fmt.Sprint(i) {
					t.Errorf("call %d ended with %v", i, a)
				}
				if _, twice := got.LoadOrStore(i, true); twice {
					t.Errorf("call %d ended twice", i)
				}
			})
		}
		synctest.Wait()
		for i := range parked {
			parked[(i*7+3)%len(parked)]() // 7 and 500 have no common divisor
		}
		synctest.Wait()
		n := 0
		got.Range(func(any, any) bool { n++; return true })
		if n != 500 || len(parked) != 500 {
			t.Errorf("%d of %d calls ended", n, len(parked))
		}
	})
}

func TestKeptBytesStayAndOthersAreUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		var kept []*Buffer
		var bodies [][]byte
		var leaked *Answer
		for i := range 100 {
			r.client.Go(brokerA, &Command{Body: []byte(strings.Repeat(fmt.Sprint(i%10), 600))}, time.Second, func(a Answer) {
				if i%2 == 0 {
					kept, bodies = append(kept, a.Keep()), append(bodies, a.Cmd.Body)
					if a.Keep() != nil {
						t.Error("kept twice")
					}
				}
				if leaked.Keep() != nil {
					t.Error("an old answer took the bytes of a new one")
				}
				leaked = &a
			})
			synctest.Wait()
		}
		for i, b := range bodies {
			if string(b) != strings.Repeat(fmt.Sprint(i*2%10), 600) {
				t.Fatalf("body %d was overwritten", i)
			}
		}
		for _, b := range kept {
			b.Release()
		}
		if leaked.Keep() != nil {
			t.Error("kept after the end of done")
		}
		var none *Answer
		if none.Keep() != nil || (&Answer{Err: ErrClosed}).Keep() != nil {
			t.Error("kept nothing")
		}
	})
}

func TestOneWayIsDeliveredAndNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		var seen []string
		s, _ := r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			seen = append(seen, fmt.Sprintf("%v %v %s", req.IsOneWay(), req.IsResponse(), req.Body))
			echo(ctx, p, req)
		}})
		for i := range 3 {
			if err := r.client.OneWay(brokerA, &Command{Code: 15, Body: fmt.Append(nil, i)}); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"true false 0", "true false 1", "true false 2"}, seen); diff != "" {
			t.Error(diff)
		}
		if n := s.Stats().FramesOut; n != 0 {
			t.Errorf("%d answers", n)
		}
	})
}

func TestForgetEndsCallsAndTheNextRequestStartsAfresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: func(ctx context.Context, p *Peer, req *Command) {
			if req.Code == 0 {
				echo(ctx, p, req)
			}
		}})
		var got ends
		r.client.Go(brokerA, &Command{Code: 1}, time.Minute, got.done)
		synctest.Wait()
		r.client.Forget(brokerA)
		r.client.Forget("nobody:1")
		if all := got.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrClosed) {
			t.Errorf("%v", all)
		}
		if s := r.client.States(); len(s) != 0 {
			t.Errorf("%+v", s)
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Error(err)
		}
	})
}

func TestRequestsMadeBeforeRunAreCarriedOutByIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		c := NewClient(ClientConfig{Dial: r.net.Dial})
		var got, forgotten ends
		c.Go(brokerA, &Command{}, time.Second, got.done)
		c.Go(brokerB, &Command{}, time.Second, forgotten.done)
		c.Forget(brokerB)
		if len(got.all())+len(forgotten.all()) != 0 {
			t.Fatal("ended before Run")
		}
		runs(t, c.Run)
		if all := got.all(); len(all) != 1 || all[0].Err != nil {
			t.Errorf("%v", all)
		}
		if all := forgotten.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrClosed) {
			t.Errorf("%v", all)
		}
		if err := c.Run(t.Context()); err == nil {
			t.Error("a second Run")
		}
		if _, err := c.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Errorf("after the refused second Run: %v", err)
		}
	})
}

func TestWhatCannotBeWrittenFailsAtOnceAndHurtsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		r.serve(brokerA, ServerConfig{Handler: echo})
		for range 3 {
			_, err := r.client.Call(t.Context(), brokerA, &Command{Code: 200050, Serialize: RocketMQ})
			badFrame(t, err)
		}
		if err := r.client.OneWay(brokerA, &Command{Body: make([]byte, 17<<20)}); err == nil {
			t.Error("a frame over the limit was taken")
		}
		if _, err := r.client.Call(t.Context(), brokerA, &Command{Body: make([]byte, 15<<20)}); err != nil {
			t.Error(err)
		}
	})
}

func TestStatesTellEachChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{})
		_, stop := r.serve(brokerA, ServerConfig{Handler: echo})
		if _, err := r.client.Call(t.Context(), brokerA, &Command{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		stop()
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		r.serve(brokerA, ServerConfig{Handler: echo})
		time.Sleep(2 * time.Second)
		r.stop()
		r.mu.Lock()
		defer r.mu.Unlock()
		var got []string
		for i, s := range r.states {
			got = append(got, fmt.Sprint(s.Up, s.Err != nil, !s.RetryAt.IsZero()))
			if i > 0 && s.Since.Before(r.states[i-1].Since) {
				t.Errorf("state %d is older than the one before: %+v", i, s)
			}
		}
		want := []string{"true false false", "false true true", "false true true", "true false false", "false false false"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBusyConnectionRefusesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, ClientConfig{Limits: Limits{PendingBytes: 10 << 10, Calls: 500}})
		r.script(brokerA, func(_ int, c net.Conn) { time.Sleep(time.Hour) })
		frame := &Command{Body: make([]byte, 1<<10)}
		var busy error
		for range 2000 {
			if busy = r.client.OneWay(brokerA, frame); busy != nil {
				break
			}
		}
		if !errors.Is(busy, ErrBusy) {
			t.Errorf("writing without end: %v", busy)
		}
		r.client.Forget(brokerA)
		var got ends
		for range 501 {
			r.client.Go(brokerA, &Command{}, time.Minute, got.done)
			synctest.Wait()
		}
		if all := got.all(); len(all) != 1 || !errors.Is(all[0].Err, ErrBusy) {
			t.Errorf("%v", all)
		}
	})
}
