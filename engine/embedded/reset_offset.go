package embedded

import (
	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: INVOKE_BROKER_TO_RESET_OFFSET (222), the server-side form (5.2.0 on). Header
// ResetOffsetRequest: 17 without the topic, 26 without the group. A queue and an offset: 1 if
// it is below min or above max + 1. Else by timestamp for the queue or for all read queues:
// negative means the end, else the first message stored at or after it. The target is stored
// and waits: the queue's next pull answers 21 with it, and until then commits have no effect.
// Answer: 0 and the targets. isForce is ignored and nobody is told. The older
// form is resetByClients.
func (b *Broker) resetOffset(r *Request) {
	var h protocol.ResetOffsetRequest
	if !r.decode(&h) {
		return
	}
	if b.cfg.ResetByClients {
		b.resetByClients(r, &h)
		return
	}
	t := b.topics[h.Topic]
	switch {
	case t == nil:
		r.failf(protocol.TopicNotExist, "Topic %s does not exist", h.Topic)
		return
	case b.groups[h.Group] == nil:
		r.failf(protocol.SubscriptionGroupNotExist, "Group %s does not exist", h.Group)
		return
	}
	targets := protocol.ResetOffsetBody{OffsetTable: map[mq.MessageQueue]int64{}}
	from, to := int32(0), t.ReadQueueNums
	if h.QueueID >= 0 {
		from, to = h.QueueID, h.QueueID+1
	}
	for id := from; id < to; id++ {
		q := b.Store.Lookup(h.Topic, id)
		lo, hi := store.Bounds(q)
		target := h.Offset.Or(-1)
		switch {
		case h.QueueID >= 0 && target != -1:
			if target < lo || target > hi+1 {
				r.failf(protocol.SystemError, "Target offset %d not in consume queue range [%d-%d]", target, lo, hi)
				return
			}
		case h.Timestamp < 0:
			target = hi
		default:
			target = b.Store.Search(q, h.Timestamp, false)
		}
		targets.OffsetTable[b.queue(h.Topic, id)] = target
	}
	for q, target := range targets.OffsetTable {
		b.ResetOffset(h.Group, q.Topic, q.QueueID, target)
	}
	r.ok(nil, targets.Encode())
}

// ResetOffset sets a group's offset for its next pull of a queue to be answered with 21. Use
// it from Inspect.
func (b *Broker) ResetOffset(group, topic string, queue int32, offset int64) {
	b.resets.Put(group, topic, queue, offset)
	b.Store.Commits.Put(group, topic, queue, offset)
}

// Contract: CLONE_GROUP_OFFSET (314). Header srcGroup, destGroup, topic: 0; copies the stored
// offsets of the topic.
func (b *Broker) cloneOffsets(r *Request) {
	var h protocol.CloneGroupOffsetRequest
	if !r.decode(&h) {
		return
	}
	for id, offset := range b.Store.Commits.Queues(h.SrcGroup, h.Topic) {
		b.Store.Commits.Put(h.DestGroup, h.Topic, id, offset)
	}
	r.ok(nil, nil)
}
