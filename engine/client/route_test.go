package client

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/route"
)

func TestNameServersDownAtStart(t *testing.T) {
	bubble(t, func(w *world) {
		w.net.Refuse(ns1, errRefused)
		w.net.Refuse(ns2, errRefused)
		i := w.client(Config{NameServers: []string{ns1, ns2}})
		l := w.register(i, "G", "T")
		err := i.RefreshRoutes(w.ctx, "T")
		if !errors.Is(err, ErrNoNameServer) || !strings.Contains(err.Error(), ns1) || !strings.Contains(err.Error(), ns2) {
			t.Errorf("error is %v, want one that names both servers", err)
		}
		if Classify(err) != Unreachable {
			t.Errorf("class is %v", Classify(err))
		}
		e := last[event.RouteChanged](t, l)
		if e.Err == nil || e.Known || e.Topic != "T" {
			t.Errorf("told %+v, want the failure", e)
		}
		if _, ok := i.Queues("T"); ok {
			t.Error("queues are known without a route")
		}

		w.net.Refuse(ns2, nil)
		ns := w.serve(ns2)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); !e.Known || len(e.Queues) != 4 || e.Err != nil {
			t.Errorf("told %+v, want four queues within one route interval", e)
		}
		for _, s := range i.NameServers() {
			if s.InUse != (s.Addr == ns2) || s.Up != (s.Addr == ns2) {
				t.Errorf("name server %+v", s)
			}
		}
	})
}

func TestNameServersDownLaterKeepsTheRoute(t *testing.T) {
	bubble(t, func(w *world) {
		ns, _ := w.oneBroker()
		i, l := w.joined()
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 4 {
			t.Fatalf("told %+v", e)
		}
		ns.stop()
		w.net.CutAll(ns1)
		w.net.Refuse(ns1, errRefused)
		time.Sleep(5 * time.Minute)
		for _, e := range told[event.RouteChanged](l) {
			if e.Err == nil || !e.Known || len(e.Queues) != 4 {
				t.Errorf("told %+v, want an error with the old queues", e)
			}
		}
		if q, ok := i.Queues("T"); !ok || len(q) != 4 {
			t.Errorf("queues are %v, %v", q, ok)
		}
		if sent, err := i.HeartbeatAll(w.ctx); sent != 1 || err != nil {
			t.Errorf("heartbeats: %d, %v", sent, err)
		}
	})
}

func TestTopicWithoutRoute(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		i := w.client(Config{})
		l := w.register(i, "G", "T", "%RETRY%G")
		err := i.RefreshRoutes(w.ctx, "T")
		if !errors.Is(err, ErrNoRoute) || Classify(err) != Missing {
			t.Errorf("error is %v of class %v, want ErrNoRoute", err, Classify(err))
		}
		if err := i.RefreshRoutes(w.ctx, "%RETRY%G"); err != nil {
			t.Errorf("a retry topic that does not exist yet is an error: %v", err)
		}
		time.Sleep(2 * time.Minute)
		wantTold[event.RouteChanged](t, l, 2) // once per topic
	})
}

func TestTopicIsGoneOnlyWhenABrokerSaysSoToo(t *testing.T) {
	bubble(t, func(w *world) {
		ns, broker := w.oneBroker()
		i, l := w.joined()
		told[event.RouteChanged](l)

		ns.names(nil) // as after a restart of the name server
		time.Sleep(2 * time.Minute)
		if q, _ := i.Queues("T"); len(q) != 4 {
			t.Fatalf("%d queues are left: a name server alone took them away", len(q))
		}
		told[event.RouteChanged](l)
		broker.answer(protocol.PullMessage, code(protocol.TopicNotExist, "the topic[T] not exist"))
		pullOnce(w, i, queue("a", 0), 0)
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); !e.Known || len(e.Queues) != 0 || e.Err != nil {
			t.Errorf("told %+v, want that the topic has no queues any more", e)
		}
		if e := last[event.Entry](t, l); e.Level != event.Warn || e.Where != "T" {
			t.Errorf("told %+v", e)
		}

		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 4 {
			t.Errorf("told %+v, want the queues back", e)
		}
	})
}

