package network_test

import (
	"context"
	"math/rand/v2"
	gonet "net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/client"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
)

// setting is a cluster, one client of it and a way to let time pass: simulated, or a
// remoting.Client over connections in a test bubble.
type setting struct {
	m         *member
	pass      func(time.Duration)
	stop      func() error
	start     func() error
	intercept func(code int32, fn embedded.InterceptFunc) (remove func())
}

// idleAfter is less than the 120 s after which servers close connections: simulated ones do not.
const idleAfter = 100 * time.Second

// scenarios are what a client can meet. What is heard in one must be the same in both settings.
var scenarios = map[string]func(s *setting){
	"a broker that restarts": func(s *setting) {
		s.m.ask("pull", time.Minute, pullAt(0))
		s.pass(time.Second)
		_ = s.stop()
		s.pass(10 * time.Millisecond)
		s.m.ask("while down", time.Second, sendOf("x"))
		s.pass(5 * time.Second)
		s.m.hear("now it starts")
		_ = s.start()
		s.pass(2 * time.Second)
		s.m.ask("when back", time.Second, sendOf("x"))
		s.pass(time.Second)
	},
	"a broker that is down at first": func(s *setting) {
		_ = s.stop()
		s.m.ask("first", time.Second, sendOf("x"))
		s.pass(500 * time.Millisecond)
		s.m.ask("second", time.Second, sendOf("x"))
		_ = s.start()
		s.pass(2 * time.Second)
		s.m.ask("third", time.Second, sendOf("x"))
		s.pass(time.Second)
	},
	"a broker that nobody wants": func(s *setting) {
		_ = s.stop()
		s.m.ask("first", time.Second, sendOf("x"))
		s.pass(3 * time.Minute)
		_ = s.start()
		s.pass(time.Minute)
		s.m.ask("again", time.Second, sendOf("x"))
		s.pass(time.Second)
	},
	"a connection that is silent": func(s *setting) {
		s.m.ask("send", time.Second, sendOf("x"))
		s.pass(99 * time.Second)
		s.m.hear("nothing so far")
		s.pass(2 * time.Second)
		s.m.ask("send", time.Second, sendOf("x"))
		s.pass(90 * time.Second)
		s.m.ask("pull", time.Minute, pullAt(2))
		s.pass(90 * time.Second)
		s.m.hear("nothing so far")
		s.pass(60 * time.Second)
	},
	"requests that vanish": func(s *setting) {
		remove := s.intercept(embedded.AnyCode, func(*embedded.Request) embedded.Verdict { return embedded.Drop })
		for range 5 {
			s.m.ask("send", 3*time.Second, sendOf("x"))
			s.pass(4 * time.Second)
		}
		remove()
		s.m.ask("send", 3*time.Second, sendOf("x"))
		s.pass(4 * time.Second)
	},
	"connections that the broker closes": func(s *setting) {
		remove := s.intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.CloseConn })
		s.m.ask("first", time.Second, sendOf("x"))
		s.pass(2 * time.Second)
		remove()
		s.m.ask("beat", time.Second, heartbeatOf("c"))
		s.pass(time.Second)
		s.intercept(int32(protocol.HeartBeat), func(*embedded.Request) embedded.Verdict { return embedded.CloseAfter })
		s.m.ask("pull", time.Minute, pullAt(0))
		s.pass(time.Second)
		s.m.ask("second", time.Minute, heartbeatOf("c"))
		s.pass(2 * time.Second)
	},
	"an address that is forgotten": func(s *setting) {
		s.m.ask("pull", time.Minute, pullAt(0))
		s.pass(time.Second)
		s.m.net.Forget(s.m.w.addr)
		s.pass(time.Second)
		s.m.ask("send", time.Second, sendOf("x"))
		s.pass(time.Second)
		_ = s.stop()
		s.pass(10 * time.Millisecond)
		s.m.net.Forget(s.m.w.addr)
		s.pass(time.Second)
	},
	"requests of which some vanish": func(s *setting) {
		s.intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.Drop })
		for range 5 {
			s.m.ask("send", 3*time.Second, sendOf("x"))
			s.pass(4 * time.Second)
			s.m.ask("beat", 3*time.Second, heartbeatOf("c"))
			s.pass(time.Second)
		}
	},
	"one request that vanishes among others": func(s *setting) {
		s.intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.Drop })
		s.m.ask("send", 13*time.Second, sendOf("x"))
		for range 8 {
			s.m.ask("beat", 3*time.Second, heartbeatOf("c"))
			s.pass(2 * time.Second)
		}
	},
	"an answer that takes long": func(s *setting) {
		s.intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.DelayReply(110 * time.Second) })
		s.m.ask("send", 200*time.Second, sendOf("x"))
		s.pass(105 * time.Second)
		s.m.hear("nothing so far")
		s.pass(100 * time.Second)
		s.m.hear("nothing more so far")
		s.pass(10 * time.Second)
	},
	"an answer that comes late": func(s *setting) {
		s.intercept(int32(protocol.SendMessageV2), func(*embedded.Request) embedded.Verdict { return embedded.DelayReply(5 * time.Second) })
		s.m.ask("send", 3*time.Second, sendOf("x"))
		s.pass(10 * time.Second)
		stats := s.m.net.Stats()
		s.m.hear("%d late answers, %d unknown", stats.LateAnswers, stats.UnknownAnswers)
	},
	"a member that is silent for two minutes": func(s *setting) {
		s.m.ask("beat", time.Second, heartbeatOf("c"))
		s.pass(time.Second)
		for range 20 {
			s.m.ask("send", time.Second, sendOf("x"))
			s.pass(10 * time.Second)
		}
	},
}

