package embedded

import (
	"errors"
	"strings"

	"mqscope/engine/embedded/store"
	"mqscope/engine/protocol"
)

// Contract: QUERY_CONSUMER_OFFSET (14). Header consumerGroup, topic, queueId,
// setZeroIfNotFound. 0 with the pending reset, else the stored offset if it is not negative;
// else 0 with offset 0 when the queue has a message at 0, unless setZeroIfNotFound is false;
// else 22. Group, topic and queue are not checked.
func (b *Broker) queryOffset(r *Request) {
	var h protocol.QueryConsumerOffsetRequest
	if !r.decode(&h) {
		return
	}
	if v, ok := b.committed(h.ConsumerGroup, h.Topic, h.QueueID); ok {
		r.ok(&protocol.OffsetResponse{Offset: v}, nil)
		return
	}
	if lo, hi := store.Bounds(b.Store.Lookup(h.Topic, h.QueueID)); h.SetZeroIfNotFound.Or(true) && lo == 0 && hi > 0 {
		r.ok(&protocol.OffsetResponse{}, nil)
		return
	}
	r.fail(protocol.QueryNotFound, "Not found, maybe this group consumer boot first")
}

// committed is the offset that a group is told: a pending reset, or what is stored.
func (b *Broker) committed(group, topic string, queue int32) (int64, bool) {
	if v, ok := b.resets.Get(group, topic, queue); ok {
		return v, true
	}
	v, ok := b.Store.Commits.Get(group, topic, queue)
	return v, ok && v >= 0
}

// Contract: UPDATE_CONSUMER_OFFSET (15). Header consumerGroup, topic, queueId, commitOffset.
// 26 without the group (which is not made), 17 without the topic, 29 without queueId or
// commitOffset; 0 without effect while a reset is pending; else 0, and any value is stored.
func (b *Broker) updateOffset(r *Request) {
	var h protocol.UpdateConsumerOffsetRequest
	err := protocol.Decode(r.Cmd.Fields, &h)
	switch {
	case b.groups[h.ConsumerGroup] == nil:
		r.failf(protocol.SubscriptionGroupNotExist, "Group %s not exist!", h.ConsumerGroup)
	case b.topics[h.Topic] == nil:
		r.failf(protocol.TopicNotExist, "Topic %s not exist!", h.Topic)
	case err != nil:
		code := protocol.SystemError
		if f, ok := errors.AsType[*protocol.FieldError](err); ok && (f.Field == "queueId" || f.Field == "commitOffset") {
			code = protocol.InvalidParameter
		}
		r.fail(code, err.Error())
	default:
		if _, pending := b.resets.Get(h.ConsumerGroup, h.Topic, h.QueueID); pending {
			r.answer(protocol.Success, "Offset has been previously reset", nil, nil)
			return
		}
		b.Store.Commits.Put(h.ConsumerGroup, h.Topic, h.QueueID, h.CommitOffset)
		r.ok(nil, nil)
	}
}

// Contract: GET_MAX_OFFSET (30). Header topic, queueId: always 0, the next offset to be
// written, 0 for what is unknown.
func (b *Broker) maxOffset(r *Request) {
	var h protocol.GetMaxOffsetRequest
	if r.decode(&h) {
		_, hi := store.Bounds(b.Store.Lookup(h.Topic, h.QueueID))
		r.ok(&protocol.OffsetResponse{Offset: hi}, nil)
	}
}

// Contract: GET_MIN_OFFSET (31). Header topic, queueId: always 0, the smallest offset that
// can be read, 0 for what is unknown.
func (b *Broker) minOffset(r *Request) {
	var h protocol.GetMinOffsetRequest
	if r.decode(&h) {
		lo, _ := store.Bounds(b.Store.Lookup(h.Topic, h.QueueID))
		r.ok(&protocol.OffsetResponse{Offset: lo}, nil)
	}
}

// Contract: GET_EARLIEST_MSG_STORETIME (32). Header topic, queueId: always 0, the store time
// (ms) of the message at the smallest offset, −1 if there is none.
func (b *Broker) earliestStoreTime(r *Request) {
	var h protocol.GetEarliestMsgStoreTimeRequest
	if r.decode(&h) {
		q := b.Store.Lookup(h.Topic, h.QueueID)
		lo, _ := store.Bounds(q)
		ms, ok := b.Store.StoreTime(q, lo)
		if !ok {
			ms = -1
		}
		r.ok(&protocol.GetEarliestMsgStoreTimeResponse{Timestamp: ms}, nil)
	}
}

// Contract: SEARCH_OFFSET_BY_TIMESTAMP (29). Header topic, queueId, timestamp (ms),
// boundaryType LOWER (default) or UPPER: always 0, see store.Search.
func (b *Broker) searchOffset(r *Request) {
	var h protocol.SearchOffsetRequest
	if r.decode(&h) {
		q := b.Store.Lookup(h.Topic, h.QueueID)
		r.ok(&protocol.OffsetResponse{Offset: b.Store.Search(q, h.Timestamp, strings.EqualFold(h.BoundaryType, "UPPER"))}, nil)
	}
}
