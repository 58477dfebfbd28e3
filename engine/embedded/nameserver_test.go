package embedded_test

import (
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/protocol"
)

// registerForeign registers a broker that does not belong to the cluster, with two topics.
func (c *client) registerForeign(name, addr string, timeout protocol.Opt[int64]) {
	c.w.t.Helper()
	body := protocol.RegisterBrokerBody{TopicConfig: protocol.TopicConfigTable{Topics: map[string]protocol.TopicConfig{
		name + "-1": {TopicName: name + "-1", ReadQueueNums: 1, WriteQueueNums: 1, Perm: 6},
		name + "-2": {TopicName: name + "-2", ReadQueueNums: 1, WriteQueueNums: 1, Perm: 6},
	}}}
	c.want(protocol.Success, nsAddr, protocol.RegisterBroker, &protocol.RegisterBrokerRequest{
		BrokerName: name, BrokerAddr: addr, ClusterName: "foreign", HAServerAddr: addr, HeartbeatTimeoutMillis: timeout,
	}, body.Encode())
}

func (c *client) wantRouted(topic string, want bool) {
	c.w.t.Helper()
	resp := c.call(nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topic}, nil)
	if got := resp.Code == 0; got != want {
		c.w.t.Errorf("%s is routed: %v, want %v", topic, got, want)
	}
}

func TestForeignBrokersExpireAndLeaveWithTheirConnection(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		silent, lost, c := w.client("silent"), w.client("lost"), w.client("c1")
		silent.registerForeign("silent", "127.0.0.1:1", protocol.Opt[int64]{})
		lost.registerForeign("lost", "127.0.0.1:2", protocol.Opt[int64]{})
		c.wantRouted("silent-1", true)
		c.wantRouted("lost-2", true)
		lost.stop()
		synctest.Wait()
		c.wantRouted("lost-2", false)
		time.Sleep(115 * time.Second)
		c.wantRouted("silent-1", true)
		time.Sleep(10 * time.Second)
		c.wantRouted("silent-1", false)
		c.wantRouted("silent-2", false)
	})
}

func TestASignOfLifeKeepsAForeignBroker(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		foreign, c := w.client("foreign"), w.client("c1")
		foreign.registerForeign("f", "127.0.0.1:1", protocol.Some(int64(20_000)))
		for range 6 {
			time.Sleep(15 * time.Second)
			foreign.want(protocol.Success, nsAddr, protocol.BrokerHeartbeat, &protocol.BrokerHeartbeatRequest{
				ClusterName: "foreign", BrokerAddr: "127.0.0.1:1", BrokerName: "f",
			}, nil)
		}
		c.wantRouted("f-1", true)
		time.Sleep(30 * time.Second)
		c.wantRouted("f-1", false)
	})
}

func TestWritePermissionIsWipedAndAdded(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		c := w.client("c1")
		perm := func() int32 {
			t.Helper()
			resp := c.want(protocol.Success, nsAddr, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topicT}, nil)
			r, err := protocol.DecodeTopicRouteData(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return r.QueueDatas[0].Perm
		}
		c.want(protocol.Success, nsAddr, protocol.WipeWritePermOfBroker, &protocol.WipeWritePermRequest{BrokerName: brokerA}, nil)
		if perm() != protocol.PermRead {
			t.Errorf("perm %d after the wipe", perm())
		}
		c.want(protocol.Success, nsAddr, protocol.AddWritePermOfBroker, &protocol.AddWritePermRequest{BrokerName: brokerA}, nil)
		if perm() != 6 {
			t.Errorf("perm %d after adding", perm())
		}
		c.want(protocol.Success, nsAddr, protocol.DeleteTopicInNamesrv, &protocol.DeleteTopicFromNamesrvRequest{Topic: topicT}, nil)
		c.wantRouted(topicT, false)
	})
}

func TestKeyValueConfiguration(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		c := w.client("c1")
		get := &protocol.GetKVConfigRequest{Namespace: "n", Key: "k"}
		c.want(protocol.QueryNotFound, nsAddr, protocol.GetKVConfig, get, nil)
		c.want(protocol.Success, nsAddr, protocol.PutKVConfig, &protocol.PutKVConfigRequest{Namespace: "n", Key: "k", Value: "v"}, nil)
		var h protocol.GetKVConfigResponse
		if err := protocol.Decode(c.want(protocol.Success, nsAddr, protocol.GetKVConfig, get, nil).Fields, &h); err != nil || h.Value != "v" {
			t.Errorf("%+v %v", h, err)
		}
		table, err := protocol.DecodeKVTable(c.want(protocol.Success, nsAddr, protocol.GetKVListByNamespace, &protocol.GetKVListByNamespaceRequest{Namespace: "n"}, nil).Body)
		if err != nil || table.Table["k"] != "v" {
			t.Errorf("%+v %v", table, err)
		}
		c.want(protocol.Success, nsAddr, protocol.DeleteKVConfig, &protocol.DeleteKVConfigRequest{Namespace: "n", Key: "k"}, nil)
		c.want(protocol.QueryNotFound, nsAddr, protocol.GetKVConfig, get, nil)
	})
}