func TestP16QueuesAndBrokersAddedAtRunTime(t *testing.T) {
	bubble(t, func(w *world) {
		ns, _ := w.oneBroker()
		_, l := w.joined()
		told[event.RouteChanged](l)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(8, "a="+ba)})
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 8 {
			t.Errorf("told %d queues within one route interval, want 8", len(e.Queues))
		}
		second := w.serve(bb)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(8, "a="+ba, "b="+bb)})
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 16 {
			t.Errorf("told %d queues within one route interval, want 16", len(e.Queues))
		}
		time.Sleep(30 * time.Second)
		if len(second.got(protocol.HeartBeat)) == 0 {
			t.Error("the new broker got no heartbeat")
		}
		wantTold[event.RouteChanged](t, l, 0) // they did not change
	})
}

func TestP37NameServerListChanges(t *testing.T) {
	bubble(t, func(w *world) {
		const nsA, nsB, nsC, nsD = "nsa:9876", "nsb:9876", "nsc:9876", "nsd:9876"
		old := []*fake{w.serve(nsA), w.serve(nsB)}
		for _, f := range old {
			f.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		}
		i := w.client(Config{NameServers: []string{nsA, nsB}})
		l := w.register(i, "G", "T")
		told[event.RouteChanged](l)
		for _, f := range old { // they still answer, with nothing
			f.names(map[string]protocol.TopicRouteData{"T": {}})
		}
		for _, addr := range []string{nsC, nsD} {
			w.serve(addr).names(map[string]protocol.TopicRouteData{"T": routeOf(6, "a="+ba)})
		}
		if err := i.SetNameServers([]string{nsC, nsD}); err != nil {
			t.Fatal(err)
		}
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 6 {
			t.Errorf("told %+v, want the route of the new servers at once", e)
		}
		for _, f := range old {
			f.forget()
		}
		time.Sleep(2 * time.Minute)
		for _, f := range old {
			if n := len(f.got(protocol.GetRouteInfoByTopic)); n != 0 {
				t.Errorf("%s was removed and asked %d times since", f.addr, n)
			}
		}
		for _, s := range i.net.States() {
			if s.Addr == nsA || s.Addr == nsB {
				t.Errorf("still connected with %s", s.Addr)
			}
		}
	})
}

func TestSetNameServersKeepsTheChosenOneAndRefusesNonsense(t *testing.T) {
	bubble(t, func(w *world) {
		first := w.serve(ns1)
		first.names(nil)
		i := w.client(Config{})
		_ = i.RefreshRoutes(w.ctx, "T")
		if err := i.SetNameServers([]string{ns2, ns1}); err != nil {
			t.Fatal(err)
		}
		if got := i.servers.chosen(); got != ns1 {
			t.Errorf("chosen is %s, want the one that works", got)
		}
		if err := i.SetNameServers([]string{"nowhere"}); err == nil || !strings.Contains(err.Error(), `"nowhere"`) {
			t.Errorf("error is %v", err)
		}
		if err := i.SetNameServers(nil); err == nil {
			t.Error("an empty list was taken")
		}
		if n := len(i.NameServers()); n != 2 {
			t.Errorf("%d name servers, want the two of the last good list", n)
		}
	})
}

func TestNameServerIsKeptUntilItFails(t *testing.T) {
	bubble(t, func(w *world) {
		routes := map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)}
		servers := map[string]*fake{ns1: w.serve(ns1), ns2: w.serve(ns2)}
		for _, f := range servers {
			f.names(routes)
		}
		i := w.client(Config{NameServers: []string{ns1, ns2}})
		for range 10 {
			if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
				t.Fatal(err)
			}
		}
		chosen := i.servers.chosen()
		var other string
		for addr, f := range servers {
			if addr != chosen {
				other = addr
				if n := len(f.got(protocol.GetRouteInfoByTopic)); n != 0 {
					t.Errorf("%s is not the chosen one and was asked %d times", addr, n)
				}
			}
		}
		servers[chosen].answer(protocol.GetRouteInfoByTopic, silent)
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Errorf("one silent name server of two: %v", err)
		}
		if got := i.servers.chosen(); got != other {
			t.Errorf("chosen is %s, want %s", got, other)
		}
	})
}

