package conformance

import (
	"fmt"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func routeChecks() []Check {
	return []Check{
		{"C01", "the route of an unknown topic is answered with 17 and its name", unknownRoute},
		{"C02", "the auto-create topic is routed with 8 queues and permission 7", templateRoute},
		{"C03", "a topic made by a send is routed before the send is answered", routeOfNewTopic},
		{"C04", "old senders get routes with unquoted keys, newer ones standard JSON", routeDialects},
		{"X10", "registrations are additive, checked, and the first one is complete", registration},
		{"C57", "a broker whose connection to the name server ends leaves all routes at once", brokerLost},
		{"X11", "an unregistered broker leaves all its topics", unregistration},
		{"X20", "a producer starts: template route, heartbeat, send, own route", producerStart},
	}
}

func unknownRoute(e *Env) {
	c, topic := e.Client(), e.Name("none")
	resp := c.Want(protocol.TopicNotExist, e.NameServer, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topic}, nil)
	if !strings.Contains(resp.Remark, topic) || len(resp.Body) != 0 {
		e.Errorf("remark %q, body of %d bytes", resp.Remark, len(resp.Body))
	}
}

func templateRoute(e *Env) {
	c := e.Client()
	e.wantRoute(c, mq.AutoCreateTopic, 8, 8, 7)
}

// registered is how long the name server may go without a change of a topic: a broker tells it
// beside its answer, and when that fails again with its next registration of all topics.
const registered = 35 * time.Second

// wantRoute waits until the route of a topic is what is wanted.
func (e *Env) wantRoute(c *Client, topic string, read, write, perm int32) {
	e.Helper()
	if wrong := e.awaitRoute(c, topic, read, write, perm, registered); wrong != "" {
		e.Fatalf("%s: %s", topic, wrong)
	}
}

// changeRoute sets the queues of a topic and waits until its route has them. When a broker changes
// two topics at once both changes may come to the name server with the version of the later one:
// it takes the first for all there is to it and passes the other over, until its topic is changed
// again (Java: RouteInfoManager.isBrokerTopicConfigChanged). So it is, to something else and back: a
// broker that is told what it has does nothing (Java: AdminBrokerProcessor.updateAndCreateTopic).
func (e *Env) changeRoute(c *Client, topic string, read, write, perm int32) {
	e.Helper()
	wrong := ""
	for i := range 5 {
		if i > 0 {
			e.SetQueues(c, topic, read+1, write+1, perm)
		}
		e.SetQueues(c, topic, read, write, perm)
		if wrong = e.awaitRoute(c, topic, read, write, perm, 3*time.Second); wrong == "" {
			return
		}
	}
	e.Fatalf("%s: %s", topic, wrong)
}

// awaitRoute says what is wrong with a route after most, "" as soon as nothing is.
func (e *Env) awaitRoute(c *Client, topic string, read, write, perm int32, most time.Duration) (wrong string) {
	e.Helper()
	for end := time.Now().Add(most); ; e.Sleep(100 * time.Millisecond) {
		wrong = e.wrongRoute(e.Route(c, topic), read, write, perm)
		if wrong == "" || time.Now().After(end) {
			return wrong
		}
	}
}

// wrongRoute says what is not as wanted about a route, "" when all is.
func (e *Env) wrongRoute(route *protocol.TopicRouteData, read, write, perm int32) string {
	if route == nil {
		return "no route"
	}
	addr := e.Broker()
	for _, q := range route.QueueDatas {
		if q.BrokerName == e.broker.BrokerName && (q.ReadQueueNums != read || q.WriteQueueNums != write || q.Perm != perm) {
			return fmt.Sprintf("queue data %+v, want %d/%d queues, perm %d", q, read, write, perm)
		}
	}
	for _, b := range route.BrokerDatas {
		if b.BrokerName == e.broker.BrokerName && b.Addrs[mq.MasterID] != addr {
			return fmt.Sprintf("addresses %v, want master %s", b.Addrs, addr)
		}
	}
	return ""
}

