package embedded_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestSeveralBrokersShareTopicsAndKeepTheirOwnMessages(t *testing.T) {
	const addrB = "127.0.0.1:10921"
	cfg := embedded.Config{Brokers: []string{brokerA, "broker-b"}, BrokerAddrs: []string{addrA, addrB}}
	inBubble(t, cfg, func(w *world) {
		w.createTopic(topicT, 2)
		c := w.client("c1")
		route := func() protocol.TopicRouteData {
			resp := c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil)
			r, err := protocol.DecodeTopicRouteData(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		addrs := map[string]string{}
		for _, b := range route().BrokerDatas {
			addrs[b.BrokerName] = b.Addrs[mq.MasterID]
		}
		if diff := cmp.Diff(map[string]string{brokerA: addrA, "broker-b": addrB}, addrs); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
		for addr, body := range map[string]string{addrA: "a", addrB: "b"} {
			c.want(protocol.Success, addr, protocol.SendMessageV2, sendHeader(topicT, 0), []byte(body))
			p := w.parsePull(c.want(protocol.Success, addr, protocol.PullMessage, pullHeader(topicT, 0, 0, anything), nil))
			if diff := cmp.Diff([]string{body}, p.Bodies); diff != "" {
				t.Errorf("%s (-want +got):\n%s", addr, diff)
			}
		}
		if err := w.cluster.StopBroker("broker-b"); err != nil {
			t.Fatal(err)
		}
		if r := route(); len(r.BrokerDatas) != 1 || r.BrokerDatas[0].BrokerName != brokerA {
			t.Errorf("route after a broker went: %+v", r.BrokerDatas)
		}
		info, err := protocol.DecodeClusterInfo(c.want(protocol.Success, nsAddr, protocol.GetBrokerClusterInfo, &protocol.HeartbeatRequest{}, nil).Body)
		if diff := cmp.Diff(map[string][]string{embedded.DefaultClusterName: {brokerA}}, info.ClusterAddrTable); err != nil || diff != "" {
			t.Errorf("cluster: %v %s", err, diff)
		}
	})
}

func TestQueueNumbersChangeAtRunTime(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 0)
		c := w.client("c1")
		c.send(topicT, 3, "", "x")
		w.createTopic(topicT, 2)
		c.want(protocol.InvalidParameter, addrA, protocol.PullMessage, pullHeader(topicT, 3, 0, anything), nil)
		c.want(protocol.InvalidParameter, addrA, protocol.SendMessageV2, sendHeader(topicT, 3), []byte("x"))
		w.createTopic(topicT, 8)
		if p := c.pull(pullHeader(topicT, 3, 0, anything)); len(p.Bodies) != 1 {
			t.Errorf("%+v", p)
		}
		for _, fault := range []struct {
			name   string
			queues int
		}{{"a.b", 1}, {"", 1}, {mq.ScheduleTopic, 1}, {topicT, -1}, {topicT, 5000}} {
			if err := w.cluster.CreateTopic(fault.name, fault.queues); err == nil {
				t.Errorf("topic %q with %d queues was made", fault.name, fault.queues)
			}
		}
	})
}

func TestBeyondItsMemoryTheBrokerDropsTheOldest(t *testing.T) {
	inBubble(t, embedded.Config{MaxBytes: 2 << 20}, func(w *world) {
		w.createTopic(topicT, 2)
		c := w.client("c1")
		for i := range int32(3000) {
			c.send(topicT, i%2, "", strings.Repeat("x", 1000))
		}
		synctest.Wait()
		var gone [2]int64
		w.cluster.Inspect(func(s *embedded.State) {
			b := s.Broker(brokerA)
			if b.Store.Bytes() > 2<<20 {
				t.Errorf("%d bytes are kept", b.Store.Bytes())
			}
			for _, n := range w.notices {
				if n.Kind == embedded.MessagesDropped {
					if n.Broker != brokerA || n.Queue.Topic != topicT || n.From != gone[n.Queue.QueueID] || n.Messages() <= 0 {
						t.Errorf("notice %+v", n)
					}
					gone[n.Queue.QueueID] = n.To
				}
			}
			for id := range int32(2) {
				if lo := b.MinOffset(topicT, id); lo == 0 || lo != gone[id] {
					t.Errorf("queue %d begins at %d, dropped up to %d", id, lo, gone[id])
				}
			}
			if b.Store.Dropped() != gone[0]+gone[1] {
				t.Errorf("counted %d, told %v", b.Store.Dropped(), gone)
			}
		})
		want := pulled{Code: protocol.PullOffsetMoved, Remark: "OFFSET_TOO_SMALL", Next: gone[0], Min: gone[0], Max: 1500}
		if diff := cmp.Diff(want, c.pull(pullHeader(topicT, 0, 0, anything))); diff != "" {
			t.Errorf("pull of what is gone (-want +got):\n%s", diff)
		}
		if p := c.pull(pullHeader(topicT, 0, gone[0], anything)); len(p.Bodies) != 32 {
			t.Errorf("pull of what is left: %v, %d messages", p.Code, len(p.Bodies))
		}
	})
}

