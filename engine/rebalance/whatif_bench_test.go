package rebalance

import (
	"fmt"
	"slices"
	"testing"

	"mqscope/engine/mq"
)

// BenchmarkPlan is one more member for 4,096 queues and 50 members, by each strategy.
func BenchmarkPlan(b *testing.B) {
	rooms := []string{"hz", "sh", "bj"}
	queues := make([]mq.MessageQueue, 4_096)
	for i := range queues {
		broker := fmt.Sprintf("%s@broker-%03d", rooms[i/8%3], i/24)
		queues[i] = mq.MessageQueue{Topic: "orders-created", BrokerName: broker, QueueID: int32(i % 8)}
	}
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	members := make([]string, 51)
	for i := range members {
		members[i] = fmt.Sprintf("%s~10.0.0.%d@1", rooms[i%3], i)
	}
	for _, name := range []string{"avg", "circle", "hash", "room", "nearby", "nearby-hash"} {
		b.Run(name, func(b *testing.B) {
			s := mustByName(b, name)
			before := Situation{Strategy: s, Members: members[:50], Queues: queues}
			after := Situation{Strategy: s, Members: members, Queues: queues}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Plan(before, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkConsistentHash allots 4,096 queues to one of 10 members.
func BenchmarkConsistentHash(b *testing.B) {
	queues, members := queuesOf("t", 4_096), membersOf(10)
	s := hashed(b, DefaultVirtualNodes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Allocate(members[7], queues, members); err != nil {
			b.Fatal(err)
		}
	}
}
