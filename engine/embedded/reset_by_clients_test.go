package embedded_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func TestResetByClientsTellsEveryMemberAndStoresNothing(t *testing.T) {
	inBubble(t, embedded.Config{ResetByClients: true}, func(w *world) {
		w.createTopic(topicT, 2)
		w.cluster.Inspect(func(s *embedded.State) { s.Broker(brokerA).EnsureGroup(groupG) })
		admin := w.client("admin")
		for range 5 {
			admin.send(topicT, 0, "", "x")
			admin.send(topicT, 1, "", "x")
		}
		ask := func(want protocol.ResponseCode, force bool, timestamp int64) *remoting.Command {
			t.Helper()
			return admin.want(want, addrA, protocol.InvokeBrokerToResetOffset, &protocol.ResetOffsetRequest{
				Topic: topicT, Group: groupG, QueueID: -1, Timestamp: timestamp, Force: force}, nil)
		}
		commit := func(queue int32, at int64) {
			t.Helper()
			admin.want(protocol.Success, addrA, protocol.UpdateConsumerOffset, &protocol.UpdateConsumerOffsetRequest{
				ConsumerGroup: groupG, Topic: topicT, QueueID: queue, CommitOffset: at}, nil)
		}
		admin.want(protocol.TopicNotExist, addrA, protocol.InvokeBrokerToResetOffset,
			&protocol.ResetOffsetRequest{Topic: "nowhere", Group: groupG, Timestamp: -1}, nil)
		commit(0, 3)
		ask(protocol.SystemError, true, -1) // queue 1 has no offset
		commit(1, 4)
		ask(protocol.ConsumerNotOnline, true, -1)

		var mu sync.Mutex
		got := map[string]string{}
		for _, id := range []string{"m1", "m2"} {
			m := w.answering(id, func(req *remoting.Command) *remoting.Command {
				var h protocol.ResetOffsetRequest
				if err := protocol.Decode(req.Fields, &h); err != nil || h.Topic != topicT || h.Group != groupG || h.Force || !req.IsOneWay() {
					t.Errorf("%+v %v, one-way %v", h, err, req.IsOneWay())
				}
				mu.Lock()
				defer mu.Unlock()
				got[id] = string(req.Body)
				return nil
			})
			m.heartbeat(sub(t, topicT, anything, 1))
		}
		q0, q1 := mq.MessageQueue{Topic: topicT, BrokerName: brokerA}, mq.MessageQueue{Topic: topicT, BrokerName: brokerA, QueueID: 1}
		for _, c := range []struct {
			name      string
			force     bool
			timestamp int64
			want      map[mq.MessageQueue]int64
		}{
			{"to the beginning", false, 0, map[mq.MessageQueue]int64{q0: 0, q1: 0}},
			{"forward without force stays", false, -1, map[mq.MessageQueue]int64{q0: 3, q1: 4}},
			{"forward with force", true, -1, map[mq.MessageQueue]int64{q0: 5, q1: 5}},
		} {
			answer, err := protocol.DecodeResetOffsetBody(ask(protocol.Success, c.force, c.timestamp).Body)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, answer.OffsetTable); d != "" {
				t.Errorf("%s: %s", c.name, d)
			}
			time.Sleep(time.Second)
			for _, id := range []string{"m1", "m2"} {
				mu.Lock()
				b, err := protocol.DecodeResetOffsetBody([]byte(got[id]))
				mu.Unlock()
				if d := cmp.Diff(c.want, b.OffsetTable); d != "" || err != nil {
					t.Errorf("%s: %s was told %v %s", c.name, id, err, d)
				}
			}
		}
		offset := admin.want(protocol.Success, addrA, protocol.QueryConsumerOffset,
			&protocol.QueryConsumerOffsetRequest{ConsumerGroup: groupG, Topic: topicT, QueueID: 1}, nil)
		if v, _ := offset.Fields.Get("offset"); v != "4" {
			t.Errorf("the broker's offset is %s, want 4 as before", v)
		}

		cpp := remoting.NewClient(remoting.ClientConfig{Dial: w.net.Dial, Language: remoting.CPP})
		ctx, cancel := context.WithCancel(w.t.Context())
		ended := make(chan error, 1)
		go func() { ended <- cpp.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		_, err := cpp.Call(ctx, addrA, &remoting.Command{Code: int32(protocol.InvokeBrokerToResetOffset), Fields: protocol.Encode(
			&protocol.ResetOffsetRequest{Topic: topicT, Group: groupG, QueueID: -1, Timestamp: -1, Force: true})})
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if err != nil || !strings.HasPrefix(got["m1"], `{"offsetTable":[{"brokerName":"broker-a","offset":5,`) {
			t.Errorf("for a C++ tool members are told %s, %v", got["m1"], err)
		}
	})
}
