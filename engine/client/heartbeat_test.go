package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestHeartbeatContent(t *testing.T) {
	bubble(t, func(w *world) {
		_, a := w.oneBroker()
		i := w.client(Config{})
		l := w.register(i, "G", "%RETRY%G", "T")
		if err := i.RefreshRoutes(w.ctx); err != nil {
			t.Fatal(err)
		}
		sent, err := i.HeartbeatAll(w.ctx)
		if sent != 1 || err != nil {
			t.Fatalf("sent %d, %v", sent, err)
		}
		req := a.got(protocol.HeartBeat)[0]
		got, err := protocol.DecodeHeartbeatData(req.Body)
		if err != nil {
			t.Fatal(err)
		}
		want := protocol.HeartbeatData{
			ClientID:        "10.1.2.9@test",
			ProducerDataSet: []protocol.ProducerData{{GroupName: "CLIENT_INNER_PRODUCER"}},
			ConsumerDataSet: []protocol.ConsumerData{{
				GroupName: "G", ConsumeType: mq.Passively, MessageModel: mq.Clustering,
				ConsumeFromWhere: mq.FromFirstOffset, SubscriptionDataSet: l.subs,
			}},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if req.Language != remoting.Go || req.Version != protocol.ClientVersion {
			t.Errorf("language %v and version %d", req.Language, req.Version)
		}
		for _, text := range []string{`"heartbeatFingerprint":0`, `"withoutSub":false`, `"CONSUME_PASSIVELY"`, `"CLUSTERING"`, `"CONSUME_FROM_FIRST_OFFSET"`} {
			if !strings.Contains(string(req.Body), text) {
				t.Errorf("the body lacks %s: %s", text, req.Body)
			}
		}
		b := i.Brokers()[0]
		if b.Version != 479 || b.LastHeartbeat.IsZero() || b.HeartbeatErr != nil || !b.Up || !b.Master {
			t.Errorf("broker is %+v", b)
		}
	})
}

func TestHeartbeatsEveryInterval(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		w.joined()
		time.Sleep(10 * time.Second) // the first, and the one of the fresh connection
		a.forget()
		time.Sleep(5 * time.Minute)
		if n := len(a.got(protocol.HeartBeat)); n != 10 {
			t.Errorf("%d heartbeats in five minutes, want 10", n)
		}
	})
}

func TestHeartbeatWithoutBrokers(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i := w.client(Config{})
		if n, err := i.HeartbeatAll(w.ctx); n != 0 || !errors.Is(err, ErrNoBroker) {
			t.Errorf("sent %d, %v, want ErrNoBroker", n, err)
		}
	})
}

func TestSlavesGetHeartbeatsOnlyOfConsumers(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba+","+bb)})
		master, slave := w.serve(ba), w.serve(bb)
		i := w.client(Config{})
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		if n, err := i.HeartbeatAll(w.ctx); n != 1 || err != nil || len(master.got(protocol.HeartBeat)) == 0 || len(slave.got(protocol.HeartBeat)) != 0 {
			t.Errorf("without a consumer: sent %d, %v", n, err)
		}
		w.register(i, "G", "T")
		if n, err := i.HeartbeatAll(w.ctx); n != 2 || err != nil || len(slave.got(protocol.HeartBeat)) == 0 {
			t.Errorf("with a consumer: sent %d, %v", n, err)
		}
	})
}

func TestSilentBrokerDoesNotDelayHeartbeatsToOthers(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.HeartBeat, silent)
		i, _ := w.joined()
		if err := i.RefreshRoutes(w.ctx); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		sent, err := i.HeartbeatAll(w.ctx)
		if sent != 1 || !errors.Is(err, remoting.ErrTimeout) || !strings.Contains(err.Error(), "to a at "+ba) {
			t.Errorf("sent %d, %v", sent, err)
		}
		if took := b.times(protocol.HeartBeat)[0].Sub(began); took != 0 {
			t.Errorf("the heartbeat to b waited %v for a", took)
		}
	})
}

func TestFreshConnectionGetsAHeartbeatAndWakesRebalance(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		_, l := w.joined()
		time.Sleep(5 * time.Second)
		wantTold[event.BrokerReachable](t, l, 2)
		told[event.RebalanceWanted](l)
		a.forget()

		w.net.CutAll(ba)
		if e := last[event.BrokerLost](t, l); e.BrokerName != "a" || e.Addr != ba || e.Err == nil {
			t.Errorf("told %+v", e)
		}
		time.Sleep(time.Second)
		if e := last[event.BrokerReachable](t, l); e.BrokerName != "a" || e.Addr != ba {
			t.Errorf("told %+v", e)
		}
		if len(a.got(protocol.HeartBeat)) != 1 {
			t.Errorf("%d heartbeats over the new connection, want 1", len(a.got(protocol.HeartBeat)))
		}
		if e := last[event.RebalanceWanted](t, l); !strings.Contains(e.Why, "a") {
			t.Errorf("told %+v", e)
		}
	})
}

func TestFreshConnectionDoesNotWaitForASilentBroker(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i, _ := w.joined()
		time.Sleep(5 * time.Second)
		b.answer(protocol.HeartBeat, silent)
		w.wg.Go(func() { _, _ = i.HeartbeatAll(w.ctx) })
		synctest.Wait()
		a.forget()
		began := time.Now()
		w.net.CutAll(ba)
		time.Sleep(time.Second)
		if at := a.times(protocol.HeartBeat); len(at) != 1 || at[0].Sub(began) > 100*time.Millisecond {
			t.Errorf("heartbeats at %v after the cut, want one with the new connection", at)
		}
	})
}