func TestTrimAndTruncateMoveConsumers(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		for _, body := range bodies(0, 10) {
			c.send(topicT, 0, "", body)
		}
		w.cluster.Inspect(func(s *embedded.State) {
			s.Broker(brokerA).Trim(topicT, 0, 4)
			s.Broker(brokerA).Truncate(topicT, 0, 7)
		})
		for _, test := range []struct {
			name   string
			offset int64
			want   pulled
		}{
			{"below the start", 2, pulled{protocol.PullOffsetMoved, "OFFSET_TOO_SMALL", 4, 4, 7, nil}},
			{"what is left", 4, pulled{protocol.Success, "FOUND", 7, 4, 7, bodies(4, 7)}},
			{"beyond the new end", 10, pulled{protocol.PullOffsetMoved, "OFFSET_OVERFLOW_BADLY", 7, 4, 7, nil}},
		} {
			if diff := cmp.Diff(test.want, c.pull(pullHeader(topicT, 0, test.offset, anything))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

func TestConfigNamesAllItsFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  embedded.Config
		want []string // parts of the error
	}{
		{"defaults are fine", embedded.Config{}, nil},
		{"an open address", embedded.Config{NameServerAddr: "0.0.0.0:9876"}, []string{"0.0.0.0:9876", "AllowRemote"}},
		{"an open address on purpose", embedded.Config{NameServerAddr: "192.0.2.1:9876", AllowRemote: true}, nil},
		{"an address for every interface", embedded.Config{NameServerAddr: "0.0.0.0:9876", AllowRemote: true}, []string{"0.0.0.0:9876", "clients"}},
		{"no address at all", embedded.Config{NameServerAddr: "nowhere"}, []string{"nowhere", "host:port"}},
		{"two brokers of one name and one address", embedded.Config{Brokers: []string{"b", "b"}, BrokerAddrs: []string{"127.0.0.1:1"}}, []string{"BrokerAddrs", "name of its own"}},
		{"numbers out of range", embedded.Config{QueuesPerTopic: 5000, MaxBytes: 5, PullBatchBytes: -1, PullHoldTick: 1}, []string{"QueuesPerTopic is 5000", "MaxBytes is 5", "PullBatchBytes is -1", "PullHoldTick"}},
		{"a bad delay level", embedded.Config{DelayLevels: "1s 5x"}, []string{"5x"}},
		{"a bad name", embedded.Config{Brokers: []string{"a.b"}}, []string{"a.b"}},
	} {
		_, err := embedded.New(test.cfg)
		if (err != nil) != (test.want != nil) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, part := range test.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not say %q", test.name, err, part)
			}
		}
	}
}

func TestSwitchesOfARealBroker(t *testing.T) {
	t.Run("without topic creation the template is not routed and sends get 17", func(t *testing.T) {
		inBubble(t, embedded.Config{NoAutoCreateTopic: true}, func(w *world) {
			c := w.client("c1")
			c.want(protocol.TopicNotExist, nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: mq.AutoCreateTopic}, nil)
			c.want(protocol.TopicNotExist, addrA, protocol.SendMessageV2, sendHeader("new", 0), []byte("x"))
		})
	})
	t.Run("without group creation unknown groups get 26 and are skipped in heartbeats", func(t *testing.T) {
		inBubble(t, embedded.Config{NoAutoCreateGroup: true}, func(w *world) {
			w.createTopic(topicT, 1)
			c := w.client("c1")
			c.want(protocol.SubscriptionGroupNotExist, addrA, protocol.PullMessage, pullHeader(topicT, 0, 0, anything), nil)
			c.heartbeat(sub(t, topicT, anything, 1))
			c.want(protocol.SystemError, addrA, protocol.GetConsumerListByGroup, &protocol.GetConsumerListByGroupRequest{ConsumerGroup: groupG}, nil)
			w.cluster.Inspect(func(s *embedded.State) { s.Broker(brokerA).EnsureGroup("CID_RMQ_SYS_x") })
		})
	})
	t.Run("with long polling off a pull is held one second and no arrival wakes it", func(t *testing.T) {
		inBubble(t, embedded.Config{NoLongPolling: true}, func(w *world) {
			w.createTopic(topicT, 1)
			c := w.client("c1")
			h := pullHeader(topicT, 0, 0, anything)
			h.SysFlag |= suspend
			start := time.Now()
			held := c.goCall(addrA, protocol.PullMessage, h, nil)
			synctest.Wait()
			c.send(topicT, 0, "", "x")
			if p := w.parsePull(<-held); len(p.Bodies) != 1 {
				t.Errorf("%+v", p)
			}
			if took := time.Since(start); took < 500*time.Millisecond || took > 2*time.Second {
				t.Errorf("answered after %v", took)
			}
		})
	})
	t.Run("a broker that may not be read refuses pulls, held ones at their wake", func(t *testing.T) {
		inBubble(t, embedded.Config{}, func(w *world) {
			w.createTopic(topicT, 1)
			c := w.client("c1")
			h := pullHeader(topicT, 0, 0, anything)
			h.SysFlag |= suspend
			held := c.goCall(addrA, protocol.PullMessage, h, nil)
			synctest.Wait()
			w.cluster.Inspect(func(s *embedded.State) { s.Broker(brokerA).SetPerm("", protocol.PermWrite) })
			if p := w.parsePull(<-held); p.Code != protocol.NoPermission {
				t.Errorf("held: %+v", p)
			}
			resp := c.want(protocol.NoPermission, addrA, protocol.PullMessage, pullHeader(topicT, 0, 0, anything), nil)
			if kind, _ := resp.Fields.Get("forbiddenType"); kind != "1" {
				t.Errorf("forbiddenType %s", kind)
			}
			route := c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil)
			if r, err := protocol.DecodeTopicRouteData(route.Body); err != nil || r.QueueDatas[0].Perm != protocol.PermWrite {
				t.Errorf("routed with %+v, %v", r.QueueDatas, err)
			}
		})
	})
}
