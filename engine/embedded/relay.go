package embedded

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

const (
	relayTimeout  = 10 * time.Second
	statusTimeout = 5 * time.Second
)

// Contract: GET_CONSUMER_RUNNING_INFO (307) and CONSUME_MESSAGE_DIRECTLY (309). The member
// that the header names is sent the same fields under the same code, and its answer is
// passed on as it is: 1 if it is not online or older than V3_1_8, 207 if it does not answer
// in 10 s or closes its connection. 309 adds brokerName and groupSysFlag, topicSysFlag if a
// topic is named, and the record that the offset id names as body; 1 if there is none.
func (b *Broker) relayRunningInfo(r *Request) {
	var h protocol.GetConsumerRunningInfoRequest
	if r.decode(&h) {
		b.relay(r, h.ConsumerGroup, h.ClientID, r.Cmd.Fields, r.Cmd.Body)
	}
}

func (b *Broker) relayDirectly(r *Request) {
	var h protocol.ConsumeMessageDirectlyRequest
	if !r.decode(&h) {
		return
	}
	_, offset, err := protocol.ParseOffsetID(h.MsgID)
	record := b.Store.Record(offset)
	if err != nil || record == nil {
		r.failf(protocol.SystemError, "can not find message by the id %s", h.MsgID)
		return
	}
	fields := append(remoting.Fields(nil), r.Cmd.Fields...)
	fields.Set("brokerName", b.Name)
	fields.Set("groupSysFlag", "0")
	if h.Topic != "" {
		fields.Set("topicSysFlag", "0")
	}
	b.relay(r, h.ConsumerGroup, h.ClientID, fields, record)
}

func (b *Broker) relay(r *Request, group, clientID string, fields remoting.Fields, body []byte) {
	m := b.memberByID(group, clientID)
	switch {
	case m == nil:
		r.failf(protocol.SystemError, "The Consumer <%s> <%s> not online", group, clientID)
		return
	case m.version < protocol.VersionRunningInfo:
		r.failf(protocol.SystemError, "The Consumer <%s> Version <%s> too low to finish, please upgrade it to V3_1_8_SNAPSHOT",
			clientID, protocol.VersionName(m.version))
		return
	case b.state.ask == nil:
		r.fail(protocol.ConsumeMsgTimeout, "clients can not be asked")
		return
	}
	cmd := &remoting.Command{Code: r.Cmd.Code, Fields: fields, Body: body}
	b.state.ask(m.peer, cmd, relayTimeout, func(resp *remoting.Command, err error) {
		if err != nil {
			r.failf(protocol.ConsumeMsgTimeout, "consumer <%s> <%s>: %v", group, clientID, err)
			return
		}
		r.send(&remoting.Command{Code: resp.Code, Remark: resp.Remark, Fields: resp.Fields, Body: resp.Body})
	})
}

func (b *Broker) memberByID(group, clientID string) *member {
	if g := b.consumers[group]; g != nil {
		for _, m := range g.members {
			if m.clientID == clientID {
				return m
			}
		}
	}
	return nil
}

// Contract: INVOKE_BROKER_TO_GET_CONSUMER_STATUS (223). Header topic, group, clientAddr (a
// client id): each member, or the one named, is asked with 221, 5 s each; 0 and what they
// answered, by client id; 1 when nobody is online.
func (b *Broker) consumerStatus(r *Request) {
	var h protocol.GetConsumerStatusRequest
	if !r.decode(&h) {
		return
	}
	g := b.consumers[h.Group]
	if g == nil || b.state.ask == nil {
		r.failf(protocol.SystemError, "No Any Consumer online in the consumer group: [%s]", h.Group)
		return
	}
	answer := protocol.ConsumerStatus{ConsumerTable: map[string]map[mq.MessageQueue]int64{}}
	waiting := 1
	finish := func() {
		if waiting--; waiting == 0 {
			r.ok(nil, answer.Encode())
		}
	}
	for _, m := range g.members {
		if h.ClientAddr != "" && h.ClientAddr != m.clientID {
			continue
		}
		waiting++
		cmd := &remoting.Command{
			Code:   int32(protocol.GetConsumerStatusFromClient),
			Fields: protocol.Encode(&protocol.GetConsumerStatusRequest{Topic: h.Topic, Group: h.Group}),
		}
		b.state.ask(m.peer, cmd, statusTimeout, func(resp *remoting.Command, err error) {
			if err == nil && resp.Code == int32(protocol.Success) {
				if s, err := protocol.DecodeConsumerStatus(resp.Body); err == nil {
					answer.ConsumerTable[m.clientID] = s.MessageQueueTable
				}
			}
			finish()
		})
	}
	finish()
}
