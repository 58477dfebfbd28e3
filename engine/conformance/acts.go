package conformance

import (
	"slices"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// Bits of a pull's sysFlag, by the names of broker.md.
const (
	flagCommit  = protocol.PullCommitOffset
	flagSuspend = protocol.PullSuspend
	flagSub     = protocol.PullSubscription
)

// Topic makes a topic with so many queues.
func (e *Env) Topic(c *Client, queues int32) string {
	e.Helper()
	name := e.Name("T")
	e.SetQueues(c, name, queues, queues, protocol.PermRead|protocol.PermWrite)
	return name
}

// SetQueues makes or changes a topic.
func (e *Env) SetQueues(c *Client, topic string, read, write, perm int32) {
	e.Helper()
	c.Want(0, e.Broker(), protocol.UpdateAndCreateTopic, &protocol.CreateTopicRequest{
		Topic: topic, DefaultTopic: mq.AutoCreateTopic, ReadQueueNums: read, WriteQueueNums: write, Perm: perm, TopicFilterType: "SINGLE_TAG",
	}, nil)
}

// Route asks for a topic's route; nil when there is none.
func (e *Env) Route(c *Client, topic string) *protocol.TopicRouteData {
	e.Helper()
	resp := c.Call(e.NameServer, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: topic}, nil)
	if protocol.ResponseCode(resp.Code) == protocol.TopicNotExist {
		return nil
	}
	route, err := protocol.DecodeTopicRouteData(resp.Body)
	if err != nil || resp.Code != 0 {
		e.Fatalf("route of %s: %v, %v", topic, protocol.ResponseCode(resp.Code), err)
	}
	return &route
}

// SendHeader is that of a normal send.
func SendHeader(topic string, queue int32, props ...protocol.Property) *protocol.SendMessageRequestV2 {
	return &protocol.SendMessageRequestV2{
		ProducerGroup: "P", Topic: topic, DefaultTopic: mq.AutoCreateTopic, DefaultTopicQueueNums: 4, QueueID: queue,
		BornTimestamp: time.Now().UnixMilli(), Properties: string(protocol.AppendProperties(nil, props)),
	}
}

// Send stores a message with a tag ("" for none).
func (c *Client) Send(topic string, queue int32, tag, body string) protocol.SendMessageResponse {
	c.e.Helper()
	var props []protocol.Property
	if tag != "" {
		props = []protocol.Property{{Name: mq.PropertyTags, Value: tag}}
	}
	return c.SendProps(topic, queue, body, props...)
}

// SendProps stores a message with properties.
func (c *Client) SendProps(topic string, queue int32, body string, props ...protocol.Property) protocol.SendMessageResponse {
	c.e.Helper()
	resp := c.Want(0, c.e.Broker(), protocol.SendMessageV2, SendHeader(topic, queue, props...), []byte(body))
	var h protocol.SendMessageResponse
	c.Decode(resp, &h)
	return h
}

// Decode reads the header of an answer.
func (c *Client) Decode(resp *remoting.Command, h protocol.Header) {
	c.e.Helper()
	if err := protocol.Decode(resp.Fields, h); err != nil {
		c.e.Fatalf("answer %d %q: %v", resp.Code, resp.Remark, err)
	}
}

// Pull is what matters of a pull's answer.
type Pull struct {
	Code           protocol.ResponseCode
	Remark         string
	Next, Min, Max int64
	Messages       []mq.Message
}

// PullHeader asks for 32 messages with its own subscription, unless expression is empty.
func PullHeader(group, topic string, queue int32, offset int64, expression string) *protocol.PullMessageRequest {
	h := &protocol.PullMessageRequest{
		ConsumerGroup: group, Topic: topic, QueueID: queue, QueueOffset: offset, MaxMsgNums: 32, SuspendTimeoutMillis: 15000,
		Subscription: expression, ExpressionType: protocol.ExpressionTAG,
	}
	if expression != "" {
		h.SysFlag = flagSub
	}
	return h
}

// Pull pulls.
func (c *Client) Pull(h *protocol.PullMessageRequest) Pull {
	c.e.Helper()
	return c.e.ReadPull(c.Call(c.e.Broker(), protocol.PullMessage, h, nil))
}