func TestLostBrokerIsToldOnceHoweverOftenItIsDialled(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		i, l := w.joined()
		time.Sleep(5 * time.Second)
		a.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		time.Sleep(20 * time.Second)
		wantTold[event.BrokerLost](t, l, 1)
		for _, b := range i.Brokers() {
			if down := b.Name == "a"; b.Up == down || (b.Err != nil) != down {
				t.Errorf("broker is %+v", b)
			}
		}
	})
}

func TestP36RefusedHeartbeatIsShown(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.HeartBeat, code(protocol.NoPermission, "no such user"))
		i, l := w.joined()
		time.Sleep(2 * time.Minute)
		entries := told[event.Entry](l)
		if len(entries) != 1 || entries[0].Where != "a" || !strings.Contains(entries[0].What, "NO_PERMISSION (16)") || !strings.Contains(entries[0].What, "no such user") {
			t.Errorf("told %+v, want one entry with the broker's own words", entries)
		}
		for _, b := range i.Brokers() {
			if refused := b.Name == "a"; (b.HeartbeatErr != nil) != refused || Classify(b.HeartbeatErr) == Refused != refused {
				t.Errorf("broker is %+v", b)
			}
		}
		if _, err := i.HeartbeatAll(w.ctx); Classify(err) != Refused {
			t.Errorf("error is %v", err)
		}
	})
}

func TestHeartbeatsFollowEachOtherWithTheNewestSubscriptions(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		w.net.Delay(ba, 100*time.Millisecond)
		i, l := w.joined()
		time.Sleep(5 * time.Second)
		a.forget()
		w.wg.Go(func() { _, _ = i.HeartbeatAll(w.ctx) })
		synctest.Wait()
		l.mu.Lock()
		l.subs[0].SubVersion = 42 // bumped while a heartbeat with the old one is under way
		l.mu.Unlock()
		if _, err := i.HeartbeatAll(w.ctx); err != nil {
			t.Fatal(err)
		}
		beats := a.got(protocol.HeartBeat)
		if len(beats) != 2 || !strings.Contains(string(beats[1].Body), `"subVersion":42`) {
			t.Errorf("%d heartbeats, want a second one with the new version", len(beats))
		}
	})
}

func TestHeartbeatOfCallerThatGivesUp(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, _ := w.twoBrokers()
		a.answer(protocol.HeartBeat, silent)
		i, _ := w.joined()
		if err := i.RefreshRoutes(w.ctx); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err := i.HeartbeatAll(within(w, time.Second))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("ended after %v with %v", time.Since(began), err)
		}
	})
}

func TestS4DuplicateGroup(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i, _ := w.joined()
		other := &listener{}
		if err := i.Register(other.registration("G")); !errors.Is(err, ErrDuplicateGroup) || !strings.Contains(err.Error(), "group G") {
			t.Errorf("error is %v, want ErrDuplicateGroup", err)
		}
		if err := i.Unregister(w.ctx, "G"); err != nil {
			t.Fatal(err)
		}
		if err := i.Register(other.registration("G")); err != nil {
			t.Errorf("after unregistering: %v", err)
		}
	})
}

func TestRegistrationIsChecked(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i := w.client(Config{})
		ok := (&listener{}).registration("G")
		for _, r := range []Registration{
			{Group: "G", Subscriptions: ok.Subscriptions},
			{Group: "G", Notify: ok.Notify},
			{Group: "", Subscriptions: ok.Subscriptions, Notify: ok.Notify},
			{Group: "DEFAULT_CONSUMER", Subscriptions: ok.Subscriptions, Notify: ok.Notify},
			{Group: "a b", Subscriptions: ok.Subscriptions, Notify: ok.Notify},
		} {
			if err := i.Register(r); err == nil {
				t.Errorf("registered %+v", r.Group)
			}
		}
	})
}

func TestUnregisterTellsEveryConnectedBroker(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		b.answer(protocol.UnregisterClient, code(protocol.SystemError, "busy dying"))
		i, l := w.joined()
		time.Sleep(2 * time.Second)
		err := i.Unregister(w.ctx, "G")
		if err == nil || !strings.Contains(err.Error(), "at b") || !strings.Contains(err.Error(), "busy dying") {
			t.Errorf("error is %v, want what b said", err)
		}
		reqs := a.got(protocol.UnregisterClient)
		if len(reqs) != 1 || len(b.got(protocol.UnregisterClient)) != 1 {
			t.Fatalf("a got %d requests", len(reqs))
		}
		h := decode[protocol.UnregisterClientRequest](t, reqs[0])
		if h.ClientID != "10.1.2.9@test" || h.ConsumerGroup != "G" || h.ProducerGroup != "" {
			t.Errorf("header is %+v", h)
		}
		told[event.Event](l)
		w.net.CutAll(ba)
		time.Sleep(time.Minute)
		if e := told[event.Event](l); len(e) != 0 {
			t.Errorf("a group that left was told %+v", e)
		}
		if err := i.Unregister(w.ctx, "G"); err != nil {
			t.Errorf("unregistering twice: %v", err)
		}
	})
}

func TestUnregisterDoesNotWaitForBrokersThatAreGone(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		i, _ := w.joined()
		time.Sleep(2 * time.Second)
		a.stop()
		w.net.Refuse(ba, errRefused)
		w.net.CutAll(ba)
		time.Sleep(time.Second)
		began := time.Now()
		if err := i.Unregister(w.ctx, "G"); err != nil || time.Since(began) != 0 {
			t.Errorf("took %v: %v", time.Since(began), err)
		}
		if len(b.got(protocol.UnregisterClient)) != 1 {
			t.Error("b was not told")
		}
	})
}
