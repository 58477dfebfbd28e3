package embedded

import (
	"maps"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// queueLock says who may consume a queue in order, and when it was last said.
type queueLock struct {
	client string
	at     time.Time
}

func (l queueLock) expired(now time.Time) bool { return now.Sub(l.at) > lockExpiry }

// Contract: LOCK_BATCH_MQ (41). Body LockBatchRequest: always 0 and the queues that the
// client now owns; a foreign lock younger than 60 s stays and is left out. Nothing of the
// names is checked, and no disconnect frees a lock. Left out: strict mode.
func (b *Broker) lockBatch(r *Request) {
	body, err := protocol.DecodeLockBatchRequest(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	now := b.state.now
	locks := b.locks[body.ConsumerGroup]
	if locks == nil {
		locks = map[mq.MessageQueue]queueLock{}
		b.locks[body.ConsumerGroup] = locks
	}
	var answer protocol.LockBatchResponse
	for _, q := range body.Queues {
		l, ok := locks[q]
		if ok && l.client != body.ClientID && !l.expired(now) {
			continue
		}
		locks[q] = queueLock{body.ClientID, now}
		answer.Locked = append(answer.Locked, q)
	}
	r.ok(nil, answer.Encode())
}

// Contract: UNLOCK_BATCH_MQ (42). Body LockBatchRequest: always 0; frees those of the queues
// that the client owns.
func (b *Broker) unlockBatch(r *Request) {
	body, err := protocol.DecodeLockBatchRequest(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	locks := b.locks[body.ConsumerGroup]
	for _, q := range body.Queues {
		if locks[q].client == body.ClientID {
			delete(locks, q)
		}
	}
	r.ok(nil, nil)
}

// anyLock tells whether anyone of the group holds a lock that has not expired.
func (b *Broker) anyLock(group string) bool {
	for l := range maps.Values(b.locks[group]) {
		if !l.expired(b.state.now) {
			return true
		}
	}
	return false
}
