package rebalance

import (
	"slices"

	"mqscope/engine/mq"
)

// collective is a Strategy that answers for all members at once, since one by one it would
// do the same work again for each.
type collective interface {
	// shares returns the queues of each member, in the order of Allocate; who gets nothing
	// may be missing. queues and members are not empty, no member is "".
	shares(queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error)
}

// shares returns what s gives each member, as Allocate does for one. The slices may share
// memory with queues.
func shares(s Strategy, queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error) {
	switch {
	case slices.Contains(members, ""):
		return nil, ErrNoClientID
	case len(queues) == 0:
		return nil, ErrNoQueues
	case len(members) == 0:
		return nil, ErrNoMembers
	}
	if c, ok := s.(collective); ok {
		return c.shares(queues, members)
	}
	theirs := make(map[string][]mq.MessageQueue, len(members))
	for _, member := range members {
		if _, again := theirs[member]; again {
			continue
		}
		mine, err := s.Allocate(member, queues, members)
		if err != nil {
			return nil, err
		}
		theirs[member] = mine
	}
	return theirs, nil
}
