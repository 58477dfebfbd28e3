package picture_test

import (
	"fmt"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// traffic is what a group with so many queues does for a while: pulls with ten messages each,
// every tenth of them empty, and a commit after each third.
func traffic(queues, events int) []infer.Event {
	const client, group = "192.0.2.1@17", "g"
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out []infer.Event
	add := func(f infer.Fact) {
		n := len(out)
		out = append(out, infer.Event{Seq: uint64(n + 1), At: start.Add(time.Duration(n) * time.Millisecond), Conn: 1, Fact: f})
	}
	add(infer.MemberSeen{Client: client, Group: group, New: true, Subscriptions: []protocol.SubscriptionData{{Topic: "orders", SubString: "*"}}})
	ids := make([]mq.MessageQueue, queues)
	next := make([]int64, queues)
	for i := range ids {
		ids[i] = mq.MessageQueue{Topic: "orders", BrokerName: fmt.Sprintf("broker-%d", i%16), QueueID: int32(i / 16)}
		add(infer.Assigned{Client: client, Group: group, Queue: ids[i]})
		add(infer.Committed{Client: client, Group: group, Queue: ids[i], How: infer.ByAnswer})
	}
	for n := 0; len(out) < events; n++ {
		i := n % queues
		add(infer.PullSent{Client: client, Group: group, Queue: ids[i], Exchange: uint64(n), Offset: next[i], Max: 32, MayHold: 15 * time.Second})
		done := infer.PullDone{Client: client, Group: group, Queue: ids[i], Exchange: uint64(n), Offset: next[i], Answered: true, Status: mq.NoNewMsg,
			Next: next[i], Max: next[i], RoundTrip: time.Duration(n%50) * 100 * time.Microsecond}
		if n%10 > 0 {
			done.Status = mq.Found
			for o := range int64(10) {
				done.Offsets = append(done.Offsets, next[i]+o)
			}
			next[i] += 10
			done.Next, done.Max = next[i], next[i]+100
		}
		add(done)
		if n%3 == 0 {
			add(infer.Committed{Client: client, Group: group, Queue: ids[i], Offset: next[i], How: infer.ByCommit})
		}
	}
	return out
}

// BenchmarkStep measures what one event costs to fold, as a replay without a screen does.
func BenchmarkStep(b *testing.B) {
	for _, queues := range []int{8, 256} {
		events := traffic(queues, 100_000)
		for _, part := range []string{"state", "state and memory"} {
			b.Run(fmt.Sprintf("%s of %d queues", part, queues), func(b *testing.B) {
				n := 0
				w := newWorld()
				for b.Loop() {
					if n == len(events) {
						b.StopTimer()
						n, w = 0, newWorld()
						b.StartTimer()
					}
					w.s.Step(events[n])
					if part != "state" {
						w.m.Step(w.s, events[n])
					}
					n++
				}
			})
		}
	}
}

func BenchmarkPicture(b *testing.B) {
	for _, queues := range []int{8, 4096} {
		w := newWorld()
		for _, e := range traffic(queues, 20*queues+2_000) {
			w.step(e)
		}
		b.Run(fmt.Sprint(queues), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				picture.Picture(w.s, w.m, picture.Options{Group: "g", At: w.s.At})
			}
		})
	}
}

func BenchmarkClone(b *testing.B) {
	w := newWorld()
	for _, e := range traffic(4096, 100_000) {
		w.step(e)
	}
	for b.Loop() {
		w.m.Clone()
	}
}
