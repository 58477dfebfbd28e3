package embedded_test

import (
	"context"
	"testing"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// answering is a client that answers what brokers ask it.
func (w *world) answering(id string, answer func(req *remoting.Command) *remoting.Command) *client {
	w.t.Helper()
	c := &client{w: w, id: id}
	c.c = remoting.NewClient(remoting.ClientConfig{
		Dial: w.net.Dial,
		OnRequest: func(_ context.Context, _ string, req *remoting.Command) *remoting.Command {
			if protocol.RequestCode(req.Code) == protocol.NotifyConsumerIDsChanged {
				return nil
			}
			return answer(req)
		},
	})
	return c.run()
}

func TestRunningInfoIsFetchedFromTheMember(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		member := w.answering("member", func(req *remoting.Command) *remoting.Command {
			if stack, _ := req.Fields.Get("jstackEnable"); stack != "true" {
				t.Errorf("fields %v", req.Fields)
			}
			time.Sleep(2 * time.Second)
			return &remoting.Command{Code: 0, Remark: "as it is", Body: []byte(`{"properties":{}}`)}
		})
		silent := w.answering("silent", func(*remoting.Command) *remoting.Command { return nil })
		member.heartbeat(sub(t, topicT, anything, 1))
		silent.heartbeat(sub(t, topicT, anything, 1))
		admin := w.client("admin")
		ask := func(id string) *protocol.GetConsumerRunningInfoRequest {
			return &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: groupG, ClientID: id, StackEnable: true}
		}
		start := time.Now()
		resp := admin.want(protocol.Success, addrA, protocol.GetConsumerRunningInfo, ask("member"), nil)
		if resp.Remark != "as it is" || string(resp.Body) != `{"properties":{}}` || time.Since(start) != 2*time.Second {
			t.Errorf("%q %q after %v", resp.Remark, resp.Body, time.Since(start))
		}
		admin.want(protocol.SystemError, addrA, protocol.GetConsumerRunningInfo, ask("stranger"), nil)
		start = time.Now()
		admin.want(protocol.ConsumeMsgTimeout, addrA, protocol.GetConsumerRunningInfo, ask("silent"), nil)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("a silent member was waited for %v", took)
		}
	})
}

func TestOneMessageIsConsumedDirectly(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		member := w.answering("member", func(req *remoting.Command) *remoting.Command {
			list := w.messages(req.Body)
			broker, _ := req.Fields.Get("brokerName")
			if len(list) != 1 || string(list[0].Body()) != "this one" || broker != brokerA {
				t.Errorf("%d messages, broker %s", len(list), broker)
			}
			return &remoting.Command{Body: []byte("result")}
		})
		member.heartbeat(sub(t, topicT, anything, 1))
		admin := w.client("admin")
		sent := admin.send(topicT, 0, "", "this one")
		h := &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: groupG, ClientID: "member", MsgID: sent.MsgID, Topic: topicT}
		if resp := admin.want(protocol.Success, addrA, protocol.ConsumeMessageDirectly, h, nil); string(resp.Body) != "result" {
			t.Errorf("%q", resp.Body)
		}
		h.MsgID = "no id"
		admin.want(protocol.SystemError, addrA, protocol.ConsumeMessageDirectly, h, nil)
	})
}

func TestConsumerStatusAsksEveryMember(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 1)
		q := mq.MessageQueue{Topic: topicT, BrokerName: brokerA}
		for i, id := range []string{"m1", "m2"} {
			m := w.answering(id, func(*remoting.Command) *remoting.Command {
				return &remoting.Command{Body: protocol.ConsumerStatus{MessageQueueTable: map[mq.MessageQueue]int64{q: int64(i + 5)}}.Encode()}
			})
			m.heartbeat(sub(t, topicT, anything, 1))
		}
		admin := w.client("admin")
		h := &protocol.GetConsumerStatusRequest{Topic: topicT, Group: groupG}
		status, err := protocol.DecodeConsumerStatus(admin.want(protocol.Success, addrA, protocol.InvokeBrokerToGetConsumerStatus, h, nil).Body)
		if err != nil || status.ConsumerTable["m1"][q] != 5 || status.ConsumerTable["m2"][q] != 6 {
			t.Errorf("%+v %v", status, err)
		}
		h.ClientAddr = "m2"
		status, err = protocol.DecodeConsumerStatus(admin.want(protocol.Success, addrA, protocol.InvokeBrokerToGetConsumerStatus, h, nil).Body)
		if err != nil || len(status.ConsumerTable) != 1 {
			t.Errorf("%+v %v", status, err)
		}
		h.Group = "nobody"
		admin.want(protocol.SystemError, addrA, protocol.InvokeBrokerToGetConsumerStatus, h, nil)
	})
}
