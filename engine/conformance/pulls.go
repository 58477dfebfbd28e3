package conformance

import (
	"strconv"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func pullChecks() []Check {
	return []Check{
		{"C09", "offset 0 of a queue that was never used is not found", emptyQueue},
		{"C10", "any other offset of such a queue is moved to 0", emptyQueueBeyond},
		{"C11", "offsets at the end, beyond it and before the start", bounds},
		{"C12", "at most 32 messages come, and at least one", counts},
		{"C13", "the second message of an answer must not pass 256 KiB", largeMessages},
		{"C14", "the next offset passes trailing messages that do not match", tagFilter},
		{"C15", "a filtered scan ends after 800 messages", scanLimit},
		{"C19", "a pull without a subscription needs registered members, and makes the group", unregistered},
		{"C20", "a subscription older than the pull's is refused", oldSubscription},
		{"C21", "of two members with different tags the newer subscription counts for both", newerWins},
		{"C58", "offsets below the smallest that is left are moved to it", expired},
		{"X31", "pulls are validated: topic, queue, order of checks", pullOrder},
		{"X32", "tag expressions in the pull header", expressions},
		{"X97", "pulls of a registered group: subscription and record in step", registeredPull},
	}
}

func (e *Env) fill(c *Client, topic string, n int, tag func(i int) string) {
	e.Helper()
	for i := range n {
		c.Send(topic, 0, tag(i), strconv.Itoa(i))
	}
	c.Settle(topic, 0, int64(n))
}

func noTag(int) string { return "" }

func emptyQueue(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	resp := c.Call(e.Broker(), protocol.PullMessage, PullHeader(e.Name("G"), topic, 0, 0, "*"), nil)
	e.WantPull("pull at 0", e.ReadPull(resp), protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
	var h protocol.PullMessageResponse
	c.Decode(resp, &h)
	if h.MinOffset != 0 || h.MaxOffset != 0 || h.SuggestWhichBrokerID != 0 {
		e.Errorf("header %+v", h)
	}
}

func emptyQueueBeyond(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	e.WantPull("pull at 5", c.Pull(PullHeader(e.Name("G"), topic, 0, 5, "*")), protocol.PullOffsetMoved, "NO_MESSAGE_IN_QUEUE", 0)
}

func bounds(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 10, noTag)
	e.WantPull("pull at 10", c.Pull(PullHeader(group, topic, 0, 10, "*")), protocol.PullNotFound, "OFFSET_OVERFLOW_ONE", 10)
	e.WantPull("pull at 11", c.Pull(PullHeader(group, topic, 0, 11, "*")), protocol.PullOffsetMoved, "OFFSET_OVERFLOW_BADLY", 10)
	e.WantPull("pull at -1", c.Pull(PullHeader(group, topic, 0, -1, "*")), protocol.PullOffsetMoved, "OFFSET_TOO_SMALL", 0)
}

func (e *Env) wantCount(what string, p Pull, count int, next int64) {
	e.Helper()
	if len(p.Messages) != count || p.Next != next {
		e.Errorf("%s: %v, %d messages, next %d; want %d and %d", what, p.Code, len(p.Messages), p.Next, count, next)
	}
}

func counts(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 40, noTag)
	for _, test := range []struct {
		most  int32
		count int
	}{{64, 32}, {0, 1}, {-3, 1}, {7, 7}} {
		h := PullHeader(group, topic, 0, 0, "*")
		h.MaxMsgNums = test.most
		e.wantCount("maxMsgNums "+strconv.Itoa(int(test.most)), c.Pull(h), test.count, int64(test.count))
	}
}

func largeMessages(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	for range 3 {
		c.Send(topic, 0, "", strings.Repeat("x", 200<<10))
	}
	c.Settle(topic, 0, 3)
	e.wantCount("three of 200 KiB", c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "*")), 1, 1)
}

