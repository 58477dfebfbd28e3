package rebalance

// Plain tells whether s is one of this package and has no function of the application's, so that
// it can be kept in a recording and work the same there.
func Plain(s Strategy) bool {
	switch s := s.(type) {
	case Averagely, AveragelyByCircle, ByConfig, MachineRoom:
		return true
	case *ConsistentHash:
		return s.hash == nil
	case *MachineRoomNearby:
		_, byName := s.rooms.(RoomsByName)
		return byName && Plain(s.inner)
	}
	return false
}
