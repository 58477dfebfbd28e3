package network_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/sim/network"
)

const (
	topicT  = "TopicT"
	groupG  = "GroupG"
	brokerA = "broker-a"
	latency = 3 * time.Millisecond
)

// world is a cluster with one topic of one queue, and its clients.
type world struct {
	t       *testing.T
	tl      *timeline
	cluster *network.Cluster
	addr    string // of the broker
}

func newWorld(t *testing.T, cfg network.Config) *world {
	t.Helper()
	tl := newTimeline()
	cfg.Timeline = tl
	if cfg.Latency == 0 {
		cfg.Latency = latency
	}
	cluster, err := network.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cluster.CreateTopic(topicT, 1)
	return &world{t, tl, cluster, cluster.BrokerAddr(brokerA)}
}

// member is one client and what it heard.
type member struct {
	w     *world
	id    string
	net   client.Network
	mu    sync.Mutex // over connections there are goroutines
	heard []string
}

// client connects one. Of cfg OnRequest, Hooks and Limits are used.
func (w *world) client(id string, cfg remoting.ClientConfig) *member {
	w.t.Helper()
	m := &member{w: w, id: id}
	cfg.Clock = w.tl
	cfg.Rand = rand.New(rand.NewPCG(3, 4))
	cfg.OnState = func(s remoting.AddrState) { m.hear("%s", stateText(s)) }
	if cfg.OnRequest == nil {
		cfg.OnRequest = func(_ context.Context, _ string, req *remoting.Command) *remoting.Command {
			m.hear("%v", protocol.RequestCode(req.Code))
			return nil
		}
	}
	m.net = w.cluster.Connect(cfg)
	return m
}

func (m *member) hear(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, fmt.Sprintf(format, args...))
}

// took returns what was heard since the last time.
func (m *member) took() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	heard := m.heard
	m.heard = nil
	return heard
}

// ask sends a request and notes its end under a name.
func (m *member) ask(name string, timeout time.Duration, cmd *remoting.Command) {
	m.net.Go(m.w.addr, cmd, timeout, func(a remoting.Answer) { m.hear("%s: %s", name, answerText(a)) })
}

func answerText(a remoting.Answer) string {
	if a.Err != nil {
		return errText(a.Err)
	}
	return protocol.ResponseCode(a.Cmd.Code).String()
}

func errText(err error) string {
	for _, e := range []error{remoting.ErrUnreachable, remoting.ErrLost, remoting.ErrClosed, remoting.ErrTimeout, remoting.ErrBusy} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	return fmt.Sprint(err)
}

func stateText(s remoting.AddrState) string {
	switch {
	case s.Up:
		return "up"
	case s.Err != nil && !s.RetryAt.IsZero():
		return "down, to be dialled again"
	case s.Err != nil:
		return "down, given up"
	}
	return "down, not wanted"
}

func command(code protocol.RequestCode, h protocol.Header, body []byte) *remoting.Command {
	return &remoting.Command{Code: int32(code), Fields: protocol.Encode(h), Body: body}
}

func sendOf(body string) *remoting.Command {
	return command(protocol.SendMessageV2, &protocol.SendMessageRequestV2{
		ProducerGroup: "P", Topic: topicT, DefaultTopic: mq.AutoCreateTopic, DefaultTopicQueueNums: 4,
		BornTimestamp: start.UnixMilli(),
	}, []byte(body))
}

// pullAt asks for messages from offset, and is held for 15 s when there are none.
func pullAt(offset int64) *remoting.Command {
	return command(protocol.PullMessage, &protocol.PullMessageRequest{
		ConsumerGroup: groupG, Topic: topicT, QueueOffset: offset, MaxMsgNums: 32,
		SysFlag: protocol.PullSubscription | protocol.PullSuspend, Subscription: "*", SuspendTimeoutMillis: 15000,
	}, nil)
}

func heartbeatOf(id string) *remoting.Command {
	h := protocol.HeartbeatData{ClientID: id, ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: groupG, ConsumeType: mq.Passively, MessageModel: mq.Clustering,
	}}}
	return command(protocol.HeartBeat, &protocol.HeartbeatRequest{}, h.Encode())
}

func bodies(t *testing.T, cmd *remoting.Command) []string {
	t.Helper()
	var b mq.Batch
	b.Reset(cmd.Body, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range b.Len() {
		m := b.At(i)
		list = append(list, string(m.Body()))
	}
	return list
}

// drop has requests of a code vanish.
func (w *world) drop(code protocol.RequestCode) (remove func()) {
	return w.cluster.Intercept(int32(code), func(*embedded.Request) embedded.Verdict { return embedded.Drop })
}