func routeOfNewTopic(e *Env) {
	c, topic := e.Client(), e.Name("T")
	c.Send(topic, 0, "", "x")
	if wrong := e.wrongRoute(e.Route(c, topic), 4, 4, 6); wrong != "" {
		e.Errorf("%s", wrong)
	}
}

func routeDialects(e *Env) {
	c := e.Client()
	for _, v := range []struct {
		version int32
		key     string
	}{{317, `{0:"`}, {401, `{"0":"`}} {
		// The client stamps its own version, so the frame is written by hand.
		resp := e.rawCall(e.NameServer, &remoting.Command{
			Code: int32(protocol.GetRouteInfoByTopic), Version: v.version, Language: remoting.Go, Opaque: 5,
			Fields: protocol.Encode(&protocol.GetRouteInfoRequest{Topic: mq.AutoCreateTopic}),
		})
		if !strings.Contains(string(resp.Body), v.key) {
			e.Errorf("version %d: %s has no %s", v.version, resp.Body, v.key)
		}
	}
	resp := c.Want(0, e.NameServer, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: mq.AutoCreateTopic, AcceptStandardJSONOnly: protocol.Some(true)}, nil)
	if !strings.Contains(string(resp.Body), `{"0":"`) {
		e.Errorf("standard JSON asked for: %s", resp.Body)
	}
}

// standIn makes the name of a broker that only registers: behind those of real brokers, of
// which Broker takes the first.
func (e *Env) standIn() string { return e.Name("zz") }

// foreign is a broker that only registers.
func (e *Env) foreign(c *Client, name, addr string, topics ...string) protocol.ResponseCode {
	e.Helper()
	body := protocol.RegisterBrokerBody{TopicConfig: protocol.TopicConfigTable{
		DataVersion: protocol.DataVersion{Counter: int64(len(topics)), Timestamp: 1}, Topics: map[string]protocol.TopicConfig{},
	}}
	for _, t := range topics {
		body.TopicConfig.Topics[t] = protocol.TopicConfig{TopicName: t, ReadQueueNums: 3, WriteQueueNums: 3, Perm: 6, TopicFilterType: "SINGLE_TAG"}
	}
	return protocol.ResponseCode(c.Call(e.NameServer, protocol.RegisterBroker, &protocol.RegisterBrokerRequest{
		BrokerName: name, BrokerAddr: addr, ClusterName: e.Unique, HAServerAddr: "127.0.0.1:1",
	}, body.Encode()).Code)
}

func registration(e *Env) {
	c := e.Client()
	broker, first, second := e.standIn(), e.Name("T"), e.Name("T")
	const addr = "127.0.0.1:5"
	if code := e.foreign(c, broker, addr, first); code != protocol.SystemError {
		e.Errorf("a first registration with one topic: %v, want 1", code)
	}
	if e.Route(c, first) != nil {
		e.Errorf("the refused registration has left a route")
	}
	if code := e.foreign(c, broker, addr, first, second); code != protocol.Success {
		e.Fatalf("registration: %v", code)
	}
	third := e.Name("T")
	if code := e.foreign(c, broker, addr, third); code != protocol.Success {
		e.Fatalf("second registration: %v", code)
	}
	for _, topic := range []string{first, second, third} {
		if route := e.Route(c, topic); route == nil || len(route.BrokerDatas) != 1 || route.BrokerDatas[0].Addrs[0] != e.seen(addr) {
			e.Errorf("route of %s: %+v", topic, route)
		}
	}
	resp := c.Call(e.NameServer, protocol.RegisterBroker, &protocol.RegisterBrokerRequest{
		BrokerName: broker, BrokerAddr: addr, ClusterName: e.Unique, HAServerAddr: "127.0.0.1:1", BodyCRC32: 12345,
	}, protocol.RegisterBrokerBody{}.Encode())
	if protocol.ResponseCode(resp.Code) != protocol.SystemError {
		e.Errorf("wrong checksum: %v, want 1", protocol.ResponseCode(resp.Code))
	}
	c.Want(0, e.NameServer, protocol.UnregisterBroker, &protocol.UnregisterBrokerRequest{BrokerName: broker, BrokerAddr: addr, ClusterName: e.Unique}, nil)
}

