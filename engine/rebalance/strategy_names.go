package rebalance

import (
	"errors"
	"fmt"
	"strings"

	"mqscope/engine/mq"
)

// StrategyOptions are what some strategies need to know besides their name. All members of a
// group must be given the same, but for Queues.
type StrategyOptions struct {
	VirtualNodes int                    // of hash; 0: DefaultVirtualNodes
	Hash         func(key string) int64 // of hash; nil: MD5
	Queues       []mq.MessageQueue      // of config, required there
	Rooms        []string               // of room, required there
	Resolver     RoomResolver           // of nearby; nil: RoomsByName
}

// strategyNames are the short names and Java's, in the order in which they are told.
func strategyNames() [6][2]string {
	return [6][2]string{
		{"avg", "AVG"},
		{"circle", "AVG_BY_CIRCLE"},
		{"hash", "CONSISTENT_HASH"},
		{"config", "CONFIG"},
		{"room", "MACHINE_ROOM"},
		{"nearby", "MACHINE_ROOM_NEARBY"},
	}
}

// StrategyNames returns Java's names of all strategies, as a person would try them in turn.
func StrategyNames() []string {
	var names []string
	for _, n := range strategyNames() {
		names = append(names, n[1])
	}
	return names
}

// StrategyByName returns the strategy of a short name or of Java's: avg, circle, hash,
// config, room, nearby, or AVG, AVG_BY_CIRCLE, … Case does not count. The nearby ones take
// another strategy inside, avg unless the name goes on with it: nearby-hash. The error of an
// unknown name lists what is allowed, others say which option is missing or wrong.
func StrategyByName(name string, options StrategyOptions) (Strategy, error) {
	outer, inner, nested := strings.Cut(name, "-")
	java := javaName(outer)
	if java == "" || nested && java != "MACHINE_ROOM_NEARBY" {
		return nil, unknownStrategy(name)
	}
	switch java {
	case "AVG":
		return Averagely{}, nil
	case "AVG_BY_CIRCLE":
		return AveragelyByCircle{}, nil
	case "CONSISTENT_HASH":
		return hashByOptions(options)
	case "CONFIG":
		if options.Queues == nil {
			return nil, errors.New("strategy CONFIG needs the list of queues that this member is to have")
		}
		return ByConfig{Queues: options.Queues}, nil
	case "MACHINE_ROOM":
		if len(options.Rooms) == 0 {
			return nil, errors.New("strategy MACHINE_ROOM needs the names of the rooms to consume from")
		}
		return MachineRoom{Rooms: options.Rooms}, nil
	}
	if !nested {
		inner = "avg"
	}
	return nearbyByOptions(name, inner, options)
}

func hashByOptions(options StrategyOptions) (Strategy, error) {
	if options.VirtualNodes == 0 {
		options.VirtualNodes = DefaultVirtualNodes
	}
	s, err := NewConsistentHash(options.VirtualNodes, options.Hash)
	if err != nil {
		return nil, fmt.Errorf("strategy CONSISTENT_HASH: %w: it takes 1 or more", err)
	}
	return s, nil
}

func nearbyByOptions(name, inner string, options StrategyOptions) (Strategy, error) {
	if javaName(inner) == "MACHINE_ROOM_NEARBY" || strings.Contains(inner, "-") {
		return nil, unknownStrategy(name)
	}
	in, err := StrategyByName(inner, options)
	if err != nil {
		return nil, fmt.Errorf("inside %q: %w", name, err)
	}
	if options.Resolver == nil {
		options.Resolver = RoomsByName{}
	}
	return NewMachineRoomNearby(in, options.Resolver)
}

// javaName returns Java's name for a short name or for itself, "" when there is none.
func javaName(name string) string {
	for _, n := range strategyNames() {
		if strings.EqualFold(name, n[0]) || strings.EqualFold(name, n[1]) {
			return n[1]
		}
	}
	return ""
}

func unknownStrategy(name string) error {
	var short []string
	for _, n := range strategyNames() {
		short = append(short, n[0])
	}
	return fmt.Errorf("unknown strategy %q: it is one of %s, nearby- and another of them, or as Java calls them %s",
		name, strings.Join(short, ", "), strings.Join(StrategyNames(), ", "))
}
