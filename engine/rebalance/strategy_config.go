package rebalance

import (
	"slices"

	"mqscope/engine/mq"
)

// ByConfig gives this member the queues of a list, whatever the topic and the group look
// like. Nothing is checked: whether the members' lists make a whole is up to whoever writes
// them (Java: AllocateMessageQueueByConfig).
type ByConfig struct {
	Queues []mq.MessageQueue
}

// Name is CONFIG.
func (ByConfig) Name() string { return "CONFIG" }

// Allocate implements Strategy. It never fails.
func (c ByConfig) Allocate(string, []mq.MessageQueue, []string) ([]mq.MessageQueue, error) {
	return slices.Clip(c.Queues), nil
}