func TestP38NewAddressOfABroker(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a=10.0.0.1:10911")})
		old := w.serve("10.0.0.1:10911")
		i, _ := w.joined()
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		if err := i.CommitOffsetSync(w.ctx, "G", queue("a", 0), 1); err != nil {
			t.Fatal(err)
		}
		old.stop()
		w.net.Refuse("10.0.0.1:10911", errRefused)
		now := w.serve("10.0.0.2:10911")
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a=10.0.0.2:10911")})
		time.Sleep(31 * time.Second)
		if err := i.CommitOffsetSync(w.ctx, "G", queue("a", 0), 2); err != nil {
			t.Error(err)
		}
		if n := len(now.got(protocol.UpdateConsumerOffset)); n != 1 {
			t.Errorf("the new address got %d commits, want 1", n)
		}
		for _, s := range i.net.States() {
			if s.Addr == "10.0.0.1:10911" {
				t.Errorf("the old address is still dialled: %+v", s)
			}
		}
	})
}

func TestCallInFlightToABrokerThatMovesIsLostNotStopped(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		old := w.serve(ba)
		old.answer(protocol.SendMessageV2, silent)
		old.answer(protocol.PullMessage, silent)
		w.serve(bb).answer(protocol.SendMessageV2, stored(protocol.Success))
		i := w.client(Config{})
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		sent := make(chan error, 1)
		w.wg.Go(func() {
			r, err := i.Send(w.ctx, OutMessage{Topic: "T", Body: []byte("x")})
			if r.Attempts != 2 {
				t.Errorf("%d attempts, want a second one at the new address", r.Attempts)
			}
			sent <- err
		})
		pulled := make(chan PullAnswer, 1)
		i.Pull(queue("a", 0), 0, pullHeader(queue("a", 0)), time.Minute, func(a PullAnswer) { pulled <- a })
		synctest.Wait()
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+bb)})
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		if a := <-pulled; Classify(a.Err) != Lost {
			t.Errorf("the pull ended with %v of class %v", a.Err, Classify(a.Err))
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}

func TestBrokerThatLeftAllRoutesIsDisconnected(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba, "b="+bb)})
		w.serve(ba)
		w.serve(bb)
		i, _ := w.joined()
		time.Sleep(2 * time.Second)
		if n := len(i.Brokers()); n != 2 {
			t.Fatalf("%d brokers", n)
		}
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		time.Sleep(61 * time.Second) // one refresh misses it, the next one confirms that
		if b := i.Brokers(); len(b) != 1 || b[0].Name != "a" || !b[0].Up {
			t.Errorf("brokers are %+v, want only a", b)
		}
		for _, s := range i.net.States() {
			if s.Addr == bb {
				t.Error("still connected with b")
			}
		}
	})
}

func TestHostileRouteKeepsTheOldOne(t *testing.T) {
	bubble(t, func(w *world) {
		ns, _ := w.oneBroker()
		i, l := w.joined()
		told[event.RouteChanged](l)
		tests := []struct {
			name string
			body string
		}{
			{"no brokers", `{}`},
			{"a million queues", `{"brokerDatas":[{"brokerName":"a","brokerAddrs":{"0":"ba:10911"}}],"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":1000000}]}`},
			{"too many queues over all", `{"brokerDatas":[{"brokerName":"a"}],"queueDatas":[{"brokerName":"a","perm":6,"readQueueNums":4000},{"brokerName":"b","perm":6,"readQueueNums":4000}]}`},
			{"an escape in a name", `{"brokerDatas":[{"brokerName":"a\u001b]52;c;x"}]}`},
			{"no JSON", `<html>`},
			{"nothing", ``},
		}
		for _, tt := range tests {
			ns.answer(protocol.GetRouteInfoByTopic, func(*remoting.Command) *remoting.Command {
				return &remoting.Command{Body: []byte(tt.body)}
			})
			err := i.RefreshRoutes(w.ctx, "T")
			if err == nil || Classify(err) != Broken {
				t.Errorf("%s: error is %v of class %v", tt.name, err, Classify(err))
			}
			if e := last[event.RouteChanged](t, l); e.Err == nil || !e.Known || len(e.Queues) != 4 {
				t.Errorf("%s: told %+v, want an error and the old queues", tt.name, e)
			}
		}
	})
}

func TestRefusedAddressIsToldAndNamedInErrors(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a=169.254.169.254:80")})
		i, l := w.joined()
		if e := last[event.RouteChanged](t, l); len(e.Queues) != 4 {
			t.Errorf("told %+v, want the queues all the same", e)
		}
		e := last[event.Entry](t, l)
		if e.Level != event.Warn || e.Where != "a" || !strings.Contains(e.What, "169.254.169.254:80") {
			t.Errorf("told %+v", e)
		}
		_, err := i.MaxOffset(w.ctx, queue("a", 0))
		if !errors.Is(err, ErrNoBroker) || !strings.Contains(err.Error(), "link-local") {
			t.Errorf("error is %v, want the reason", err)
		}
		for _, s := range i.net.States() {
			if s.Addr != ns1 {
				t.Errorf("%s was dialled", s.Addr)
			}
		}
	})
}