func unregistration(e *Env) {
	c := e.Client()
	broker, first, second := e.standIn(), e.Name("T"), e.Name("T")
	const addr = "127.0.0.1:6"
	if code := e.foreign(c, broker, addr, first, second); code != protocol.Success {
		e.Fatalf("registration: %v", code)
	}
	c.Want(0, e.NameServer, protocol.UnregisterBroker, &protocol.UnregisterBrokerRequest{BrokerName: broker, BrokerAddr: addr, ClusterName: e.Unique}, nil)
	e.Sleep(200 * time.Millisecond) // a real name server works it off later
	if e.Route(c, first) != nil || e.Route(c, second) != nil {
		e.Errorf("topics of an unregistered broker are still routed")
	}
	info, err := protocol.DecodeClusterInfo(c.Want(0, e.NameServer, protocol.GetBrokerClusterInfo, nil, nil).Body)
	if _, there := info.BrokerAddrTable[broker]; err != nil || there {
		e.Errorf("the broker is still in its cluster (%v)", err)
	}
}

func brokerLost(e *Env) {
	c, one, other := e.Client(), e.Client(), e.Client()
	both, alone := e.Name("T"), e.Name("T")
	stays, goes := e.standIn(), e.standIn()
	const left, gone = "127.0.0.1:7", "127.0.0.1:8"
	if code := e.foreign(one, stays, left, both, e.Name("T")); code != protocol.Success {
		e.Fatalf("registration: %v", code)
	}
	if code := e.foreign(other, goes, gone, both, alone); code != protocol.Success {
		e.Fatalf("registration: %v", code)
	}
	if route := e.Route(c, both); route == nil || len(route.BrokerDatas) != 2 {
		e.Fatalf("route of both brokers: %+v", route)
	}
	other.Stop()
	end := time.Now()
	route := e.Route(c, both)
	for ; route != nil && len(route.BrokerDatas) > 1 && time.Since(end) < time.Second+e.Slack; route = e.Route(c, both) {
		e.Sleep(10 * time.Millisecond)
	}
	if route == nil || len(route.BrokerDatas) != 1 || route.BrokerDatas[0].BrokerName != stays || len(route.QueueDatas) != 1 || route.QueueDatas[0].BrokerName != stays {
		e.Errorf("route after one of two brokers was lost: %+v, want %s alone", route, stays)
	}
	resp := c.Want(protocol.TopicNotExist, e.NameServer, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: alone}, nil)
	if !strings.Contains(resp.Remark, alone) {
		e.Errorf("the route of its own topic is refused with %q", resp.Remark)
	}
	c.Want(0, e.NameServer, protocol.UnregisterBroker, &protocol.UnregisterBrokerRequest{BrokerName: stays, BrokerAddr: left, ClusterName: e.Unique}, nil)
}

func producerStart(e *Env) {
	c, topic := e.Client(), e.Name("T")
	if e.Route(c, topic) != nil {
		e.Fatalf("a fresh topic has a route")
	}
	if e.Route(c, mq.AutoCreateTopic) == nil {
		e.Fatalf("no route to the auto-create topic")
	}
	c.HeartbeatData(protocol.HeartbeatData{ClientID: c.ID, ProducerDataSet: []protocol.ProducerData{{GroupName: "P"}}})
	sent := c.Send(topic, 3, "", "x")
	if sent.QueueID != 3 || sent.QueueOffset != 0 || len(sent.MsgID) != 32 {
		e.Errorf("send answered %+v", sent)
	}
	e.wantRoute(c, topic, 4, 4, 6)
}
