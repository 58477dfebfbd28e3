package rebalance

import (
	"errors"
	"slices"

	"mqscope/engine/mq"
)

// Strategy allots queues to the members of a group (Java: AllocateMessageQueueStrategy).
// Every member must use the same one and see the same arguments.
type Strategy interface {
	Name() string // as told to brokers, "AVG"
	// Allocate returns the queues of member me, which may share memory with queues. queues
	// and members are sorted. A member that is not in the list gets nothing. It fails with
	// one of the errors below, or with what its own settings make impossible.
	Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error)
}

// Errors of a call that no strategy but CONFIG can answer; the texts are those of Java's
// AbstractAllocateMessageQueueStrategy.check.
var (
	ErrNoClientID = errors.New("currentCID is empty")
	ErrNoQueues   = errors.New("mqAll is null or mqAll empty")
	ErrNoMembers  = errors.New("cidAll is null or cidAll empty")
)

// place checks the arguments and returns the index of me among the members, -1 when it is
// none of them.
func place(me string, queues []mq.MessageQueue, members []string) (int, error) {
	switch {
	case me == "":
		return -1, ErrNoClientID
	case len(queues) == 0:
		return -1, ErrNoQueues
	case len(members) == 0:
		return -1, ErrNoMembers
	}
	return slices.Index(members, me), nil
}
