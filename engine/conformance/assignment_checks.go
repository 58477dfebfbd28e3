package conformance

import (
	"fmt"
	"slices"
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func assignmentChecks() []Check {
	return []Check{
		{"C62", "a broker allots queues to members, and none to a group that is not there", brokerAllots},
		{"X74", "the request mode is stored for a group and topic, and assignments tell it", requestMode},
	}
}

// assigned asks for the queues of a client in words, sorted: "0 1 PULL"; "none" when there is
// no list, and just the empty text when the list is.
func (c *Client) assigned(group, topic, strategy string, model mq.MessageModel) string {
	c.e.Helper()
	body := protocol.QueryAssignmentRequest{ClientID: c.ID, ConsumerGroup: group, MessageModel: model, StrategyName: strategy, Topic: topic}
	answer, err := protocol.DecodeQueryAssignmentResponse(c.Want(0, c.e.Broker(), protocol.QueryAssignment, nil, body.Encode()).Body)
	if err != nil {
		c.e.Fatalf("assignment: %v", err)
	}
	if answer.Assignments == nil {
		return "none"
	}
	var ids []int32
	modes := map[string]bool{}
	for _, a := range answer.Assignments {
		if a.Queue.Topic != topic || a.Queue.BrokerName != c.e.broker.BrokerName {
			c.e.Errorf("assigned %v", a.Queue)
		}
		ids = append(ids, a.Queue.QueueID)
		modes[a.Mode] = true
	}
	slices.Sort(ids)
	var words []string
	for _, id := range ids {
		words = append(words, fmt.Sprint(id))
	}
	for mode := range modes {
		words = append(words, mode)
	}
	return strings.Join(words, " ")
}

func (c *Client) wantAssigned(what, group, topic, strategy, want string) {
	c.e.Helper()
	if got := c.assigned(group, topic, strategy, mq.Clustering); got != want {
		c.e.Errorf("%s: %q, want %q", what, got, want)
	}
}

func brokerAllots(e *Env) {
	a, b, stranger := e.Client(), e.Client(), e.Client()
	topic, group := e.Topic(a, 5), e.Name("G")
	a.wantAssigned("nobody is online", group, topic, "AVG", "none")
	a.Heartbeat(group, e.Sub(topic, "*", 1))
	a.wantAssigned("one member", group, topic, "AVG", "0 1 2 3 4 PULL")
	b.Heartbeat(group, e.Sub(topic, "*", 1))
	for _, row := range []struct {
		c              *Client
		strategy, want string
	}{
		{a, "AVG", "0 1 2 PULL"}, {b, "AVG", "3 4 PULL"},
		{a, "AVG_BY_CIRCLE", "0 2 4 PULL"}, {b, "AVG_BY_CIRCLE", "1 3 PULL"},
		{a, "CONSISTENT_HASH", "none"}, {a, "", "none"},
		{stranger, "AVG", ""},
	} {
		row.c.wantAssigned(row.c.ID+" by "+row.strategy, group, topic, row.strategy, row.want)
	}
	if got := stranger.assigned(group, topic, "AVG", mq.Broadcasting); got != "0 1 2 3 4 PULL" {
		e.Errorf("broadcasting: %q, want all", got)
	}
	a.wantAssigned("a topic without a route", group, e.Name("none"), "AVG", "none")
}

func (c *Client) setMode(want protocol.ResponseCode, group, topic, mode string, share int32) {
	c.e.Helper()
	c.Want(want, c.e.Broker(), protocol.SetMessageRequestMode, nil, protocol.SetMessageRequestModeRequest{
		ConsumerGroup: group, Topic: topic, Mode: mode, PopShareQueueNum: share,
	}.Encode())
}

func requestMode(e *Env) {
	members := []*Client{e.Client(), e.Client(), e.Client()}
	a := members[0]
	topic, group := e.Topic(a, 6), e.Name("G")
	for _, m := range members {
		m.Heartbeat(group, e.Sub(topic, "*", 1), e.Sub(mq.RetryTopic(group), "*", 1))
	}
	a.setMode(protocol.NoPermission, group, mq.RetryTopic(group), protocol.ModePop, 0)
	a.setMode(protocol.TopicNotExist, group, e.Name("none"), protocol.ModePop, 0)
	a.setMode(protocol.SubscriptionGroupNotExist, "a.b", topic, protocol.ModePop, 0)
	a.setMode(0, group, topic, protocol.ModePop, 0)
	a.wantAssigned("popped by all", group, topic, "AVG", "-1 POP")
	a.setMode(0, group, topic, protocol.ModePop, 1)
	a.wantAssigned("popped by two", group, topic, "AVG", "0 1 2 3 POP")
	members[2].wantAssigned("popped by the last and the first", group, topic, "AVG", "0 1 4 5 POP")
	a.wantAssigned("the retry topic is pulled", group, mq.RetryTopic(group), "AVG", "0 PULL")
	a.setMode(0, group, topic, protocol.ModePull, 0)
	a.wantAssigned("pulled again", group, topic, "AVG", "0 1 PULL")
}
