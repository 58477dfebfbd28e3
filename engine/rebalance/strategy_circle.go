package rebalance

import "mqscope/engine/mq"

// AveragelyByCircle deals the queues out one by one, like cards: neighbouring queues go to
// different members (Java: AllocateMessageQueueAveragelyByCircle).
type AveragelyByCircle struct{}

// Name is AVG_BY_CIRCLE.
func (AveragelyByCircle) Name() string { return "AVG_BY_CIRCLE" }

// Allocate implements Strategy.
func (AveragelyByCircle) Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	index, err := place(me, queues, members)
	if err != nil || index < 0 {
		return nil, err
	}
	mine := make([]mq.MessageQueue, 0, (len(queues)-index-1)/len(members)+1)
	for i := index; i < len(queues); i += len(members) {
		mine = append(mine, queues[i])
	}
	return mine, nil
}