func TestWhatAClientHearsIsTheSameAsOverConnections(t *testing.T) {
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			real := overConnections(t, scenario)
			if diff := cmp.Diff(real, inSimulation(t, false, scenario)); diff != "" {
				t.Errorf("(-real +simulated):\n%s", diff)
			}
			if diff := cmp.Diff(real, inSimulation(t, true, scenario)); diff != "" {
				t.Errorf("what was taken back happens nevertheless (-real +simulated):\n%s", diff)
			}
			if len(real) < 3 {
				t.Errorf("only this happened: %q", real)
			}
		})
	}
}

// quiet takes requests that over connections come at any time.
func quiet(context.Context, string, *remoting.Command) *remoting.Command { return nil }

func inSimulation(t *testing.T, stubborn bool, scenario func(*setting)) []string {
	t.Helper()
	w := newWorld(t, network.Config{Latency: time.Microsecond})
	w.tl.stubborn = stubborn
	m := w.client("c", remoting.ClientConfig{OnRequest: quiet, IdleAfter: idleAfter})
	scenario(&setting{
		m: m, pass: w.tl.pass,
		stop:      func() error { return w.cluster.StopBroker(brokerA) },
		start:     func() error { return w.cluster.StartBroker(brokerA) },
		intercept: w.cluster.Intercept,
	})
	return m.took() // the end of the client is not part of it
}

func overConnections(t *testing.T, scenario func(*setting)) (heard []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		wires := memnet.New()
		cluster, err := embedded.New(embedded.Config{
			Listen: wires.Listen, NameServerAddr: "127.0.0.1:9876", BrokerAddrs: []string{"127.0.0.1:10911"},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() { ended <- cluster.Run(ctx) }()
		<-cluster.Ready()
		if err := cluster.CreateTopic(topicT, 1); err != nil {
			t.Fatal(err)
		}
		m := &member{w: &world{t: t, addr: cluster.BrokerAddr(brokerA)}, id: "c"}
		c := remoting.NewClient(remoting.ClientConfig{
			Dial: func(ctx context.Context, network, addr string) (gonet.Conn, error) {
				time.Sleep(time.Microsecond) // so that requests come before its end
				return wires.Dial(ctx, network, addr)
			},
			Rand: rand.New(rand.NewPCG(3, 4)), IdleAfter: idleAfter,
			OnState:   func(s remoting.AddrState) { m.hear("%s", stateText(s)) },
			OnRequest: quiet,
		})
		m.net = client.Network(c)
		go func() { ended <- c.Run(ctx) }()
		scenario(&setting{
			m: m, pass: func(d time.Duration) { time.Sleep(d); synctest.Wait() },
			stop:      func() error { return cluster.StopBroker(brokerA) },
			start:     func() error { return cluster.StartBroker(brokerA) },
			intercept: cluster.Intercept,
		})
		heard = m.took()
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	return heard
}
