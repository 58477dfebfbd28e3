package proxy

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/observer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// slow is a sink that stands still until it is told.
type slow struct {
	events
	goOn chan struct{}
}

func (s *slow) Add(e infer.Event) {
	<-s.goOn
	s.events.Add(e)
}

// TestAnObserverThatDoesNotKeepUpMakesAGapAndNobodyWaits: and what comes behind the gap is seen
// again.
func TestAnObserverThatDoesNotKeepUpMakesAGapAndNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &slow{goOn: make(chan struct{})}
		e := between(t, func(c *Config) { c.Sink, c.QueueBytes = sink, 100<<10 })
		b := frame(t, &remoting.Command{Code: 11, Flag: 2, Body: make([]byte, 10<<10)})
		sent := 0
		for range 50 {
			if _, err := e.client.Write(b); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, b)
			synctest.Wait()
			sent++
		}
		if n := e.proxy.Stats().Unseen; n < 300<<10 {
			t.Errorf("%d bytes were not seen", n)
		}
		if said := e.notices.of(Behind); len(said) != 1 {
			t.Errorf("said %q", said)
		}
		close(sink.goOn)
		synctest.Wait()
		seen := len(of[infer.Unreadable](sink.list()))
		if seen < 5 || seen > 15 {
			t.Errorf("%d requests were seen before the gap", seen)
		}
		for range 3 {
			if _, err := e.client.Write(b); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, b)
		}
		synctest.Wait()
		if n := len(of[infer.Unreadable](sink.list())); n != seen+3 {
			t.Errorf("%d requests behind the gap were seen, want 3", n-seen)
		}
		gaps := of[infer.Noted](sink.list())
		if len(gaps) == 0 || gaps[0].Note.Kind != "gap" || gaps[0].Note.Bytes != e.proxy.Stats().Unseen {
			t.Errorf("%+v, unseen %d", gaps, e.proxy.Stats().Unseen)
		}
	})
}

func TestAGapAtTheEndOfAConnectionIsMarkedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &slow{goOn: make(chan struct{})}
		e := between(t, func(c *Config) { c.Sink, c.QueueBytes = sink, 20<<10 })
		b := frame(t, &remoting.Command{Code: 11, Flag: 2, Body: make([]byte, 10<<10)})
		for range 3 {
			if _, err := e.client.Write(b); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, b)
			synctest.Wait()
		}
		e.client.Close()
		synctest.Wait()
		close(sink.goOn)
		synctest.Wait()
		notes, closed := of[infer.Noted](sink.list()), of[infer.Closed](sink.list())
		if len(notes) == 0 || notes[0].Note.Kind != "gap" || notes[0].Note.Bytes != e.proxy.Stats().Unseen || len(closed) != 1 {
			t.Errorf("%+v, %+v, unseen %d", notes, closed, e.proxy.Stats().Unseen)
		}
	})
}

func TestAConnectionForWhichThereIsNoRoomIsCarriedUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := between(t, func(c *Config) { c.QueueBytes = observer.EntryCost - 1 })
		b := frame(t, &remoting.Command{Code: 11})
		for range 3 {
			if _, err := e.client.Write(b); err != nil {
				t.Fatal(err)
			}
			mustRead(t, e.server, b)
		}
		e.client.Close()
		synctest.Wait()
		if s := e.proxy.Stats(); s.Unseen != int64(3*len(b)) || s.Events != 0 || s.Open != 0 {
			t.Errorf("%+v, said %q", s, e.notices.all)
		}
	})
}

func TestSecretsDoNotReachTheSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.cluster.Intercept(int32(protocol.PullMessage), func(*embedded.Request) embedded.Verdict {
			return embedded.Fail(protocol.NoPermission, "no rights for key-of-ours")
		})
		c := w.caller(t)
		fields := protocol.Encode(&protocol.PullMessageRequest{ConsumerGroup: "g", Topic: "t"})
		fields = append(fields, remoting.Fields{{Key: "AccessKey", Value: "key-of-ours"}, {Key: "Signature", Value: "c2ln"}, {Key: "SecurityToken", Value: "token-of-ours"}}...)
		for _, code := range []protocol.RequestCode{protocol.PullMessage, protocol.HeartBeat, protocol.UpdateConsumerOffset, protocol.LockBatchMQ, 12345} {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			if _, err := c.Call(ctx, seenAt(w.proxy)(broker), &remoting.Command{Code: int32(code), Fields: fields, Body: []byte("body-of-ours")}); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		w.stop()
		all := fmt.Sprintf("%+v", w.events.list())
		if !strings.Contains(all, "no rights for (access key)") {
			t.Errorf("nothing was seen: %s", all)
		}
		for _, secret := range []string{"key-of-ours", "c2ln", "token-of-ours", "body-of-ours"} {
			if strings.Contains(all, secret) {
				t.Errorf("%q is in %s", secret, all)
			}
		}
	})
}

func TestTheEndOfTheProxyIsOneOfTheWatchingToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		c, addr := w.caller(t), seenAt(w.proxy)(broker)
		if err := runtime(t, c, addr); err != nil {
			t.Fatal(err)
		}
		w.stop()
		closed := of[infer.Closed](w.events.list())
		if len(closed) != 1 || closed[0].Why != "the capture ends" {
			t.Errorf("%+v", closed)
		}
		if s := w.proxy.Stats(); s.Open != 0 || s.Listeners != 0 || s.Events != int64(len(w.events.list())) {
			t.Errorf("%+v", s)
		}
		if _, err := w.net.Dial(t.Context(), "tcp", addr); err == nil {
			t.Error("it still listens")
		}
	})
}

// boom panics at its first event.
type boom struct{}

func (boom) Add(infer.Event) { panic("boom") }

func TestASinkThatFailsDisturbsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{net: memnet.New(), notices: &notices{}}
		ln, err := w.net.Listen(t.Context(), "tcp", realNames)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		p, err := New(Config{NameServers: []string{realNames}, Listen: ourNames, Dial: w.net.Dial, ListenFunc: w.net.Listen, Sink: boom{}, OnNotice: w.notices.add})
		if err != nil {
			t.Fatal(err)
		}
		p.watch = newObserver(p, 0)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Run(ctx) }()
		<-p.Ready()
		client, err := w.net.Dial(t.Context(), "tcp", ourNames)
		if err != nil {
			t.Fatal(err)
		}
		server, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		b := frame(t, &remoting.Command{Code: 11})
		for range 3 {
			if _, err := client.Write(b); err != nil {
				t.Fatal(err)
			}
			mustRead(t, server, b)
			synctest.Wait()
		}
		if said := w.notices.of(Behind); len(said) != 2 || !strings.Contains(strings.Join(said, " "), "nothing is watched any more") {
			t.Errorf("said %q", said)
		}
		cancel()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "boom") {
			t.Errorf("ended with %v", err)
		}
	})
}
