package rebalance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// wholeStrategies are those meant to give each queue to somebody, for brokers and clients
// of randomGroup.
func wholeStrategies(t testing.TB) []Strategy {
	t.Helper()
	all := []Strategy{
		Averagely{}, AveragelyByCircle{}, MachineRoom{Rooms: []string{"hz", "sh", "bj", "sz"}},
		hashed(t, 1), hashed(t, DefaultVirtualNodes), hashed(t, 40),
	}
	for _, inner := range slices.Clone(all) {
		nearby, err := NewMachineRoomNearby(inner, RoomsByName{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, nearby)
	}
	return all
}

func hashed(t testing.TB, nodes int) *ConsistentHash {
	t.Helper()
	s, err := NewConsistentHash(nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomGroup returns sorted queues on brokers called room@name and sorted members called
// room~address, each once. Some rooms have no members.
func randomGroup(r *rand.Rand) ([]mq.MessageQueue, []string) {
	rooms := []string{"hz", "sh", "bj", "sz"}
	var queues []mq.MessageQueue
	for b := range 1 + r.IntN(6) {
		broker := fmt.Sprintf("%s@broker-%d", rooms[r.IntN(4)], b)
		for id := range 1 + r.IntN(24) {
			queues = append(queues, mq.MessageQueue{Topic: "订单", BrokerName: broker, QueueID: int32(id)})
		}
	}
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	var members []string
	for range 1 + r.IntN(40) {
		members = append(members, fmt.Sprintf("%s~10.0.%d.%d@%d", rooms[r.IntN(3)], r.IntN(4), r.IntN(250), r.IntN(65536)))
	}
	slices.SortFunc(members, mq.CompareJava)
	return queues, slices.Compact(members)
}

func TestEachQueueOfARandomGroupHasOneOwner(t *testing.T) {
	for _, s := range wholeStrategies(t) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 30 {
			queues, members := randomGroup(r)
			owners := map[mq.MessageQueue]int{}
			for _, member := range members {
				mine, err := s.Allocate(member, queues, members)
				if err != nil {
					t.Fatalf("%s: %v", s.Name(), err)
				}
				for _, q := range mine {
					owners[q]++
				}
			}
			for _, q := range queues {
				if owners[q] != 1 {
					t.Errorf("%s, %d queues, %d members: %v has %d owners", s.Name(), len(queues), len(members), q, owners[q])
				}
			}
			if len(owners) != len(queues) {
				t.Errorf("%s gives away %d queues of %d", s.Name(), len(owners), len(queues))
			}
		}
	}
}

func TestOneAnswerForAllIsTheSameAsOneForEach(t *testing.T) {
	for _, s := range wholeStrategies(t) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 30 {
			queues, members := randomGroup(r)
			all, err := shares(s, queues, members)
			if err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
			for _, member := range members {
				mine, err := s.Allocate(member, queues, members)
				if err != nil {
					t.Fatalf("%s: %v", s.Name(), err)
				}
				if !slices.Equal(mine, all[member]) {
					t.Fatalf("%s, %s (-one +all):\n%s", s.Name(), member, cmp.Diff(mine, all[member]))
				}
			}
		}
	}
}

func TestStrategiesThatCountAreFair(t *testing.T) {
	for _, s := range []Strategy{Averagely{}, AveragelyByCircle{}, MachineRoom{Rooms: []string{"hz", "sh", "bj", "sz"}}} {
		r := rand.New(rand.NewPCG(5, 6))
		for range 200 {
			queues, members := randomGroup(r)
			all, err := shares(s, queues, members)
			if err != nil {
				t.Fatal(err)
			}
			for _, member := range members {
				if n := len(all[member]); n < len(queues)/len(members) || n > len(queues)/len(members)+1 {
					t.Errorf("%s gives one of %d members %d of %d queues", s.Name(), len(members), n, len(queues))
				}
			}
		}
	}
}

func TestAMemberThatJoinsAHashedGroupOnlyTakes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		queues, members := randomGroup(r)
		joined := append(slices.Clone(members), "bj~10.9.9.9@1")
		w, err := Plan(
			Situation{Strategy: hashed(t, DefaultVirtualNodes), Members: members, Queues: queues},
			Situation{Strategy: hashed(t, DefaultVirtualNodes), Members: joined, Queues: queues},
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range w.Moves {
			if m.To != "bj~10.9.9.9@1" {
				t.Errorf("%v moves from %s to %s, neither joined", m.Queue, m.From, m.To)
			}
		}
	}
}

func TestConsistentHashMovesFewQueues(t *testing.T) {
	queues, members := queuesOf("t", 4_096), membersOf(10)
	moved := func(s Strategy) float64 {
		w, err := Plan(
			Situation{Strategy: s, Members: members[:9], Queues: queues},
			Situation{Strategy: s, Members: members, Queues: queues},
		)
		if err != nil {
			t.Fatal(err)
		}
		return w.Percent
	}
	if percent := moved(hashed(t, 100)); percent < 5 || percent > 15 {
		t.Errorf("CONSISTENT_HASH moves %.1f %%, the tenth member's share is 10 %%", percent)
	}
	if percent := moved(AveragelyByCircle{}); percent < 80 {
		t.Errorf("AVG_BY_CIRCLE moves %.1f %%, most queues should have another owner", percent)
	}
}

func TestStrategiesDoNotChangeTheirArguments(t *testing.T) {
	queues, members := randomGroup(rand.New(rand.NewPCG(9, 10)))
	wantQueues, wantMembers := slices.Clone(queues), slices.Clone(members)
	for _, s := range append(wholeStrategies(t), ByConfig{Queues: queues}) {
		mine, err := s.Allocate(members[0], queues, members)
		if err != nil {
			t.Fatal(err)
		}
		_ = append(mine, mq.MessageQueue{Topic: "other"})
		if !slices.Equal(queues, wantQueues) || !slices.Equal(members, wantMembers) {
			t.Fatalf("%s changed its arguments", s.Name())
		}
	}
}

// FuzzRoomInName compares the room of a broker with how String.split is described: cut at
// each @, forget empty parts at the end, and take the first of two.
func FuzzRoomInName(f *testing.F) {
	for _, name := range []string{"", "@", "hz@broker-a", "hz@", "@broker-a", "hz@x@y", "hz@x@@", "hz@@x", "房@b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var parts []string
		rest := ""
		for _, c := range []byte(name + "@") {
			if c != '@' {
				rest += string([]byte{c})
				continue
			}
			parts, rest = append(parts, rest), ""
		}
		for len(parts) > 0 && parts[len(parts)-1] == "" {
			parts = parts[:len(parts)-1]
		}
		room, ok := roomInName(name)
		if ok != (len(parts) == 2) || ok && room != parts[0] {
			t.Errorf("room of %q is %q, %v; parts are %q", name, room, ok, parts)
		}
	})
}