func TestAddressPolicyOfTheConfig(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba, "b="+bb)})
		i := w.client(Config{Route: route.Limits{Policy: func(host string) error {
			if host == "bb" {
				return errors.New("not on the allow list")
			}
			return nil
		}}})
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Fatal(err)
		}
		if b := i.Brokers(); len(b) != 1 || b[0].Name != "a" {
			t.Errorf("brokers are %+v", b)
		}
	})
}

func TestRouteQuestionsAreShared(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		w.net.Delay(ns1, 100*time.Millisecond)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		i := w.client(Config{})
		errs := make(chan error, 50)
		for range cap(errs) {
			w.wg.Go(func() { errs <- i.RefreshRoutes(w.ctx, "T") })
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := len(ns.got(protocol.GetRouteInfoByTopic)); n != 1 {
			t.Errorf("%d callers at once made %d requests, want 1", cap(errs), n)
		}
	})
}

func TestRouteCallerThatGivesUpDoesNotFailOthers(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		w.net.Delay(ns1, 500*time.Millisecond)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba)})
		i := w.client(Config{})
		ctx := within(w, 100*time.Millisecond)
		w.wg.Go(func() { _ = i.RefreshRoutes(ctx, "T") })
		synctest.Wait()
		if err := i.RefreshRoutes(w.ctx, "T"); err != nil {
			t.Errorf("another caller's deadline became ours: %v", err)
		}
	})
}

func TestTopicsNobodyUsesAreForgotten(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba), "U": routeOf(1, "b="+bb)})
		i, _ := w.joined()
		if err := i.RefreshRoutes(w.ctx, "U"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if _, ok := i.Queues("U"); !ok {
			t.Error("U was asked for five minutes ago and is forgotten")
		}
		time.Sleep(10 * time.Minute)
		if _, ok := i.Queues("U"); ok {
			t.Error("U is still kept")
		}
		if q, _ := i.Queues("T"); len(q) != 1 {
			t.Error("T is subscribed to and forgotten")
		}
		if b := i.Brokers(); len(b) != 1 {
			t.Errorf("brokers are %+v, want only that of T", b)
		}
	})
}

func TestPermissionTakenAwayStopsReading(t *testing.T) {
	bubble(t, func(w *world) {
		ns := w.serve(ns1)
		ns.names(map[string]protocol.TopicRouteData{"T": routeOf(4, "a="+ba)})
		_, l := w.joined()
		told[event.RouteChanged](l)
		r := routeOf(4, "a="+ba)
		r.QueueDatas[0].Perm = protocol.PermWrite
		ns.names(map[string]protocol.TopicRouteData{"T": r})
		time.Sleep(31 * time.Second)
		if e := last[event.RouteChanged](t, l); !e.Known || len(e.Queues) != 0 {
			t.Errorf("told %+v, want no queues", e)
		}
	})
}

func TestRoutesOfALateSubscription(t *testing.T) {
	bubble(t, func(w *world) {
		w.serve(ns1).names(map[string]protocol.TopicRouteData{"T": routeOf(1, "a="+ba), "U": routeOf(2, "a="+ba)})
		i := w.client(Config{})
		first := w.register(i, "G1", "T")
		told[event.RouteChanged](first)
		second := w.register(i, "G2", "T")
		if e := last[event.RouteChanged](t, second); e.Topic != "T" || len(e.Queues) != 1 {
			t.Errorf("the second group was told %+v, want the known route", e)
		}
		wantTold[event.RouteChanged](t, first, 0)
		s, _ := protocol.ParseSubscription("U", "*", 1)
		second.mu.Lock()
		second.subs = append(second.subs, s)
		second.mu.Unlock()
		if err := i.RefreshRoutes(w.ctx, "U"); err != nil {
			t.Fatal(err)
		}
		if e := last[event.RouteChanged](t, second); e.Topic != "U" || len(e.Queues) != 2 {
			t.Errorf("told %+v, want the route of U", e)
		}
	})
}
