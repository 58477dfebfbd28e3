package conformance

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func groupChecks() []Check {
	return []Check{
		{"C31", "each joining member is told to all, itself included", joining},
		{"C32", "a closed connection is told to the others", closing},
		{"C33", "a member without heartbeats is closed after 120 s, and nobody is told", expiring},
		{"C34", "members with different topics take each other's away", differentTopics},
		{"C35", "a broadcasting group is not told", broadcasting},
		{"C36", "heartbeats of version 2 tell whether the fingerprint changed", heartbeatV2},
		{"X21", "a consumer starts: heartbeat, retry topic, list, offsets, lock", consumerStart},
		{"X24", "unregistering is told and ends the group with its last member", unregistering},
		{"X25", "a changed set of topics is told, a refresh or a newer version is not", subscriptionChange},
		{"X26", "an illegal group is skipped silently", illegalGroup},
		{"X27", "a client with two connections is listed twice", twoConnections},
		{"X28", "a light heartbeat of version 2 keeps the subscriptions", lightHeartbeat},
	}
}

const soon = time.Second

func (e *Env) wantNotices(what string, c *Client, group string, want int) {
	e.Helper()
	if got := c.Notices(group, soon); got != want {
		e.Errorf("%s: %d notices, want %d", what, got, want)
	}
}

func joining(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	e.wantNotices("A after it registered", a, group, 1)
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	e.wantNotices("A after B registered", a, group, 1)
	e.wantNotices("B after it registered", b, group, 1)
	a.WantMembers(group, a, b)
}

func closing(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	e.wantNotices("A before B leaves", a, group, 2)
	b.Stop()
	e.wantNotices("A after B's connection closed", a, group, 1)
	a.WantMembers(group, a)
}

func expiring(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	start := time.Now()
	e.wantNotices("A at the start", a, group, 2)
	for gone := false; !gone; {
		e.Sleep(time.Second)
		if time.Since(start)%(10*time.Second) < time.Second {
			a.Heartbeat(group, e.Sub(topic, "*", 1))
		}
		b.busy(topic)
		gone = len(a.Members(group)) == 1
		if took := time.Since(start); gone || took > 140*time.Second {
			e.Within("the expiry of B", took, 120*time.Second, 133*time.Second)
			break
		}
	}
	a.WantMembers(group, a)
	if n := a.Notices(group, soon); n > 1 { // one in a rare race
		e.Errorf("A was told %d times", n)
	}
}

// busy keeps the connection from being idle, as long as there is one.
func (c *Client) busy(topic string) {
	// An error says that the connection is gone, which is what the check waits for.
	_ = c.c.OneWay(c.e.Broker(), &remoting.Command{
		Code: int32(protocol.GetMaxOffset), Fields: protocol.Encode(&protocol.GetMaxOffsetRequest{Topic: topic}),
	})
}

func differentTopics(e *Env) {
	a, b := e.Client(), e.Client()
	one, two, group := e.Topic(a, 1), e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(one, "*", 1))
	b.Heartbeat(group, e.Sub(two, "*", 1))
	if p := a.Pull(PullHeader(group, one, 0, 0, "")); p.Code != protocol.SubscriptionNotExist {
		e.Errorf("A's topic after B's heartbeat: %v, want 24", p.Code)
	}
	a.Notices(group, soon)
	a.Heartbeat(group, e.Sub(one, "*", 1))
	e.wantNotices("A's own refresh", a, group, 1)
	if p := a.Pull(PullHeader(group, one, 0, 0, "")); p.Code != protocol.PullNotFound {
		e.Errorf("A's topic after its heartbeat: %v, want 19", p.Code)
	}
}

func (c *Client) heartbeatAs(model mq.MessageModel, group string, subs ...protocol.SubscriptionData) {
	c.e.Helper()
	c.HeartbeatData(protocol.HeartbeatData{ClientID: c.ID, ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: group, ConsumeType: mq.Passively, MessageModel: model, SubscriptionDataSet: subs,
	}}})
}

func broadcasting(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.heartbeatAs(mq.Broadcasting, group, e.Sub(topic, "*", 1))
	b.heartbeatAs(mq.Broadcasting, group, e.Sub(topic, "*", 1))
	e.wantNotices("A", a, group, 0)
	a.WantMembers(group, a, b)
}

