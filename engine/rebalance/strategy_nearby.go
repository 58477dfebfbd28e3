package rebalance

import (
	"errors"
	"slices"
	"strings"

	"mqscope/engine/mq"
)

// RoomResolver tells the machine room of a queue's broker and of a client; "" when it is not
// known, which is an error for the strategy (Java: AllocateMachineRoomNearby.MachineRoomResolver).
type RoomResolver interface {
	BrokerRoom(q mq.MessageQueue) string
	ClientRoom(clientID string) string
}

// RoomsByName finds rooms in names: a broker's is what stands before the first @ or ~ (as
// MachineRoom has it), a client's what stands before the first ~, since every client id has
// an @. Java has no resolver of its own.
type RoomsByName struct{}

// BrokerRoom implements RoomResolver.
func (RoomsByName) BrokerRoom(q mq.MessageQueue) string { return upTo(q.BrokerName, "@~") }

// ClientRoom implements RoomResolver.
func (RoomsByName) ClientRoom(clientID string) string { return upTo(clientID, "~") }

// upTo returns the part of a name before the first of the marks, "" when there is none.
func upTo(name, marks string) string {
	return name[:max(0, strings.IndexAny(name, marks))]
}

// NoRoomError is the error of MachineRoomNearby on a broker or a client without a room; its
// text is Java's.
type NoRoomError struct {
	Queue    mq.MessageQueue // of the broker, when ClientID is ""
	ClientID string
}

func (e *NoRoomError) Error() string {
	if e.ClientID != "" {
		return "Machine room is null for consumer id " + e.ClientID
	}
	return "Machine room is null for mq " + e.Queue.String()
}

// MachineRoomNearby has an inner strategy allot the queues of each machine room among the
// members in that room, and those of a room without members among all
// (Java: AllocateMachineRoomNearby). NewMachineRoomNearby makes one.
type MachineRoomNearby struct {
	inner Strategy
	rooms RoomResolver
}

// NewMachineRoomNearby returns a strategy around inner; both arguments are required.
func NewMachineRoomNearby(inner Strategy, rooms RoomResolver) (*MachineRoomNearby, error) {
	switch {
	case inner == nil:
		return nil, errors.New("allocateMessageQueueStrategy is null")
	case rooms == nil:
		return nil, errors.New("machineRoomResolver is null")
	}
	return &MachineRoomNearby{inner, rooms}, nil
}

// Name is MACHINE_ROOM_NEARBY- and the name of the inner strategy.
func (m *MachineRoomNearby) Name() string { return nearbyPrefix + m.inner.Name() }

const nearbyPrefix = "MACHINE_ROOM_NEARBY-"

// Allocate implements Strategy: first the queues of my room, then those of rooms without
// members. It fails with a *NoRoomError, or as the inner strategy does.
func (m *MachineRoomNearby) Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	index, err := place(me, queues, members)
	if err != nil || index < 0 {
		return nil, err
	}
	rooms, err := m.group(queues, members)
	if err != nil {
		return nil, err
	}
	var mine []mq.MessageQueue
	for _, r := range rooms.inOrderFor(m.rooms.ClientRoom(me)) {
		theirs, err := m.inner.Allocate(me, r.queues, r.members)
		if err != nil {
			return nil, err
		}
		mine = append(mine, theirs...)
	}
	return mine, nil
}

// shares implements collective. All rooms with members come before those without: the order
// of Allocate.
func (m *MachineRoomNearby) shares(queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error) {
	rooms, err := m.group(queues, members)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]mq.MessageQueue, len(members))
	for _, r := range slices.Concat(rooms.manned, rooms.unmanned) {
		theirs, err := shares(m.inner, r.queues, r.members)
		if err != nil {
			return nil, err
		}
		for member, queues := range theirs {
			all[member] = append(all[member], queues...)
		}
	}
	return all, nil
}

// room is a machine room that has queues, and the members who share them.
type room struct {
	name    string
	queues  []mq.MessageQueue
	members []string
}

// rooms are those with and those without members of their own, each by name.
type rooms struct{ manned, unmanned []room }

// inOrderFor returns the rooms that concern a member in the room called name.
func (r rooms) inOrderFor(name string) []room {
	for _, own := range r.manned {
		if own.name == name {
			return slices.Concat([]room{own}, r.unmanned)
		}
	}
	return r.unmanned
}

func (m *MachineRoomNearby) group(queues []mq.MessageQueue, members []string) (rooms, error) {
	queuesOf, membersOf := map[string][]mq.MessageQueue{}, map[string][]string{}
	var names []string
	for _, q := range queues {
		name := m.rooms.BrokerRoom(q)
		if name == "" {
			return rooms{}, &NoRoomError{Queue: q}
		}
		if queuesOf[name] == nil {
			names = append(names, name)
		}
		queuesOf[name] = append(queuesOf[name], q)
	}
	for _, member := range members {
		name := m.rooms.ClientRoom(member)
		if name == "" {
			return rooms{}, &NoRoomError{ClientID: member}
		}
		membersOf[name] = append(membersOf[name], member)
	}
	slices.SortFunc(names, mq.CompareJava)
	var grouped rooms
	for _, name := range names {
		if own := membersOf[name]; own != nil {
			grouped.manned = append(grouped.manned, room{name, queuesOf[name], own})
		} else {
			grouped.unmanned = append(grouped.unmanned, room{name, queuesOf[name], members})
		}
	}
	return grouped, nil
}
