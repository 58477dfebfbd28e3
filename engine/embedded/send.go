package embedded

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// Contract: SEND_MESSAGE (10) and SEND_MESSAGE_V2 (310), SEND_BATCH_MESSAGE (320, see
// send_batch.go). Checks in the order of broker.md 8.1: empty body 1; topic name 29; closed
// system topic 16; missing topic 17 unless it may be made (topics.go); queueId beyond both
// queue counts 29; %RETRY% rules (retry_send.go). A negative queueId means any. Topic perm
// is not looked at. Body over 4 MiB or properties over 32767 bytes 13. Code 0 has msgId (of
// the record really stored), queueId, queueOffset, transactionId; every answer but the first
// has MSG_REGION and TRACE_ON. Stored properties: POP_CK out; MSG_REGION, TRACE_ON, CLUSTER
// and, if missing, UNIQ_KEY in. Left out: timer properties (delivered at once), replication
// and flush codes (inject them), transactions' half messages (code 16, as a broker with
// rejectTransactionMessage=true).
func (b *Broker) send(r *Request) {
	h, ok := b.decodeSend(r)
	if !ok {
		return
	}
	if len(r.Cmd.Body) == 0 {
		r.fail(protocol.SystemError, "message body is null")
		return
	}
	t, queue, refused := b.checkSend(r, h)
	if refused.code != protocol.Success {
		r.failSend(refused.code, refused.remark)
		return
	}
	if h.Batch.Or(false) {
		b.sendBatch(r, h, t, queue)
		return
	}
	if property([]byte(h.Properties), mq.PropertyTransaction) == "true" {
		r.failSend(protocol.NoPermission, "the broker["+b.host.Addr().String()+"] sending transaction message is forbidden")
		return
	}
	props, uniqueKey := b.sendProperties([]byte(h.Properties))
	if len(r.Cmd.Body) > maxBody || len(props) > maxProperties {
		r.failSend(protocol.MessageIllegal, "the message is illegal, maybe msg body or properties length not matched. msg body length limit 4194304B, msg properties length limit 32KB.")
		return
	}
	m := protocol.StoredMessage{
		Flag: h.Flag, SysFlag: h.SysFlag, BornTime: h.BornTimestamp, BornHost: peerHost(r.From),
		ReconsumeTimes: h.ReconsumeTimes.Or(0), Body: r.Cmd.Body, Properties: props,
	}
	target := h.Topic
	if mq.IsRetryTopic(h.Topic) {
		var f refusal
		if target, f = b.retryTarget(r, h, &m); f.code != protocol.Success {
			r.failSend(f.code, f.remark)
			return
		}
		if target != h.Topic {
			queue = 0
		}
	}
	p, err := b.put(target, queue, &m)
	if err != nil {
		r.failSend(protocol.ServiceNotAvailable, err.Error())
		return
	}
	r.sent(&protocol.SendMessageResponse{
		MsgID: protocol.OffsetID(b.host, p.PhysicalOffset), QueueID: queue, QueueOffset: p.QueueOffset, TransactionID: uniqueKey,
	})
}

// decodeSend reads either form of the header.
func (b *Broker) decodeSend(r *Request) (*protocol.SendMessageRequest, bool) {
	if protocol.RequestCode(r.Cmd.Code) == protocol.SendMessage {
		h := new(protocol.SendMessageRequest)
		return h, r.decode(h)
	}
	h := new(protocol.SendMessageRequestV2)
	return (*protocol.SendMessageRequest)(h), r.decode(h)
}

// checkSend makes rows 3 to 7 of the checks and chooses the queue.
func (b *Broker) checkSend(r *Request, h *protocol.SendMessageRequest) (*topic, int32, refusal) {
	if t := b.topics[h.Topic]; b.perm()&protocol.PermWrite == 0 && t != nil && t.Order {
		return nil, 0, refuse(protocol.NoPermission, "the broker[%s] sending message is forbidden", b.host.Addr())
	}
	if fault := topicFault(h.Topic); fault != "" {
		return nil, 0, refuse(protocol.InvalidParameter, "%s", fault)
	}
	if closedTopic(h.Topic) {
		return nil, 0, refuse(protocol.NoPermission, "Sending message to topic [%s] is forbidden.", h.Topic)
	}
	t := b.topicForSend(h)
	if t == nil {
		return nil, 0, refuse(protocol.TopicNotExist, "topic[%s] not exist, apply first please!", h.Topic)
	}
	if h.QueueID >= max(t.ReadQueueNums, t.WriteQueueNums) {
		return nil, 0, refuse(protocol.InvalidParameter, "request queueId[%d] is illegal, %s Producer: %s", h.QueueID, t.TopicName, r.From)
	}
	queue := h.QueueID
	if queue < 0 {
		if t.WriteQueueNums <= 0 {
			return nil, 0, refuse(protocol.SystemError, "topic %s has no queue to write to", t.TopicName)
		}
		queue = b.state.rand.Int32N(t.WriteQueueNums)
	}
	return t, queue, refusal{}
}

