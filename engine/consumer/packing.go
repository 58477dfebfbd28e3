package consumer

import (
	"sync"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/event"
	"mqscope/engine/internal/pack"
	"mqscope/engine/offset"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
	"mqscope/engine/rebalance"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// codec packs what a recording of a push consumer holds.
var codec = sync.OnceValue(func() *pack.Codec {
	return pack.New(
		// Events.
		event.RebalanceWanted{}, event.RouteChanged{}, event.MembersListed{}, event.AssignmentRead{}, event.OffsetRead{},
		event.PullDone{}, pulledAgain{}, event.RoomFreed{}, event.BrokerReachable{}, event.BrokerLost{}, event.Entry{},
		event.ConsumptionPaused{}, event.ConsumptionResumed{}, event.Postponed{},
		rebalance.LocksAnswered{}, rebalance.ClockAhead{}, rebalance.LocksFreed{}, rebalance.GroupTold{}, rebalance.LocksWatched{}, rebalance.PeerTold{},
		offset.Saved{}, repaired{}, rechecked{}, listenerIdle{}, settled{}, resetSent{}, popRetryFound{},
		driven{}, released{}, carriedOn{}, watchQueues{}, sourceStatus{}, setThreads{}, setLimits{}, subscribe{}, unsubscribe{},
		leaveBegun{}, leaveDrained{}, leaveThreads{}, leaveCalls{}, leaveTaken{}, leaveCommitted{}, leaveGivenUp{}, leaveUnlocked{}, leaveFlushed{}, leaveDone{},
		releaseLock{}, (*errand)(nil), askedInfo{}, askedOffsets{}, askedReset{},
		// What was decided in a turn that is open.
		pull.Send{}, pull.Recheck{}, pull.CorrectOffset{}, pull.RepairOffset{}, event.PutBack{}, event.RequestDied{},
		// Of the state.
		(*offset.Broker)(nil), (*offset.File)(nil), event.QueueRevoked{},
		// What is seen.
		routeSeen{}, instanceSeen{}, failure{}, suspension{}, consume.Stats{}, snapshot.Window{},
		rebalance.Averagely{}, rebalance.AveragelyByCircle{}, rebalance.ByConfig{}, rebalance.MachineRoom{},
		(*rebalance.ConsistentHash)(nil), (*rebalance.MachineRoomNearby)(nil), rebalance.RoomsByName{},
		// Errors.
		(*unreadableError)(nil), (*protocol.BrokerError)(nil),
	).
		Errors("client.ErrNoBroker", client.ErrNoBroker).
		Errors("client.ErrBadAnswer", client.ErrBadAnswer).
		Errors("remoting.ErrTimeout", remoting.ErrTimeout)
})

// typesOf is what values of a recording are like.
var typesOf = sync.OnceValue(func() string {
	return codec().Describe(taken{}, look{}, event.Entry{}, saved{}, loop{}, setup{}, Delivered{})
})