func tagFilter(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	e.fill(c, topic, 4, func(i int) string { return string("ABBB"[i]) })
	e.wantCount("tag A", c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "A")), 1, 4)
}

func expired(e *Env) {
	if e.Expire == nil {
		e.Skip("messages of this cluster are not taken away")
	}
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 50, noTag)
	smallest := func() int64 {
		_, at := c.offsetOf(protocol.GetMinOffset, &protocol.GetMinOffsetRequest{Topic: topic})
		return at
	}
	e.Expire(topic, 0, 50)
	for end := time.Now().Add(2 * time.Minute); smallest() != 50 && time.Now().Before(end); {
		e.Sleep(200 * time.Millisecond) // a real broker works it off later
	}
	if at := smallest(); at != 50 {
		e.Fatalf("the smallest offset is %d, want 50", at)
	}
	for i := range 50 {
		c.Send(topic, 0, "", strconv.Itoa(50+i))
	}
	c.Settle(topic, 0, 100)
	e.WantPull("pull at 10", c.Pull(PullHeader(group, topic, 0, 10, "*")), protocol.PullOffsetMoved, "OFFSET_TOO_SMALL", 50)
	e.WantPull("pull at 49", c.Pull(PullHeader(group, topic, 0, 49, "*")), protocol.PullOffsetMoved, "OFFSET_TOO_SMALL", 50)
	p := c.Pull(PullHeader(group, topic, 0, 50, "*"))
	e.wantCount("pull at 50", p, 32, 82)
	if p.Min != 50 || p.Max != 100 {
		e.Errorf("bounds are %d and %d, want 50 and 100", p.Min, p.Max)
	}
}

func scanLimit(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	e.fill(c, topic, 2000, func(int) string { return "B" })
	group := e.Name("G")
	e.WantPull("tag A", c.Pull(PullHeader(group, topic, 0, 0, "A")), protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 800)
	e.WantPull("tag A from 1500", c.Pull(PullHeader(group, topic, 0, 1500, "A")), protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 2000)
}

func unregistered(e *Env) {
	c := e.Client()
	group := e.Name("G")
	if p := c.Pull(PullHeader(group, e.Topic(c, 1), 0, 0, "")); p.Code != protocol.SubscriptionNotExist {
		e.Errorf("%v %q, want 24", p.Code, p.Remark)
	}
	table, err := protocol.DecodeSubscriptionGroupTable(c.Want(0, e.Broker(), protocol.GetAllSubscriptionGroupConfig, nil, nil).Body)
	if _, made := table.Groups[group]; err != nil || !made {
		e.Errorf("the group was not made (%v)", err)
	}
}

func oldSubscription(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 10))
	h := PullHeader(group, topic, 0, 0, "")
	h.SubVersion = 11
	if p := c.Pull(h); p.Code != protocol.SubscriptionNotLatest {
		e.Errorf("version 11: %v, want 25", p.Code)
	}
	h.SubVersion = 10
	e.WantPull("version 10", c.Pull(h), protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
}

func newerWins(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Heartbeat(group, e.Sub(topic, "A", 1))
	b.Heartbeat(group, e.Sub(topic, "B", 2))
	e.fill(a, topic, 2, func(i int) string { return string("AB"[i]) })
	h := PullHeader(group, topic, 0, 0, "")
	h.SubVersion = 1
	if p := a.Pull(h); len(p.Messages) != 1 || p.Messages[0].Tags() != "B" {
		e.Errorf("%v, %d messages", p.Code, len(p.Messages))
	}
}

