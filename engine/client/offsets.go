package client

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// QueryOffset asks the master of q for the offset that group has committed
// (QUERY_CONSUMER_OFFSET); without a master a slave is asked. found is false only when the
// broker says that there is none; every other failure is an error and never means zero.
func (i *Instance) QueryOffset(ctx context.Context, group string, q mq.MessageQueue) (offset int64, found bool, err error) {
	h := &protocol.QueryConsumerOffsetRequest{ConsumerGroup: group, Topic: q.Topic, QueueID: q.QueueID}
	h.BName = q.BrokerName
	offset, err = i.askOffset(ctx, q, false, protocol.QueryConsumerOffset, h, offsetTimeout)
	if code, ok := codeOf(err); ok && code == protocol.QueryNotFound {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("committed offset of %s in %s: %w", group, q.Path(), err)
	}
	return offset, true, nil
}

// MaxOffset asks the master of q for the offset that the next message will get
// (GET_MAX_OFFSET).
func (i *Instance) MaxOffset(ctx context.Context, q mq.MessageQueue) (int64, error) {
	h := &protocol.GetMaxOffsetRequest{Topic: q.Topic, QueueID: q.QueueID, Committed: true}
	h.BName = q.BrokerName
	n, err := i.askOffset(ctx, q, true, protocol.GetMaxOffset, h, adminTimeout)
	if err != nil {
		return 0, fmt.Errorf("max offset of %s: %w", q.Path(), err)
	}
	return n, nil
}

// MinOffset asks the master of q for the first offset that is still stored
// (GET_MIN_OFFSET).
func (i *Instance) MinOffset(ctx context.Context, q mq.MessageQueue) (int64, error) {
	h := &protocol.GetMinOffsetRequest{Topic: q.Topic, QueueID: q.QueueID}
	h.BName = q.BrokerName
	n, err := i.askOffset(ctx, q, true, protocol.GetMinOffset, h, adminTimeout)
	if err != nil {
		return 0, fmt.Errorf("min offset of %s: %w", q.Path(), err)
	}
	return n, nil
}

// SearchOffset asks the master of q for the first offset stored at t or later
// (SEARCH_OFFSET_BY_TIMESTAMP).
func (i *Instance) SearchOffset(ctx context.Context, q mq.MessageQueue, t time.Time) (int64, error) {
	h := &protocol.SearchOffsetRequest{Topic: q.Topic, QueueID: q.QueueID, Timestamp: t.UnixMilli()}
	h.BName = q.BrokerName
	n, err := i.askOffset(ctx, q, true, protocol.SearchOffsetByTimestamp, h, adminTimeout)
	if err != nil {
		return 0, fmt.Errorf("offset of %s at %s: %w", q.Path(), t.Format(time.RFC3339), err)
	}
	return n, nil
}

// askOffset makes one of the calls that are answered by one offset, which is never negative.
func (i *Instance) askOffset(ctx context.Context, q mq.MessageQueue, onlyMaster bool, code protocol.RequestCode, h protocol.Header, timeout time.Duration) (int64, error) {
	b, err := i.locate(ctx, q, mq.MasterID, onlyMaster)
	if err != nil {
		return 0, err
	}
	cmd, err := i.ask(ctx, b.Addr, request(code, h, nil), timeout)
	if err != nil {
		return 0, err
	}
	var r protocol.OffsetResponse
	if err := protocol.Decode(cmd.Fields, &r); err != nil {
		return 0, badAnswer(b.Addr, err)
	}
	if r.Offset < 0 {
		return 0, badAnswer(b.Addr, fmt.Errorf("the offset is %d", r.Offset))
	}
	return r.Offset, nil
}

// CommitOffset sends the offset of a queue to its master one-way, without waiting for
// anything (UPDATE_CONSUMER_OFFSET). Unlike Java it never commits to a slave, whose offsets
// are overwritten by its master's. An error says why nothing was sent; sending the same
// again later is always right.
func (i *Instance) CommitOffset(group string, q mq.MessageQueue, offset int64) error {
	if !i.live() {
		return ErrNotRunning
	}
	b, ok := i.find(q.BrokerName, mq.MasterID, true)
	if !ok {
		i.wantRoutes(q.Topic)
		return fmt.Errorf("commit %d of %s: %w", offset, q.Path(), i.noBroker(q.BrokerName))
	}
	if err := i.oneWay(b.Addr, request(protocol.UpdateConsumerOffset, commitHeader(group, q, offset), nil)); err != nil {
		return fmt.Errorf("commit %d of %s to %s: %w", offset, q.Path(), b.Addr, err)
	}
	return nil
}

// CommitOffsetSync is CommitOffset that waits for the broker's answer.
func (i *Instance) CommitOffsetSync(ctx context.Context, group string, q mq.MessageQueue, offset int64) error {
	b, err := i.locate(ctx, q, mq.MasterID, true)
	if err == nil {
		_, err = i.ask(ctx, b.Addr, request(protocol.UpdateConsumerOffset, commitHeader(group, q, offset), nil), offsetTimeout)
	}
	if err != nil {
		return fmt.Errorf("commit %d of %s: %w", offset, q.Path(), err)
	}
	return nil
}

func commitHeader(group string, q mq.MessageQueue, offset int64) protocol.Header {
	h := &protocol.UpdateConsumerOffsetRequest{ConsumerGroup: group, Topic: q.Topic, QueueID: q.QueueID, CommitOffset: offset}
	h.BName = q.BrokerName
	return h
}