func (c *Client) heartbeatV2(group string, fingerprint int32, light bool, subs ...protocol.SubscriptionData) bool {
	c.e.Helper()
	h := c.HeartbeatData(protocol.HeartbeatData{
		ClientID: c.ID, HeartbeatFingerprint: fingerprint, WithoutSub: light,
		ConsumerDataSet: []protocol.ConsumerData{{
			GroupName: group, ConsumeType: mq.Passively, MessageModel: mq.Clustering, SubscriptionDataSet: subs,
		}},
	})
	if !h.SupportsV2.Value {
		c.e.Errorf("IS_SUPPORT_HEART_BEAT_V2 is not true")
	}
	return h.SubscriptionChanged.Value
}

func heartbeatV2(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	for i, step := range []struct {
		fingerprint int32
		changed     bool
	}{{1, false}, {1, false}, {2, true}, {0, true}, {3, true}} {
		if got := c.heartbeatV2(group, step.fingerprint, false, e.Sub(topic, "*", 1)); got != step.changed {
			e.Errorf("heartbeat %d with fingerprint %d: IS_SUB_CHANGE %v, want %v", i, step.fingerprint, got, step.changed)
		}
	}
}

func consumerStart(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 2), e.Name("G")
	retry := mq.RetryTopic(group)
	c.Heartbeat(group, e.Sub(topic, "*", 1), e.Sub(retry, "*", 1))
	e.wantRoute(c, retry, 1, 1, 6)
	c.WantMembers(group, c)
	for _, q := range []mq.MessageQueue{{Topic: topic, QueueID: 1}, {Topic: retry}} {
		code, offset := c.Committed(group, q.Topic, q.QueueID)
		e.WantOffset("stored offset of "+q.Topic, code, offset, protocol.QueryNotFound, 0)
	}
	if ids := c.Lock(group, topic, 0, 1); len(ids) != 2 {
		e.Errorf("locked %v", ids)
	}
	e.WantPull("first pull", c.Pull(PullHeader(group, topic, 0, 0, "")), protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
	if code := c.Commit(group, topic, 0, 0); code != protocol.Success {
		e.Errorf("commit: %v", code)
	}
}

func (c *Client) unregister(group string) {
	c.e.Helper()
	c.Want(0, c.e.Broker(), protocol.UnregisterClient, &protocol.UnregisterClientRequest{ClientID: c.ID, ConsumerGroup: group}, nil)
}

func unregistering(e *Env) {
	a, b, other := e.Client(), e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	e.wantNotices("A at the start", a, group, 2)
	other.unregister(group)
	e.wantNotices("A after a stranger unregistered", a, group, 1)
	b.unregister(group)
	e.wantNotices("A after B unregistered", a, group, 1)
	a.WantMembers(group, a)
	a.unregister(group)
	if list := b.Members(group); list != nil {
		e.Errorf("members %v of a group without any", list)
	}
}

func subscriptionChange(e *Env) {
	c := e.Client()
	one, two, group := e.Topic(c, 1), e.Topic(c, 1), e.Name("G")
	for _, step := range []struct {
		name string
		subs []protocol.SubscriptionData
		want int
	}{
		{"registering", []protocol.SubscriptionData{e.Sub(one, "*", 1)}, 1},
		{"a refresh", []protocol.SubscriptionData{e.Sub(one, "*", 1)}, 0},
		{"a newer version", []protocol.SubscriptionData{e.Sub(one, "A", 2)}, 0},
		{"one more topic", []protocol.SubscriptionData{e.Sub(one, "A", 2), e.Sub(two, "*", 2)}, 1},
		{"one topic less", []protocol.SubscriptionData{e.Sub(two, "*", 2)}, 1},
	} {
		c.Heartbeat(group, step.subs...)
		e.wantNotices(step.name, c, group, step.want)
	}
}

func illegalGroup(e *Env) {
	c := e.Client()
	c.Heartbeat("a.b", e.Sub(e.Topic(c, 1), "*", 1))
	if list := c.Members("a.b"); list != nil {
		e.Errorf("members %v", list)
	}
}

func twoConnections(e *Env) {
	a, b := e.Client(), e.Client()
	b.ID = a.ID
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	a.WantMembers(group, a, b)
}

func lightHeartbeat(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.heartbeatV2(group, 5, false, e.Sub(topic, "*", 1))
	c.heartbeatV2(group, 5, true)
	if p := c.Pull(PullHeader(group, topic, 0, 0, "")); p.Code != protocol.PullNotFound {
		e.Errorf("after a light heartbeat: %v, want 19", p.Code)
	}
}
