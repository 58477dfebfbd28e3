package conformance_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// exchange is a captured request with its answer.
type exchange struct {
	Capture       string
	To            string
	RequestFrame  string
	ResponseFrame string
}

func exchanges(t *testing.T) []exchange {
	t.Helper()
	f, err := os.Open("../../testdata/vectors/captures/exchanges.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []exchange
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e exchange
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%d exchanges: %v", len(list), err)
	}
	return list
}

func decodeHex(t *testing.T, text string) *remoting.Command {
	t.Helper()
	frame, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := remoting.DecodeFrame(frame, remoting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// shape is what must agree of an answer: its code, the names of its header fields, and the
// names inside a JSON body or that it holds records.
type shape struct {
	Code   protocol.ResponseCode
	Fields []string
	Body   []string
}

var names = regexp.MustCompile(`"([A-Za-z]+)":`)

func shapeOf(cmd *remoting.Command) shape {
	s := shape{Code: protocol.ResponseCode(cmd.Code)}
	for _, f := range cmd.Fields {
		s.Fields = append(s.Fields, f.Key)
	}
	slices.Sort(s.Fields)
	switch {
	case len(cmd.Body) == 0:
	case cmd.Body[0] != '{':
		s.Body = []string{"records"}
	default:
		for _, m := range names.FindAllSubmatch(cmd.Body, -1) {
			if name := string(m[1]); name != "orders" && name != "DefaultCluster" {
				s.Body = append(s.Body, name)
			}
		}
		slices.Sort(s.Body)
		s.Body = slices.Compact(s.Body)
	}
	return s
}

// TestCapturedRequestsGetAnswersOfTheCapturedShape sends what Apache's clients sent to
// Apache's servers and compares the form of the answers.
func TestCapturedRequestsGetAnswersOfTheCapturedShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := memnet.New()
		cluster, err := embedded.New(embedded.Config{Listen: network.Listen, NameServerAddr: "127.0.0.1:19876", BrokerAddrs: []string{"127.0.0.1:20911"}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- cluster.Run(ctx) }()
		client, stop := start(t)(remoting.ClientConfig{Dial: network.Dial})
		defer func() {
			stop()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		<-cluster.Ready()
		compared := map[string]int{}
		for i, e := range exchanges(t) {
			req, want := decodeHex(t, e.RequestFrame), decodeHex(t, e.ResponseFrame)
			physical := prepare(t, cluster, client, req, want)
			if code := protocol.RequestCode(req.Code); code == protocol.ConsumerSendMsgBack {
				req.Fields.Set("offset", strconv.FormatInt(physical, 10))
			} else if code == protocol.ConsumeMessageDirectly || code == protocol.RegisterBroker {
				continue // needs a member that answers; a compressed body
			}
			addr := cluster.BrokerAddr(embedded.DefaultBrokerName)
			if e.To == "nameserver" {
				addr = cluster.NameServerAddr()
			}
			callCtx, done := context.WithTimeout(t.Context(), time.Minute)
			got, err := client.Call(callCtx, addr, req)
			done()
			if err != nil {
				t.Fatalf("exchange %d of %s: %v", i, e.Capture, err)
			}
			if diff := cmp.Diff(shapeOf(want), shapeOf(got)); diff != "" {
				t.Errorf("exchange %d of %s, %v %v: answers differ (-captured +embedded)\n%s\nremark %q, captured %q\n%.300s\n%.300s", i, e.Capture,
					protocol.RequestCode(req.Code), req.Fields, diff, got.Remark, want.Remark, got.Body, want.Body)
			}
			compared[fmt.Sprint(req.Code, " ", want.Code)]++
		}
		for _, kind := range []string{"11 0", "11 19", "11 21", "14 0", "14 22", "34 0", "36 0", "38 0", "41 0", "105 0", "105 17", "203 0", "208 0", "310 0", "361 0"} {
			if compared[kind] == 0 {
				t.Errorf("no exchange of kind %s was compared", kind)
			}
		}
	})
}

// prepare brings the cluster into a state in which it can answer as the real one did, and
// returns the place of some record.
func prepare(t *testing.T, cluster *embedded.Cluster, client *remoting.Client, req, want *remoting.Command) (physical int64) {
	t.Helper()
	field := func(names ...string) string {
		for _, n := range names {
			if v, ok := req.Fields.Get(n); ok {
				return v
			}
		}
		return ""
	}
	topic, group := field("topic", "b"), field("consumerGroup", "group")
	queue, _ := strconv.ParseInt(field("queueId"), 10, 32)
	id := int32(queue)
	inspect := func(fn func(b *embedded.Broker)) {
		cluster.Inspect(func(s *embedded.State) { fn(s.Broker(embedded.DefaultBrokerName)) })
	}
	put := func(b *embedded.Broker, topic string, id int32, props ...protocol.Property) int64 {
		p, err := b.Put(topic, id, []byte("x"), props...)
		if err != nil {
			t.Error(err)
		}
		return p.PhysicalOffset
	}
	inspect(func(b *embedded.Broker) {
		if _, made := b.Topic("orders"); !made {
			b.SetQueues("orders", 4, 4)
		}
		physical = put(b, "orders", 0)
		if _, made := b.Topic(topic); !made && protocol.ResponseCode(want.Code) != protocol.TopicNotExist && topic != "" {
			b.SetQueues(topic, 1, 1)
		}
		b.EnsureGroup(group)
	})
	switch code := protocol.RequestCode(req.Code); code {
	case protocol.PullMessage, protocol.LitePullMessage:
		var h protocol.PullMessageRequest
		if err := protocol.Decode(req.Fields, &h); err != nil {
			t.Error(err)
		}
		if h.SysFlag&protocol.PullSubscription == 0 {
			beat(t, cluster, client, group, topic, h.SubVersion)
		}
		inspect(func(b *embedded.Broker) {
			b.Truncate(topic, id, h.QueueOffset)
			for n := b.MaxOffset(topic, id); n < min(h.QueueOffset, 1000); n++ {
				put(b, topic, id)
			}
			if want.Code == 0 {
				put(b, topic, id, protocol.Property{Name: mq.PropertyTags, Value: "TagA"})
			}
		})
	case protocol.QueryConsumerOffset:
		inspect(func(b *embedded.Broker) {
			if want.Code == 0 {
				b.SetCommitted(group, topic, id, 1)
			} else {
				b.Truncate(topic, id, 0)
			}
		})
	case protocol.GetConsumeStats:
		inspect(func(b *embedded.Broker) { b.SetCommitted(group, "orders", 0, 1) })
	case protocol.GetConsumerListByGroup, protocol.GetConsumerConnectionList:
		beat(t, cluster, client, group, "orders", 1)
	case protocol.QueryMessage:
		inspect(func(b *embedded.Broker) {
			put(b, topic, 0, protocol.Property{Name: mq.PropertyUniqueKey, Value: field("key")})
		})
		req.Fields.Set("beginTimestamp", "0")
		req.Fields.Set("endTimestamp", "9000000000000")
	}
	return physical
}

// beat registers the client in a group.
func beat(t *testing.T, cluster *embedded.Cluster, client *remoting.Client, group, topic string, version int64) {
	t.Helper()
	sub, err := protocol.ParseSubscription(topic, "TagA || TagB", version)
	if err != nil {
		t.Fatal(err)
	}
	h := protocol.HeartbeatData{ClientID: "c1", ConsumerDataSet: []protocol.ConsumerData{{
		GroupName: group, ConsumeType: mq.Passively, SubscriptionDataSet: []protocol.SubscriptionData{sub},
	}}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp, err := client.Call(ctx, cluster.BrokerAddr(embedded.DefaultBrokerName), &remoting.Command{Code: int32(protocol.HeartBeat), Body: h.Encode()})
	if err != nil || resp.Code != 0 {
		t.Fatalf("heartbeat: %v %v", resp, err)
	}
}
