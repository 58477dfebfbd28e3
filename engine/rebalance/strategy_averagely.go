package rebalance

import "mqscope/engine/mq"

// Averagely gives each member one run of neighbouring queues, the first ones one queue more
// where the division leaves a rest (Java: AllocateMessageQueueAveragely).
type Averagely struct{}

// Name is AVG.
func (Averagely) Name() string { return "AVG" }

// Allocate implements Strategy.
func (Averagely) Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	index, err := place(me, queues, members)
	if err != nil || index < 0 {
		return nil, err
	}
	share, rest := len(queues)/len(members), len(queues)%len(members)
	from := index*share + min(index, rest)
	if index < rest {
		share++
	}
	return queues[from : from+share : from+share], nil
}
