package embedded_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

const (
	nsAddr   = "127.0.0.1:9876"
	topicT   = "TopicT"
	groupG   = "GroupG"
	brokerA  = "broker-a"
	addrA    = "127.0.0.1:10911"
	commit   = protocol.PullCommitOffset
	suspend  = protocol.PullSuspend
	withSub  = protocol.PullSubscription
	anything = "*"
)

// world is a cluster and a way to make clients, in one synctest bubble.
type world struct {
	t       *testing.T
	net     *memnet.Network
	cluster *embedded.Cluster
	notices []embedded.Notice
}

// inBubble runs test on a running cluster in virtual time; all must have ended at its end.
func inBubble(t *testing.T, cfg embedded.Config, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, net: memnet.New()}
		cfg.Listen = w.net.Listen
		cfg.NameServerAddr = nsAddr
		if cfg.BrokerAddrs == nil {
			cfg.BrokerAddrs = []string{addrA}
		}
		cfg.OnNotice = func(n embedded.Notice) { w.notices = append(w.notices, n) }
		cluster, err := embedded.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		w.cluster = cluster
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- cluster.Run(ctx) }()
		<-cluster.Ready()
		defer func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("cluster: %v", err)
			}
		}()
		test(w)
	})
}

// client is a raw connection holder of one client.
type client struct {
	w        *world
	id       string
	c        *remoting.Client
	requests chan *remoting.Command // that brokers sent
	stop     func()
}

// client starts one; it ends with the test or by stop.
func (w *world) client(id string) *client {
	w.t.Helper()
	c := &client{w: w, id: id, requests: make(chan *remoting.Command, 100)}
	c.c = remoting.NewClient(remoting.ClientConfig{
		Dial:  w.net.Dial,
		Clock: clock.System{},
		Rand:  rand.New(rand.NewPCG(1, 2)),
		OnRequest: func(_ context.Context, _ string, req *remoting.Command) *remoting.Command {
			c.requests <- req
			return nil
		},
	})
	return c.run()
}

func (c *client) run() *client {
	ctx, cancel := context.WithCancel(c.w.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.c.Run(ctx); err != nil {
			c.w.t.Errorf("client %s: %v", c.id, err)
		}
	}()
	c.stop = func() { cancel(); <-ended }
	c.w.t.Cleanup(c.stop)
	return c
}

// call sends a request and waits up to 40 s for the answer.
func (c *client) call(addr string, code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	c.w.t.Helper()
	resp, err := c.try(addr, code, h, body)
	if err != nil {
		c.w.t.Fatalf("%v to %s: %v", code, addr, err)
	}
	return resp
}

func (c *client) try(addr string, code protocol.RequestCode, h protocol.Header, body []byte) (*remoting.Command, error) {
	ctx, cancel := context.WithTimeout(c.w.t.Context(), 40*time.Second)
	defer cancel()
	cmd := &remoting.Command{Code: int32(code), Body: body}
	if h != nil {
		cmd.Fields = protocol.Encode(h)
	}
	return c.c.Call(ctx, addr, cmd)
}

// want calls and checks the code.
func (c *client) want(code protocol.ResponseCode, addr string, req protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	c.w.t.Helper()
	resp := c.call(addr, req, h, body)
	if got := protocol.ResponseCode(resp.Code); got != code {
		c.w.t.Fatalf("%v answered %v (%s), want %v", req, got, resp.Remark, code)
	}
	return resp
}

// goCall calls without waiting; the answer comes on the channel, nil if there was none.
func (c *client) goCall(addr string, code protocol.RequestCode, h protocol.Header, body []byte) <-chan *remoting.Command {
	got := make(chan *remoting.Command, 1)
	cmd := &remoting.Command{Code: int32(code), Body: body, Fields: protocol.Encode(h)}
	c.c.Go(addr, cmd, 40*time.Second, func(a remoting.Answer) {
		a.Keep()
		got <- a.Cmd
	})
	return got
}

