package client

import (
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// pullOnce pulls and waits for the answer.
func pullOnce(w *world, i *Instance, q mq.MessageQueue, brokerID int64) PullAnswer {
	w.t.Helper()
	done := make(chan PullAnswer, 2)
	h := &protocol.PullMessageRequest{ConsumerGroup: "G", Topic: q.Topic, QueueID: q.QueueID, QueueOffset: 100,
		MaxMsgNums: 32, SysFlag: protocol.PullSuspend | protocol.PullCommitOffset, CommitOffset: 90, SuspendTimeoutMillis: 15000}
	i.Pull(q, brokerID, h, 30e9, func(a PullAnswer) { done <- a })
	return <-done
}
