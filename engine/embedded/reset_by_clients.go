package embedded

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// Contract: INVOKE_BROKER_TO_RESET_OFFSET (222) with Config.ResetByClients, the form of
// brokers before 5.2.0. 17 without the topic; 1 if a write queue has no stored offset; 206 if
// nobody is online; 1 if a member is older than V3_0_7. Target of each write queue: the end
// for timestamp -1, else the first message stored at or after it; where that is not below the
// stored offset, the latter unless isForce. Every member is sent RESET_CONSUMER_CLIENT_OFFSET
// (220) one-way with topic, group and timestamp of the request, isForce false and all targets,
// as a list when a C++ tool asked. Answer: 0 and the targets. Nothing is stored here: that is
// up to the members.
func (b *Broker) resetByClients(r *Request, h *protocol.ResetOffsetRequest) {
	t := b.topics[h.Topic]
	if t == nil {
		r.failf(protocol.TopicNotExist, "Topic %s does not exist", h.Topic)
		return
	}
	targets := protocol.ResetOffsetBody{OffsetTable: map[mq.MessageQueue]int64{}}
	for id := range t.WriteQueueNums {
		stored, ok := b.Store.Commits.Get(h.Group, h.Topic, id)
		if !ok {
			r.failf(protocol.SystemError, "THe consumer group %s not exist", h.Group)
			return
		}
		q := b.Store.Lookup(h.Topic, id)
		_, target := store.Bounds(q)
		if h.Timestamp != -1 {
			target = max(0, b.Store.Search(q, h.Timestamp, false))
		}
		if !h.Force && target >= stored {
			target = stored
		}
		targets.OffsetTable[b.queue(h.Topic, id)] = target
	}
	g := b.consumers[h.Group]
	if g == nil {
		r.failf(protocol.ConsumerNotOnline, "Consumer not online, so can not reset offset, Group: %s Topic: %s Timestamp: %d", h.Group, h.Topic, h.Timestamp)
		return
	}
	for _, m := range g.members {
		if m.version < protocol.VersionClientReset {
			r.failf(protocol.SystemError, "the client does not support this feature. version=%s", protocol.VersionName(m.version))
			return
		}
	}
	body := targets.Encode()
	if r.Cmd.Language == remoting.CPP {
		body = resetList(targets.OffsetTable)
	}
	order := &protocol.ResetOffsetRequest{Topic: h.Topic, Group: h.Group, QueueID: -1, Timestamp: h.Timestamp}
	for _, m := range g.members {
		b.state.tell(b, m.peer, protocol.ResetConsumerClientOffset, order, body)
	}
	r.ok(nil, targets.Encode())
}

// resetList is the body that members get after a C++ tool asked (Java: ResetOffsetBodyForC).
func resetList(targets map[mq.MessageQueue]int64) []byte {
	var out strings.Builder
	out.WriteString(`{"offsetTable":[`)
	for i, q := range slices.SortedFunc(maps.Keys(targets), mq.MessageQueue.Compare) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`{"brokerName":` + strconv.Quote(q.BrokerName) + `,"offset":` + strconv.FormatInt(targets[q], 10) +
			`,"queueId":` + strconv.Itoa(int(q.QueueID)) + `,"topic":` + strconv.Quote(q.Topic) + `}`)
	}
	out.WriteString(`]}`)
	return []byte(out.String())
}