// createTopic makes a topic and fails the test if that does.
func (w *world) createTopic(name string, queues int) {
	w.t.Helper()
	if err := w.cluster.CreateTopic(name, queues); err != nil {
		w.t.Fatal(err)
	}
}

// send stores a message and returns the answer's header.
func (c *client) send(topic string, queue int32, tags, body string) protocol.SendMessageResponse {
	c.w.t.Helper()
	var props []protocol.Property
	if tags != "" {
		props = append(props, protocol.Property{Name: mq.PropertyTags, Value: tags})
	}
	return c.sendProps(topic, queue, body, props...)
}

func (c *client) sendProps(topic string, queue int32, body string, props ...protocol.Property) protocol.SendMessageResponse {
	c.w.t.Helper()
	resp := c.want(protocol.Success, addrA, protocol.SendMessageV2, sendHeader(topic, queue, props...), []byte(body))
	var h protocol.SendMessageResponse
	if err := protocol.Decode(resp.Fields, &h); err != nil {
		c.w.t.Fatal(err)
	}
	return h
}

func sendHeader(topic string, queue int32, props ...protocol.Property) *protocol.SendMessageRequestV2 {
	return &protocol.SendMessageRequestV2{
		ProducerGroup: "P", Topic: topic, DefaultTopic: mq.AutoCreateTopic, DefaultTopicQueueNums: 4, QueueID: queue,
		BornTimestamp: time.Now().UnixMilli(), Properties: string(protocol.AppendProperties(nil, props)),
	}
}

// pullHeader asks for 32 messages with a subscription of its own.
func pullHeader(topic string, queue int32, offset int64, expression string) *protocol.PullMessageRequest {
	return &protocol.PullMessageRequest{
		ConsumerGroup: groupG, Topic: topic, QueueID: queue, QueueOffset: offset, MaxMsgNums: 32,
		SysFlag: withSub, Subscription: expression, SuspendTimeoutMillis: 15000,
	}
}

// pulled is a pull's answer taken apart.
type pulled struct {
	Code           protocol.ResponseCode
	Remark         string
	Next, Min, Max int64
	Bodies         []string
}

func (c *client) pull(h *protocol.PullMessageRequest) pulled {
	c.w.t.Helper()
	return c.w.parsePull(c.call(addrA, protocol.PullMessage, h, nil))
}

func (w *world) parsePull(resp *remoting.Command) pulled {
	w.t.Helper()
	if resp == nil {
		w.t.Fatal("a pull was not answered")
	}
	p := pulled{Code: protocol.ResponseCode(resp.Code), Remark: resp.Remark}
	if len(resp.Fields) > 0 {
		var h protocol.PullMessageResponse
		if err := protocol.Decode(resp.Fields, &h); err != nil {
			w.t.Fatal(err)
		}
		p.Next, p.Min, p.Max = h.NextBeginOffset, h.MinOffset, h.MaxOffset
	}
	for _, m := range w.messages(resp.Body) {
		p.Bodies = append(p.Bodies, string(m.Body()))
	}
	return p
}

func (w *world) messages(body []byte) []mq.Message {
	w.t.Helper()
	var b mq.Batch
	b.Reset(body, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil {
		w.t.Fatal(err)
	}
	var list []mq.Message
	for i := range b.Len() {
		list = append(list, b.At(i))
	}
	return list
}

// heartbeat registers a push consumer of groupG.
func (c *client) heartbeat(subs ...protocol.SubscriptionData) *remoting.Command {
	c.w.t.Helper()
	h := protocol.HeartbeatData{ClientID: c.id, ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: groupG, ConsumeType: mq.Passively, MessageModel: mq.Clustering, SubscriptionDataSet: subs,
	}}}
	return c.want(protocol.Success, addrA, protocol.HeartBeat, &protocol.HeartbeatRequest{}, h.Encode())
}

func sub(t *testing.T, topic, expression string, version int64) protocol.SubscriptionData {
	t.Helper()
	s, err := protocol.ParseSubscription(topic, expression, version)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func bodies(from, to int) []string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list
}
