package consumer

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// TestAPullThatGoesOnIsTheSameAgain has pulls of a few queues go through records and back, many of
// them such that go on from the one before, and others that differ in one thing.
func TestAPullThatGoesOnIsTheSameAgain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	last := map[int32]event.PullDone{}
	var writes, reads pulls
	var slots [4]pullSlot
	again, whole := 0, 0
	for range 20_000 {
		id := rnd.Int32N(4)
		e, before := last[id], last[id]
		e.Queue = mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: id}
		e.Offset, e.Count, e.Took = before.Next, rnd.IntN(33), time.Duration(rnd.Int64N(1e9))
		e.First, e.Next, e.Max, e.Commit = e.Offset, e.Offset+int64(e.Count), e.Max+rnd.Int64N(100), e.Commit+rnd.Int64N(40)
		e.Bytes, e.Stored = rnd.IntN(10_000), time.UnixMilli(rnd.Int64N(2e12))
		switch rnd.IntN(20) {
		case 0:
			e.Epoch++
		case 1:
			e.Status = mq.PullStatus(rnd.IntN(3))
		case 2:
			e.Err = errors.New("refused")
		case 3:
			e.Err = nil
		case 4:
			e.Offset += rnd.Int64N(3)
		case 5:
			e.Stored = time.Time{}
		case 6:
			e.Suggest, e.Slave = 1-e.Suggest, !e.Slave
		case 7:
			e.Code = rnd.Int32N(2)
		case 8:
			e.First, e.Next, e.Filtered, e.Min = e.First+2, e.Next+5, 3, 7
		case 9:
			e.Stored = time.Date(4000, 1, 1, 0, 0, 0, 0, time.Local)
		}
		last[id] = e
		var recorded event.Event = e
		var at *pullSlot
		if id > 0 { // of one queue nobody has it
			at = &slots[id]
		}
		if a, ok := writes.short(&e, at); ok {
			recorded = a
			again++
		} else {
			whole++
		}
		got, err := reads.whole(recorded)
		if err != nil || got != event.Event(e) {
			t.Fatalf("recorded as %+v: %+v, %v, want %+v", recorded, got, err, e)
		}
		if rnd.IntN(500) == 0 { // a checkpoint
			writes.forget()
			reads.forget()
		}
	}
	if again < 5000 || whole < 2000 {
		t.Errorf("%d went on, %d did not", again, whole)
	}
}

// TestAPullThatGoesOnFromNothingIsRefused: files may say anything.
func TestAPullThatGoesOnFromNothingIsRefused(t *testing.T) {
	var p pulls
	p.note(event.PullDone{})
	for _, n := range []int{-1, 1, 1 << 30} {
		if e, err := p.whole(pulledAgain{Queue: n}); err == nil {
			t.Errorf("queue %d: %+v", n, e)
		}
	}
}
