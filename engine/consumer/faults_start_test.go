package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// failing checks that the source says that it does not work, why, and when it tries again.
func (m *member) failing(s *snapshot.Snapshot, why string) {
	m.w.t.Helper()
	if s.Source.State != snapshot.Failing || !strings.Contains(s.Source.Err, why) || s.Source.RetryAt.Before(s.At) {
		m.w.t.Errorf("source is %+v, want it failing because of %q, with the next try", s.Source, why)
	}
}

func TestFS1NameServersDownAtTheStart(t *testing.T) {
	down := map[string]func(w *world) (up func()){
		"nobody listens": func(w *world) func() {
			w.cluster.StopNameServer()
			return func() {
				if err := w.cluster.StartNameServer(); err != nil {
					w.t.Error(err)
				}
			}
		},
		"packets are dropped": func(w *world) func() {
			w.net.Blackhole(nameServer, true)
			return func() { w.net.Blackhole(nameServer, false) }
		},
	}
	for name, start := range down {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				w.send(100, "x")
				up := start(w)
				m := w.join("192.0.2.10@me", nil)
				for range 3 {
					m.failing(m.after(20*time.Second), "name server")
				}
				if distinct(m) != 0 {
					t.Error("consumed without a route")
				}
				up()
				s := m.after(16 * time.Second) // a dial that waits for ever takes 3 s, then the next try
				if s.Source.State != snapshot.Running || s.Source.Err != "" {
					t.Errorf("source is %+v, want it running", s.Source)
				}
				m.caughtUp(s, 4)
				if len(told(s, "start: ")) == 0 {
					t.Error("the failed starts are not told")
				}
			})
		})
	}
}

func TestFS1BrokersDownAtTheStart(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		w.send(100, "x")
		w.net.Refuse(addrOf("broker-a"), errors.New("host is down"))
		m := w.join("192.0.2.10@me", nil)
		m.failing(m.after(20*time.Second), "no broker took the heartbeat")
		w.net.Refuse(addrOf("broker-a"), nil)
		s := m.after(12 * time.Second)
		if s.Source.State != snapshot.Running {
			t.Errorf("source is %+v, want it running", s.Source)
		}
		m.caughtUp(s, 4)
	})
}

func TestFS2NameServersDownAfterTheStart(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		m := w.join("192.0.2.10@me", nil)
		w.send(10, "x")
		m.after(5 * time.Second)
		w.cluster.StopNameServer()
		for i := range 10 {
			w.sendTo(queueOf("broker-a", int32(i%4)), 5)
			w.sendTo(queueOf("broker-b", int32(i%4)), 5)
			s := m.after(30 * time.Second)
			m.caughtUp(s, 8)
			if ns := s.Cluster.NameServers[0]; i > 2 && (ns.Up || ns.Err == "") {
				t.Errorf("name server is %+v, want it down, and why", ns)
			}
		}
		books.once()
	})
}

func TestTopicThatIsCreatedAfterTheStart(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		m := w.join("192.0.2.10@me", nil)
		m.failing(m.after(20*time.Second), topic)
		w.createTopic(topic, 4)
		w.send(40, "x")
		s := m.after(11 * time.Second)
		if s.Source.State != snapshot.Running {
			t.Errorf("source is %+v, want it running", s.Source)
		}
		m.caughtUp(s, 4)
	})
}

// A topic that is missing holds up no other.
func TestOneTopicOfTwoIsMissing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		w.send(40, "x")
		m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) {
			c.Subscriptions = []consumer.Subscription{{Topic: "missing"}, {Topic: topic}}
		})
		s := m.after(20 * time.Second)
		m.failing(s, "missing")
		m.caughtUp(s, 4)
		w.createTopic("missing", 2)
		s = m.after(7 * time.Second)
		if s.Source.State != snapshot.Running {
			t.Errorf("source is %+v, want it running", s.Source)
		}
		for id := range int32(2) {
			if q := queue(s, mq.MessageQueue{Topic: "missing", BrokerName: "broker-a", QueueID: id}); q.State != snapshot.Pulling {
				t.Errorf("queue %d of the new topic is %v", id, q.State)
			}
		}
	})
}