func pullOrder(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 2), e.Name("G")
	code := func(h *protocol.PullMessageRequest, change func(h *protocol.PullMessageRequest)) protocol.ResponseCode {
		change(h)
		return c.Pull(h).Code
	}
	for _, test := range []struct {
		name   string
		change func(h *protocol.PullMessageRequest)
		want   protocol.ResponseCode
	}{
		{"unknown topic", func(h *protocol.PullMessageRequest) { h.Topic = e.Name("none") }, protocol.TopicNotExist},
		{"queue beyond", func(h *protocol.PullMessageRequest) { h.QueueID = 2 }, protocol.InvalidParameter},
		{"negative queue", func(h *protocol.PullMessageRequest) { h.QueueID = -1 }, protocol.InvalidParameter},
		{"illegal group", func(h *protocol.PullMessageRequest) { h.ConsumerGroup = "a.b" }, protocol.SubscriptionGroupNotExist},
		{"illegal group comes before the topic", func(h *protocol.PullMessageRequest) { h.ConsumerGroup, h.Topic = "a.b", e.Name("none") }, protocol.SubscriptionGroupNotExist},
		{"the topic comes before the queue", func(h *protocol.PullMessageRequest) { h.QueueID, h.Topic = 9, e.Name("none") }, protocol.TopicNotExist},
		{"the queue comes before the subscription", func(h *protocol.PullMessageRequest) { h.QueueID, h.Subscription = 9, "||" }, protocol.InvalidParameter},
	} {
		if got := code(PullHeader(group, topic, 0, 0, "*"), test.change); got != test.want {
			e.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	e.SetQueues(c, topic, 2, 2, protocol.PermWrite)
	var h protocol.PullMessageResponse
	resp := c.Call(e.Broker(), protocol.PullMessage, PullHeader(group, topic, 0, 0, "*"), nil)
	_ = protocol.Decode(resp.Fields, &h) // the offsets may be missing
	if protocol.ResponseCode(resp.Code) != protocol.NoPermission || h.ForbiddenType.Value != 3 {
		e.Errorf("topic not readable: %v, forbiddenType %v", protocol.ResponseCode(resp.Code), h.ForbiddenType)
	}
}

func expressions(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 4, func(i int) string { return []string{"A", "B", "C", ""}[i] })
	for _, test := range []struct {
		expression string
		tags       string
	}{
		{"*", "A,B,C,"}, {"A", "A"}, {"A || C", "A,C"}, {" A||  B || ", "A,B"}, {"A||||B", "A,B"},
	} {
		p := c.Pull(PullHeader(group, topic, 0, 0, test.expression))
		var tags []string
		for _, m := range p.Messages {
			tags = append(tags, m.Tags())
		}
		if got := strings.Join(tags, ","); got != test.tags || p.Next != 4 {
			e.Errorf("%q: %q next %d, want %q", test.expression, got, p.Next, test.tags)
		}
	}
	if p := c.Pull(PullHeader(group, topic, 0, 0, "||")); p.Code != protocol.SubscriptionParseFailed {
		e.Errorf("only separators: %v, want 23", p.Code)
	}
	h := PullHeader(group, topic, 0, 0, "*")
	h.Subscription = ""
	e.wantCount("empty expression", c.Pull(h), 4, 4)
}

func registeredPull(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "A", 5), e.Sub(mq.RetryTopic(group), "*", 5))
	e.fill(c, topic, 6, func(i int) string { return string("ABABAB"[i]) })
	h := PullHeader(group, topic, 0, 0, "")
	h.SubVersion = 5
	p := c.Pull(h)
	e.wantCount("tag A by heartbeat", p, 3, 6)
	for i, m := range p.Messages {
		if m.Tags() != "A" || m.QueueOffset() != int64(2*i) {
			e.Errorf("message %d: tag %q offset %d", i, m.Tags(), m.QueueOffset())
		}
	}
	other := PullHeader(group, e.Topic(c, 1), 0, 0, "")
	if p := c.Pull(other); p.Code != protocol.SubscriptionNotExist {
		e.Errorf("a topic that is not subscribed: %v, want 24", p.Code)
	}
	c.Heartbeat(group, e.Sub(topic, "B", 6), e.Sub(mq.RetryTopic(group), "*", 6))
	h.SubVersion = 6
	e.wantCount("tag B by heartbeat", c.Pull(h), 3, 6)
}