// sendProperties completes the properties of a message and returns its unique key.
func (b *Broker) sendProperties(text []byte) (props []byte, uniqueKey string) {
	props = bytes.Clone(text)
	props = withoutProperty(props, "POP_CK")
	if uniqueKey = property(props, mq.PropertyUniqueKey); uniqueKey == "" {
		uniqueKey = b.state.ids.Next(b.state.now)
		props = withProperty(props, mq.PropertyUniqueKey, uniqueKey)
	}
	return b.brokerProperties(props), uniqueKey
}

// brokerProperties adds what the broker says of itself.
func (b *Broker) brokerProperties(props []byte) []byte {
	props = withProperty(props, "MSG_REGION", regionID)
	props = withProperty(props, "TRACE_ON", "true")
	return withProperty(props, "CLUSTER", b.cfg.ClusterName)
}

// retryTarget applies the rules for sends to %RETRY%group, which consumers make when a
// send-back fails (broker.md 8.5): 26 without the group; too many retries, or any queue lock
// of the group, send the message to the dead letters.
func (b *Broker) retryTarget(r *Request, h *protocol.SendMessageRequest, m *protocol.StoredMessage) (string, refusal) {
	name := strings.TrimPrefix(h.Topic, mq.RetryPrefix)
	g := b.findGroup(name)
	if g == nil {
		return "", refuse(protocol.SubscriptionGroupNotExist, "subscription group not exist, %s", name)
	}
	limit := g.RetryMaxTimes
	if r.Cmd.Version >= protocol.VersionMaxReconsumeTimes {
		limit = h.MaxReconsumeTimes.Or(limit)
	}
	if h.ReconsumeTimes.Or(0) <= limit && !b.anyLock(name) {
		return h.Topic, refusal{}
	}
	dead := b.internalTopic(mq.DeadLetterTopic(name), 1)
	m.Properties = withProperty(m.Properties, mq.PropertyDelayLevel, "-1")
	return dead.TopicName, refusal{}
}

// sent answers a send that stored its message.
func (r *Request) sent(h *protocol.SendMessageResponse) {
	h.Region, h.TraceOn = regionID, "true"
	r.ok(h, nil)
}

// failSend answers a send that was refused.
func (r *Request) failSend(code protocol.ResponseCode, remark string) {
	r.send(&remoting.Command{Code: int32(code), Remark: remark, Fields: []remoting.Field{
		{Key: "MSG_REGION", Value: regionID}, {Key: "TRACE_ON", Value: "true"},
	}})
}

// peerHost is the address of a client as messages carry it.
func peerHost(addr string) netip.AddrPort {
	h, err := netip.ParseAddrPort(addr)
	if err != nil {
		return hostOf(addr)
	}
	return h
}

// Contract: SEND_BATCH_MESSAGE (320), or any send with batch=true. The body is batch records;
// they are stored as separate messages with consecutive offsets. %RETRY% topics, DELAY in
// the header's properties, transactions 13; more than 4 MiB or a body that is no batch 1.
// The header's properties are appended to those of each record. msgId is the offset ids
// joined by commas, queueOffset that of the first. Left out: BatchCQ topics (stored as
// separate messages).
func (b *Broker) sendBatch(r *Request, h *protocol.SendMessageRequest, t *topic, queue int32) {
	headerProps := []byte(h.Properties)
	level, _ := strconv.Atoi(property(headerProps, mq.PropertyDelayLevel))
	if mq.IsRetryTopic(t.TopicName) || level > 0 || h.SysFlag&mq.TransactionMask != 0 {
		r.failSend(protocol.MessageIllegal, "the message is illegal: batches of retry, delayed and transaction messages are not stored")
		return
	}
	if len(r.Cmd.Body) > maxBody {
		r.failSend(protocol.SystemError, "message body size exceeded")
		return
	}
	records, err := protocol.SplitBatch(r.Cmd.Body)
	if err != nil {
		r.failSend(protocol.SystemError, err.Error())
		return
	}
	uniqueKey := property(headerProps, mq.PropertyUniqueKey)
	headerProps = b.brokerProperties(withoutProperty(bytes.Clone(headerProps), "POP_CK"))
	for _, rec := range records {
		if len(rec.Properties)+1+len(headerProps) > maxProperties {
			r.failSend(protocol.MessageIllegal, "the message is illegal: properties of a record are too long")
			return
		}
	}
	var ids []string
	var first store.Place
	for i, rec := range records {
		props := bytes.Clone(rec.Properties)
		if n := len(props); n > 0 && props[n-1] != mq.ValueSeparator {
			props = append(props, mq.ValueSeparator)
		}
		m := protocol.StoredMessage{
			Flag: rec.Flag, SysFlag: h.SysFlag, BornTime: h.BornTimestamp, BornHost: peerHost(r.From),
			ReconsumeTimes: h.ReconsumeTimes.Or(0), Body: rec.Body, Properties: append(props, headerProps...),
		}
		p, err := b.append(b.Store.Queue(t.TopicName, queue), &m, protocol.TagCode(property(m.Properties, mq.PropertyTags)))
		if err != nil {
			r.failSend(protocol.ServiceNotAvailable, err.Error())
			return
		}
		if i == 0 {
			first = p
		}
		ids = append(ids, protocol.OffsetID(b.host, p.PhysicalOffset))
	}
	r.sent(&protocol.SendMessageResponse{
		MsgID: strings.Join(ids, ","), QueueID: queue, QueueOffset: first.QueueOffset, TransactionID: uniqueKey,
	})
}