// The question for the retry topic's route may be on its way already when the heartbeat makes
// the topic: here the second one, which is the last of the instance's own for half a minute.
func TestRetryTopicIsFoundAtTheStart(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 1)
		asked := 0
		w.onCode(protocol.GetRouteInfoByTopic, func(r *embedded.Request) embedded.Verdict {
			var h protocol.GetRouteInfoRequest
			if err := protocol.Decode(r.Cmd.Fields, &h); err != nil {
				t.Error(err)
			}
			if !mq.IsRetryTopic(h.Topic) {
				return embedded.Pass
			}
			if asked++; asked == 2 {
				return embedded.DelayReply(50 * time.Millisecond)
			}
			return embedded.Pass
		})
		w.onCode(protocol.HeartBeat, func(*embedded.Request) embedded.Verdict { return embedded.Delay(20 * time.Millisecond) })
		m := w.join("192.0.2.10@me", nil)
		s := m.after(3 * time.Second)
		for _, b := range w.brokers {
			if q := queue(s, mq.MessageQueue{Topic: mq.RetryTopic(group), BrokerName: b}); q.State != snapshot.Pulling {
				t.Errorf("the retry queue of %s is %v after three seconds, want it pulled", b, q.State)
			}
		}
	})
}

func TestP19TwoHundredStartsAndStopsLeaveNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		books := w.ledger()
		for i := range 200 {
			w.send(2, fmt.Sprint("round-", i))
			m := w.join("192.0.2.10@me", nil)
			time.Sleep(time.Duration(i%25) * 100 * time.Millisecond) // in every phase of a start
			m.stop()
		}
		m := w.join("192.0.2.10@me", nil)
		m.caughtUp(m.after(7*time.Second), 4)
		books.once()
	})
}

func TestP21HundredFailedStartsLeaveNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		for i := range 100 {
			m := w.join("192.0.2.10@me", nil)
			s := m.after(time.Duration(i) * 50 * time.Millisecond)
			m.failing(s, topic)
			m.stop()
		}
	})
}

func TestP21StartOfAGroupThatTheInstanceHasAlready(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		m := w.join("192.0.2.10@me", nil)
		m.after(time.Second)
		cfg := consumer.Config{Group: group, Subscriptions: []consumer.Subscription{{Topic: topic}}, Listener: discard}
		for range 100 {
			second, err := consumer.NewPush(cfg, m.instance)
			if err != nil {
				t.Fatal(err)
			}
			if err := second.Run(context.Background()); !errors.Is(err, client.ErrDuplicateGroup) {
				t.Fatalf("ended with %v, want ErrDuplicateGroup", err)
			}
		}
		w.send(10, "x")
		m.caughtUp(m.after(7*time.Second), 4)
	})
}

func TestNewPushNamesTheClientIDThatItCanNotHave(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		cfg := consumer.Config{Group: group, ClientID: "192.0.2.10@other", Subscriptions: []consumer.Subscription{{Topic: topic}}, Listener: discard}
		_, err := consumer.NewPush(cfg, w.instance("192.0.2.10@me", w.net.Dial))
		if err == nil || !strings.Contains(err.Error(), `"192.0.2.10@other"`) || !strings.Contains(err.Error(), `"192.0.2.10@me"`) {
			t.Errorf("error is %v, want both ids", err)
		}
	})
}

func TestHeartbeatsThatFailAreWarned(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.net.Refuse(addrOf("broker-a"), errors.New("host is down"))
		m := w.join("192.0.2.10@me", nil)
		s := m.after(time.Second)
		if got := told(s, "heartbeat", "host is down"); len(got) == 0 || got[0].Level != event.Warn {
			t.Errorf("told %v, want a warning:\n%s", got, texts(s))
		}
		w.net.Refuse(addrOf("broker-a"), nil)
	})
}
