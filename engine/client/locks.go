package client

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// lockTimeout is that of lock and unlock calls (Java: RebalanceImpl, 1000 ms).
const lockTimeout = time.Second

// LockBatch asks the master of a broker for the locks of queues on it, or to renew them, and
// returns those that this client holds now (LOCK_BATCH_MQ). A queue that is left out belongs
// to another client of the group; which one the broker does not tell. With an error nothing
// is known: the broker may have granted all of them.
func (i *Instance) LockBatch(ctx context.Context, group, broker string, queues []mq.MessageQueue) ([]mq.MessageQueue, error) {
	if len(queues) == 0 {
		return nil, nil
	}
	b, err := i.locate(ctx, mq.MessageQueue{Topic: queues[0].Topic, BrokerName: broker}, mq.MasterID, true)
	if err != nil {
		return nil, lockErr("lock", queues, broker, err)
	}
	cmd, err := i.ask(ctx, b.Addr, i.lockRequest(protocol.LockBatchMQ, group, queues), lockTimeout)
	if err != nil {
		return nil, lockErr("lock", queues, broker, err)
	}
	r, err := protocol.DecodeLockBatchResponse(cmd.Body)
	if err != nil {
		return nil, lockErr("lock", queues, broker, badAnswer(b.Addr, err))
	}
	held := make(map[mq.MessageQueue]bool, len(r.Locked))
	for _, q := range r.Locked {
		held[q] = true
	}
	granted := make([]mq.MessageQueue, 0, len(r.Locked))
	for _, q := range queues { // what was not asked for does not count
		if held[q] {
			granted = append(granted, q)
		}
	}
	return granted, nil
}

// UnlockBatch gives the locks of queues back to the master of their broker and returns when
// it has them (UNLOCK_BATCH_MQ). A lock that another client has stays. With an error the lock
// may be free, or stay ours until it expires.
func (i *Instance) UnlockBatch(ctx context.Context, group, broker string, queues []mq.MessageQueue) error {
	if len(queues) == 0 {
		return nil
	}
	b, ok := i.find(broker, mq.MasterID, true)
	if !ok {
		return lockErr("unlock", queues, broker, i.noBroker(broker))
	}
	_, err := i.ask(ctx, b.Addr, i.lockRequest(protocol.UnlockBatchMQ, group, queues), lockTimeout)
	return lockErr("unlock", queues, broker, err)
}

// UnlockBatchOneWay is UnlockBatch that waits for nothing: when it returns, the request may
// still be on its way, and may reach the broker after a later LockBatch
// (Java: RebalanceImpl.unlock with oneway).
func (i *Instance) UnlockBatchOneWay(group, broker string, queues []mq.MessageQueue) error {
	if !i.live() {
		return ErrNotRunning
	}
	if len(queues) == 0 {
		return nil
	}
	b, ok := i.find(broker, mq.MasterID, true)
	if !ok {
		return lockErr("unlock", queues, broker, i.noBroker(broker))
	}
	return lockErr("unlock", queues, broker, i.oneWay(b.Addr, i.lockRequest(protocol.UnlockBatchMQ, group, queues)))
}

func (i *Instance) lockRequest(code protocol.RequestCode, group string, queues []mq.MessageQueue) *remoting.Command {
	body := protocol.LockBatchRequest{ClientID: i.cfg.ClientID, ConsumerGroup: group, Queues: queues}
	return request(code, nil, body.Encode())
}

// lockErr says what was tried; nil stays nil.
func lockErr(what string, queues []mq.MessageQueue, broker string, err error) error {
	if err == nil {
		return nil
	}
	if len(queues) == 1 {
		return fmt.Errorf("%s %s: %w", what, queues[0].Path(), err)
	}
	return fmt.Errorf("%s %d queues on %s: %w", what, len(queues), broker, err)
}
