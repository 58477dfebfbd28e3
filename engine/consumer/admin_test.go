package consumer_test

import (
	"context"
	"time"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// admin is a tool that asks a broker, which asks the members.
type admin struct {
	w *world
	c *remoting.Client
}

func (w *world) admin() *admin { return &admin{w, w.stranger()} }

// ask returns what the first broker answers.
func (a *admin) ask(code protocol.RequestCode, h protocol.Header) *remoting.Command {
	a.w.t.Helper()
	resp, err := a.try(code, h)
	if err != nil {
		a.w.t.Fatalf("%v: %v", code, err)
	}
	return resp
}

func (a *admin) try(code protocol.RequestCode, h protocol.Header) (*remoting.Command, error) {
	ctx, cancel := context.WithTimeout(a.w.ctx, 30*time.Second)
	defer cancel()
	return a.c.Call(ctx, addrOf("broker-a"), &remoting.Command{Code: int32(code), Fields: protocol.Encode(h)})
}

// resetByClients makes brokers send resets to members.
func resetByClients(c *embedded.Config) { c.ResetByClients = true }

// reset has the offsets of the topic reset to those of a time, or to the end.
func (a *admin) reset(to time.Time) {
	a.w.t.Helper()
	h := &protocol.ResetOffsetRequest{Topic: topic, Group: group, QueueID: -1, Timestamp: -1, Force: true}
	if !to.IsZero() {
		h.Timestamp = to.UnixMilli()
	}
	if resp := a.ask(protocol.InvokeBrokerToResetOffset, h); resp.Code != 0 {
		a.w.t.Fatalf("reset: %d %q", resp.Code, resp.Remark)
	}
}

// order sends a reset to the members of one broker, whatever the broker thinks of it.
func (w *world) order(broker string, body []byte) {
	w.t.Helper()
	w.on(broker, func(b *embedded.Broker) {
		b.TellMembers(group, protocol.ResetConsumerClientOffset, &protocol.ResetOffsetRequest{Topic: topic, Group: group, QueueID: -1, Timestamp: -1}, body)
	})
}

func (w *world) orderTargets(broker string, targets map[mq.MessageQueue]int64) {
	w.t.Helper()
	w.order(broker, protocol.ResetOffsetBody{OffsetTable: targets}.Encode())
}

// directly has a member consume a stored message now.
func (a *admin) directly(member string, m mq.Message) (protocol.ConsumeMessageDirectlyResult, *remoting.Command) {
	a.w.t.Helper()
	resp := a.ask(protocol.ConsumeMessageDirectly, directly(member, m))
	if resp.Code != 0 {
		return protocol.ConsumeMessageDirectlyResult{}, resp
	}
	r, err := protocol.DecodeConsumeMessageDirectlyResult(resp.Body)
	if err != nil {
		a.w.t.Fatal(err)
	}
	return r, resp
}

func directly(member string, m mq.Message) *protocol.ConsumeMessageDirectlyRequest {
	return &protocol.ConsumeMessageDirectlyRequest{ConsumerGroup: group, ClientID: member, MsgID: m.OffsetID(), Topic: topic}
}

// info is what a member tells of itself.
func (a *admin) info(member string, stacks bool) protocol.ConsumerRunningInfo {
	a.w.t.Helper()
	resp := a.ask(protocol.GetConsumerRunningInfo, &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: group, ClientID: member, StackEnable: stacks})
	if resp.Code != 0 {
		a.w.t.Fatalf("running info: %d %q", resp.Code, resp.Remark)
	}
	info, err := protocol.DecodeConsumerRunningInfo(resp.Body)
	if err != nil {
		a.w.t.Fatal(err)
	}
	return info
}

// status are the offsets that a member has in memory.
func (a *admin) status(member string) map[mq.MessageQueue]int64 {
	a.w.t.Helper()
	resp := a.ask(protocol.InvokeBrokerToGetConsumerStatus, &protocol.GetConsumerStatusRequest{Topic: topic, Group: group, ClientAddr: member})
	s, err := protocol.DecodeConsumerStatus(resp.Body)
	if resp.Code != 0 || err != nil {
		a.w.t.Fatalf("status: %d %q %v", resp.Code, resp.Remark, err)
	}
	return s.ConsumerTable[member]
}