// ReadPull takes the answer to a pull apart.
func (e *Env) ReadPull(resp *remoting.Command) Pull {
	e.Helper()
	if resp == nil {
		e.Fatalf("a pull was not answered")
	}
	p := Pull{Code: protocol.ResponseCode(resp.Code), Remark: resp.Remark}
	var h protocol.PullMessageResponse
	if err := protocol.Decode(resp.Fields, &h); err == nil {
		p.Next, p.Min, p.Max = h.NextBeginOffset, h.MinOffset, h.MaxOffset
	}
	if p.Code == protocol.Success {
		var b mq.Batch
		b.Reset(resp.Body, nil)
		if err := protocol.IndexMessages(&b, 0); err != nil {
			e.Fatalf("pulled messages: %v", err)
		}
		for i := range b.Len() {
			p.Messages = append(p.Messages, b.At(i))
		}
	}
	return p
}

// WantPull compares what a row of §12 says of an answer: code, remark and next offset.
func (e *Env) WantPull(what string, p Pull, code protocol.ResponseCode, remark string, next int64) {
	e.Helper()
	if p.Code != code || remark != "" && p.Remark != remark || p.Next != next {
		e.Errorf("%s: %v %q next %d, want %v %q next %d", what, p.Code, p.Remark, p.Next, code, remark, next)
	}
}

// PullUntil pulls from an offset every 100 ms until a message is there, at most for d.
func (c *Client) PullUntil(group, topic string, queue int32, offset int64, d time.Duration) mq.Message {
	c.e.Helper()
	for end := time.Now().Add(d); ; c.e.Sleep(100 * time.Millisecond) {
		if p := c.Pull(PullHeader(group, topic, queue, offset, "*")); len(p.Messages) > 0 {
			return p.Messages[0]
		}
		if time.Now().After(end) {
			c.e.Fatalf("nothing came to %s queue %d offset %d within %v", topic, queue, offset, d)
		}
	}
}

// Heartbeat registers the connection as a push consumer (version 1), clustering.
func (c *Client) Heartbeat(group string, subs ...protocol.SubscriptionData) protocol.HeartbeatResponse {
	c.e.Helper()
	return c.HeartbeatData(protocol.HeartbeatData{ClientID: c.ID, ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: group, ConsumeType: mq.Passively, MessageModel: mq.Clustering, ConsumeFromWhere: mq.FromLastOffset, SubscriptionDataSet: subs,
	}}})
}

// HeartbeatData sends any heartbeat.
func (c *Client) HeartbeatData(d protocol.HeartbeatData) protocol.HeartbeatResponse {
	c.e.Helper()
	var h protocol.HeartbeatResponse
	c.Decode(c.Want(0, c.e.Broker(), protocol.HeartBeat, &protocol.HeartbeatRequest{}, d.Encode()), &h)
	return h
}

// Sub is a tag subscription.
func (e *Env) Sub(topic, expression string, version int64) protocol.SubscriptionData {
	e.Helper()
	s, err := protocol.ParseSubscription(topic, expression, version)
	if err != nil {
		e.Fatalf("%v", err)
	}
	return s
}

// Members asks who is in a group, sorted; nil when nobody is.
func (c *Client) Members(group string) []string {
	c.e.Helper()
	resp := c.Call(c.e.Broker(), protocol.GetConsumerListByGroup, &protocol.GetConsumerListByGroupRequest{ConsumerGroup: group}, nil)
	if protocol.ResponseCode(resp.Code) == protocol.SystemError {
		return nil
	}
	list, err := protocol.DecodeConsumerList(resp.Body)
	if err != nil || resp.Code != 0 {
		c.e.Fatalf("members of %s: %d %v", group, resp.Code, err)
	}
	slices.Sort(list.ConsumerIDs)
	return list.ConsumerIDs
}

// WantMembers compares the members of a group with clients.
func (c *Client) WantMembers(group string, clients ...*Client) {
	c.e.Helper()
	var want []string
	for _, m := range clients {
		want = append(want, m.ID)
	}
	slices.Sort(want)
	if got := c.Members(group); !slices.Equal(got, want) {
		c.e.Errorf("members of %s: %v, want %v", group, got, want)
	}
}

// Commit stores an offset and returns the code.
func (c *Client) Commit(group, topic string, queue int32, offset int64) protocol.ResponseCode {
	c.e.Helper()
	return protocol.ResponseCode(c.Call(c.e.Broker(), protocol.UpdateConsumerOffset, &protocol.UpdateConsumerOffsetRequest{
		ConsumerGroup: group, Topic: topic, QueueID: queue, CommitOffset: offset,
	}, nil).Code)
}

