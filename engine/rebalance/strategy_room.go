package rebalance

import (
	"errors"
	"slices"
	"strings"

	"mqscope/engine/mq"
)

// ErrNoRooms is the error of a MachineRoom without rooms that meets a broker with one.
var ErrNoRooms = errors.New("the machine rooms to consume from are not set")

// MachineRoom allots the queues of some machine rooms and leaves all others to nobody. The
// room of a broker stands in its name, as room@rest; brokers with any other name belong to
// no room (Java: AllocateMessageQueueByMachineRoom).
type MachineRoom struct {
	Rooms []string // nil is an error where a broker has a room; empty allots nothing
}

// Name is MACHINE_ROOM.
func (MachineRoom) Name() string { return "MACHINE_ROOM" }

// Allocate implements Strategy. It fails with ErrNoRooms too.
func (m MachineRoom) Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	index, err := place(me, queues, members)
	if err != nil || index < 0 {
		return nil, err
	}
	eligible, err := m.eligible(queues)
	if err != nil {
		return nil, err
	}
	return deal(index, eligible, len(members)), nil
}

// shares implements collective.
func (m MachineRoom) shares(queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error) {
	eligible, err := m.eligible(queues)
	if err != nil {
		return nil, err
	}
	theirs := make(map[string][]mq.MessageQueue, len(members))
	for index, member := range members {
		if _, again := theirs[member]; !again {
			theirs[member] = deal(index, eligible, len(members))
		}
	}
	return theirs, nil
}

// eligible returns the queues in the rooms of m.
func (m MachineRoom) eligible(queues []mq.MessageQueue) ([]mq.MessageQueue, error) {
	var in []mq.MessageQueue
	for _, q := range queues {
		room, ok := roomInName(q.BrokerName)
		switch {
		case !ok:
		case m.Rooms == nil:
			return nil, ErrNoRooms
		case slices.Contains(m.Rooms, room):
			in = append(in, q)
		}
	}
	return in, nil
}

// deal gives member index of n a run of neighbouring queues, and one of the last where the
// division leaves a rest.
func deal(index int, queues []mq.MessageQueue, n int) []mq.MessageQueue {
	share, rest := len(queues)/n, len(queues)%n
	mine := make([]mq.MessageQueue, 0, share+1)
	mine = append(mine, queues[index*share:(index+1)*share]...)
	if index < rest {
		mine = append(mine, queues[share*n+index])
	}
	return mine
}

// roomInName returns the room of a broker called room@rest. As with Java's String.split, an
// @ at the end does not count.
func roomInName(broker string) (string, bool) {
	room, rest, ok := strings.Cut(strings.TrimRight(broker, "@"), "@")
	return room, ok && !strings.Contains(rest, "@")
}
