package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// BenchmarkPass is one pass over 4,096 queues and 10 members that changes nothing.
func BenchmarkPass(b *testing.B) {
	members := append(membersOf(9), me)
	r := newOne()
	now := epoch
	r.Step(now, event.RouteChanged{Topic: "t", Known: true, Queues: queuesOf("t", 4096)})
	r.Step(now, wanted())
	for _, a := range r.Step(now, listed(members...)) {
		if a, ok := a.(ReadOffset); ok {
			r.Step(now, event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Offset: 1, Found: true})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		r.Step(now, wanted())
		r.Step(now, listed(members...))
	}
}

// BenchmarkJoin is a pass that halves the 4,096 queues of a group, or takes them again, with
// the answers to all questions for offsets.
func BenchmarkJoin(b *testing.B) {
	r := newOne()
	now := epoch
	r.Step(now, event.RouteChanged{Topic: "t", Known: true, Queues: queuesOf("t", 4096)})
	alone := false
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		members := us
		if alone = !alone; alone {
			members = ours
		}
		r.Step(now, wanted())
		for _, a := range r.Step(now, listed(members...)) {
			if a, ok := a.(ReadOffset); ok {
				r.Step(now, event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Offset: 1, Found: true})
			}
		}
	}
}

// BenchmarkAveragely allots 4,096 queues to one of 10 members.
func BenchmarkAveragely(b *testing.B) {
	queues, members := queuesOf("t", 4096), membersOf(10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Averagely{}).Allocate(members[7], queues, members); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPullAttempted is what each turn of each request costs here.
func BenchmarkPullAttempted(b *testing.B) {
	r := newOne()
	r.Step(epoch, event.RouteChanged{Topic: "t", Known: true, Queues: queuesOf("t", 4096)})
	r.Step(epoch, wanted())
	r.Step(epoch, listed(ours...))
	q := queuesOf("t", 4096)[1234]
	b.ReportAllocs()
	for b.Loop() {
		r.Step(epoch, PullAttempted{Queue: q})
	}
}

// BenchmarkRenewLocks is one renewal of the locks of 1,024 queues on 4 brokers, with all
// answers: it comes every 20 s, whether there is traffic or not.
func BenchmarkRenewLocks(b *testing.B) {
	r := newOne(orderly)
	now := epoch
	var queues []mq.MessageQueue
	for i := range int32(1024) {
		queues = append(queues, mq.MessageQueue{Topic: "t", BrokerName: string(rune('a' + i%4)), QueueID: i / 4})
	}
	r.Step(now, event.RouteChanged{Topic: "t", Known: true, Queues: queues})
	r.Step(now, wanted())
	grant := func(actions []Action) []Action {
		var more []Action
		for _, a := range actions {
			if a, ok := a.(LockQueues); ok {
				more = append(more, r.Step(now, LocksAnswered{Broker: a.Broker, Queues: a.Queues, Granted: a.Queues, At: now})...)
			}
		}
		return more
	}
	for _, a := range grant(r.Step(now, listed(ours...))) {
		if a, ok := a.(ReadOffset); ok {
			r.Step(now, event.OffsetRead{Queue: a.Queue, Epoch: a.Epoch, Offset: 1, Found: true})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(20 * time.Second)
		if held := grant(r.Step(now, event.Tick{})); len(held) != 4 {
			b.Fatalf("%d answers", len(held))
		}
	}
}

// BenchmarkPassShown is a pass that changes nothing, and the owners of all queues as a screen
// shows them: 4,096 queues and 50 members, by a cheap and by a costly strategy.
func BenchmarkPassShown(b *testing.B) {
	queues := queuesOf("t", 4096)
	members := append(membersOf(49), me)
	for _, name := range []string{"avg", "hash"} {
		b.Run(name, func(b *testing.B) {
			r := newOne(func(c *Config) { c.Strategy = mustByName(b, name) })
			now := epoch
			r.Step(now, event.RouteChanged{Topic: "t", Known: true, Queues: queues})
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Second)
				r.Step(now, wanted())
				r.Step(now, listed(members...))
				for _, q := range queues {
					if _, ok := r.Owner(q); !ok {
						b.Fatalf("no owner of %v", q)
					}
				}
			}
		})
	}
}