// Committed asks for a stored offset.
func (c *Client) Committed(group, topic string, queue int32) (protocol.ResponseCode, int64) {
	c.e.Helper()
	return c.offsetOf(protocol.QueryConsumerOffset, &protocol.QueryConsumerOffsetRequest{ConsumerGroup: group, Topic: topic, QueueID: queue})
}

func (c *Client) offsetOf(code protocol.RequestCode, h protocol.Header) (protocol.ResponseCode, int64) {
	c.e.Helper()
	resp := c.Call(c.e.Broker(), code, h, nil)
	var o protocol.OffsetResponse
	if resp.Code == 0 {
		c.Decode(resp, &o)
	}
	return protocol.ResponseCode(resp.Code), o.Offset
}

// WantOffset compares a code and an offset.
func (e *Env) WantOffset(what string, code protocol.ResponseCode, offset int64, wantCode protocol.ResponseCode, want int64) {
	e.Helper()
	if code != wantCode || offset != want {
		e.Errorf("%s: %v %d, want %v %d", what, code, offset, wantCode, want)
	}
}

// Settle waits until a queue has so many messages that can be pulled: a real broker indexes
// them a moment after the send.
func (c *Client) Settle(topic string, queue int32, messages int64) {
	c.e.Helper()
	for range 100 {
		if c.MaxOffset(topic, queue) >= messages {
			return
		}
		c.e.Sleep(10 * time.Millisecond)
	}
	c.e.Fatalf("queue %d of %s does not get to %d messages", queue, topic, messages)
}

// MaxOffset asks for the next offset of a queue.
func (c *Client) MaxOffset(topic string, queue int32) int64 {
	c.e.Helper()
	_, offset := c.offsetOf(protocol.GetMaxOffset, &protocol.GetMaxOffsetRequest{Topic: topic, QueueID: queue})
	return offset
}

// Lock locks queues of a topic for a group and returns the ids that are held, sorted.
func (c *Client) Lock(group, topic string, queues ...int32) []int32 {
	c.e.Helper()
	resp := c.Want(0, c.e.Broker(), protocol.LockBatchMQ, &protocol.LockBatchMQRequest{}, c.lockBody(group, topic, queues))
	body, err := protocol.DecodeLockBatchResponse(resp.Body)
	if err != nil {
		c.e.Fatalf("lock: %v", err)
	}
	var ids []int32
	for _, q := range body.Locked {
		ids = append(ids, q.QueueID)
	}
	slices.Sort(ids)
	return ids
}

// Unlock frees queues.
func (c *Client) Unlock(group, topic string, queues ...int32) {
	c.e.Helper()
	c.Want(0, c.e.Broker(), protocol.UnlockBatchMQ, &protocol.UnlockBatchMQRequest{}, c.lockBody(group, topic, queues))
}

func (c *Client) lockBody(group, topic string, queues []int32) []byte {
	c.e.Broker()
	b := protocol.LockBatchRequest{ClientID: c.ID, ConsumerGroup: group}
	for _, id := range queues {
		b.Queues = append(b.Queues, mq.MessageQueue{Topic: topic, BrokerName: c.e.broker.BrokerName, QueueID: id})
	}
	return b.Encode()
}

// SendBack gives a message back for a retry and returns the code. topic is where it came from.
func (c *Client) SendBack(group, topic string, physical int64, level int32, most protocol.Opt[int32]) protocol.ResponseCode {
	c.e.Helper()
	return protocol.ResponseCode(c.Call(c.e.Broker(), protocol.ConsumerSendMsgBack, &protocol.ConsumerSendMsgBackRequest{
		Group: group, OriginTopic: topic, Offset: physical, DelayLevel: level, MaxReconsumeTimes: most,
	}, nil).Code)
}

// WantProps checks properties of a message, each "name=value"; value * is any.
func (e *Env) WantProps(m mq.Message, want ...string) {
	e.Helper()
	for _, w := range want {
		name, value, _ := strings.Cut(w, "=")
		if got, ok := m.Property(name); !ok || value != "*" && got != value {
			e.Errorf("property %s is %q, want %q", name, got, value)
		}
	}
}
