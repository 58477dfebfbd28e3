package infer_test

import (
	"bytes"
	"fmt"
	"testing"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestMillionsOfQueuesHaveABound(t *testing.T) {
	s := infer.NewState()
	for i := range 120_000 {
		q := mq.MessageQueue{Topic: fmt.Sprint("t", i), BrokerName: "b"}
		s.Step(infer.Event{Seq: uint64(3*i + 1), Fact: infer.Assigned{Client: fmt.Sprint("c", i), Group: fmt.Sprint("g", i%20_000), Queue: q}})
		s.Step(infer.Event{Seq: uint64(3*i + 2), Fact: infer.PullDone{Group: fmt.Sprint("g", i%20_000), Queue: q, Answered: true, Status: mq.Found, Max: 9}})
		s.Step(infer.Event{Seq: uint64(3*i + 3), Fact: infer.MemberSeen{Client: fmt.Sprint("c", i), Group: fmt.Sprint("g", i%20_000), New: true}})
	}
	var queues, members int
	for _, g := range s.Groups {
		queues += len(g.Queues)
		members += len(g.Members)
	}
	if len(s.Groups) > 10_000 || queues > 50_000 || members > 20_000 || s.Dropped == 0 {
		t.Errorf("%d groups, %d queues, %d members, %d dropped", len(s.Groups), queues, members, s.Dropped)
	}
}

// TestRouteThatClaimsManyQueues has as many on each of a thousand brokers as one topic may have.
func TestRouteThatClaimsManyQueues(t *testing.T) {
	var d protocol.TopicRouteData
	for i := range 1000 {
		d.QueueDatas = append(d.QueueDatas, protocol.QueueData{BrokerName: fmt.Sprint("b", i), Perm: protocol.PermRead, ReadQueueNums: protocol.MaxQueuesPerTopic})
	}
	s := newScene()
	s.callWith(11, protocol.GetRouteInfoByTopic, &protocol.GetRouteInfoRequest{Topic: "orders"}, nil, protocol.Success, nil, d.Encode())
	if n := len(s.n.State().Routes["orders"].Queues); n == 0 || n > 20_000 {
		t.Errorf("%d queues", n)
	}
}

// TestManyLongRoutesHaveABound: a few bytes claim thousands of queues, for each of many topics.
func TestManyLongRoutesHaveABound(t *testing.T) {
	s, long := infer.NewState(), make([]mq.MessageQueue, 16_000)
	total := func() (n int) {
		for _, r := range s.Routes {
			n += len(r.Queues)
		}
		return n
	}
	for i := range 1_000 {
		s.Step(infer.Event{Seq: uint64(i + 1), Fact: infer.RouteSeen{Topic: fmt.Sprint("t", i), Known: true, Queues: long}})
	}
	if n := total(); n > 500_000 || n < 400_000 || s.Dropped == 0 {
		t.Errorf("%d queues in routes, %d dropped", n, s.Dropped)
	}
	for i := range 1_000 { // a route that is shorter now makes room
		s.Step(infer.Event{Seq: uint64(i + 2_000), Fact: infer.RouteSeen{Topic: fmt.Sprint("t", i), Known: true, Queues: long[:4]}})
	}
	if n := total(); n != 4_000 {
		t.Errorf("%d queues in routes, want four in each", n)
	}
}

func BenchmarkStep(b *testing.B) {
	s := read(b, "push-orderly")
	b.ReportAllocs()
	for b.Loop() {
		state := infer.NewState()
		for _, e := range s.events {
			state.Step(e)
		}
	}
	b.ReportMetric(float64(len(s.events)*b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkImport reads captures and infers what they tell.
func BenchmarkImport(b *testing.B) {
	for _, name := range []string{"push-orderly", "push-broadcast", "pop"} {
		b.Run(name, func(b *testing.B) {
			data := infertest.Capture(b, name)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r, err := capture.Read(bytes.NewReader(data), capture.Options{})
				if err != nil {
					b.Fatal(err)
				}
				n := infer.New()
				for {
					it, err := r.Next()
					if err != nil {
						break
					}
					n.Step(it)
				}
			}
		})
	}
}
