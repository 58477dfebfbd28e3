package offset

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func q(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: id}
}

func advance(id int32, offset int64) event.Event {
	return Advanced{Queue: q(id), Offset: offset, IncreaseOnly: true}
}

func set(id int32, offset int64) event.Event { return Advanced{Queue: q(id), Offset: offset} }

func committed(id int32, epoch uint64, offset int64) event.Event {
	return event.OffsetRead{Queue: q(id), Epoch: epoch, Source: event.CommittedOffset, Offset: offset, Found: true}
}

func persist(owned ...int32) event.Event {
	var queues []mq.MessageQueue
	for _, id := range owned {
		queues = append(queues, q(id))
	}
	return PersistDue{Owned: queues}
}

func TestBroker(t *testing.T) {
	tests := []struct {
		name   string
		events []event.Event
		want   []Action // of the last event
		memory [3]int64 // of queues 0, 1, 2
	}{
		{
			name:   "an empty store knows nothing and sends nothing",
			events: []event.Event{persist(0, 1)},
			memory: [3]int64{None, None, None},
		},
		{
			name:   "the first offset of a queue is taken as it is, 0 too",
			events: []event.Event{advance(0, 0)},
			memory: [3]int64{0, None, None},
		},
		{
			name:   "an offset grows and does not shrink",
			events: []event.Event{advance(0, 5), advance(0, 9), advance(0, 7)},
			memory: [3]int64{9, None, None},
		},
		{
			name:   "an offset that is set may shrink",
			events: []event.Event{advance(0, 9), set(0, 7)},
			memory: [3]int64{7, None, None},
		},
		{
			name:   "P02: a negative offset is never stored",
			events: []event.Event{advance(0, -1), set(1, -1), Frozen{Queue: q(2), Offset: -1}, committed(2, 1, -1)},
			memory: [3]int64{None, None, None},
		},
		{
			name:   "P10: a frozen offset ignores the commits of listeners that still run",
			events: []event.Event{advance(0, 500), Frozen{Queue: q(0), Offset: 100}, advance(0, 600), set(0, 1), committed(0, 9, 700), Frozen{Queue: q(0), Offset: 3}},
			memory: [3]int64{100, None, None},
		},
		{
			name:   "a freeze ends when the queue is removed",
			events: []event.Event{Frozen{Queue: q(0), Offset: 100}, Removed{Queue: q(0)}, advance(0, 50)},
			memory: [3]int64{50, None, None},
		},
		{
			name:   "a frozen offset is sent",
			events: []event.Event{Frozen{Queue: q(0), Offset: 100}, PersistQueue{Queue: q(0)}},
			want:   []Action{Send{Queue: q(0), Offset: 100}},
			memory: [3]int64{100, None, None},
		},
		{
			name:   "all owned offsets are sent, in order of the queues, the others are forgotten",
			events: []event.Event{advance(2, 7), advance(0, 5), advance(1, 6), persist(2, 0, 2)},
			want:   []Action{Send{Queue: q(0), Offset: 5}, Send{Queue: q(2), Offset: 7}},
			memory: [3]int64{5, None, 7},
		},
		{
			name:   "offsets are sent again although they did not change",
			events: []event.Event{advance(0, 5), persist(0), persist(0)},
			want:   []Action{Send{Queue: q(0), Offset: 5}},
			memory: [3]int64{5, None, None},
		},
		{
			name:   "with no queues owned nothing is sent and nothing forgotten",
			events: []event.Event{advance(0, 5), persist()},
			memory: [3]int64{5, None, None},
		},
		{
			name:   "one queue is sent by itself, the others stay",
			events: []event.Event{advance(0, 5), advance(1, 6), PersistQueue{Queue: q(1)}},
			want:   []Action{Send{Queue: q(1), Offset: 6}},
			memory: [3]int64{5, 6, None},
		},
		{
			name:   "a queue that is not known is not sent",
			events: []event.Event{advance(0, 5), PersistQueue{Queue: q(1)}},
			memory: [3]int64{5, None, None},
		},
		{
			name:   "what the broker has overwrites the memory of an earlier assignment",
			events: []event.Event{committed(0, 1, 90), advance(0, 95), committed(0, 2, 92)},
			memory: [3]int64{92, None, None},
		},
		{
			name:   "a late answer to an earlier assignment is ignored",
			events: []event.Event{committed(0, 2, 90), committed(0, 1, 40)},
			memory: [3]int64{90, None, None},
		},
		{
			name:   "a second answer does not take back what was consumed since",
			events: []event.Event{committed(0, 2, 90), advance(0, 120), committed(0, 2, 90)},
			memory: [3]int64{120, None, None},
		},
		{
			name: "P01: an answer that is an error, or that there is none, stores nothing",
			events: []event.Event{
				event.OffsetRead{Queue: q(0), Epoch: 1, Err: errors.New("timeout"), Found: true},
				event.OffsetRead{Queue: q(1), Epoch: 1},
			},
			memory: [3]int64{None, None, None},
		},
		{
			name: "offsets that are not committed ones are not stored",
			events: []event.Event{
				event.OffsetRead{Queue: q(0), Epoch: 1, Source: event.MaxOffset, Offset: 9, Found: true},
				event.OffsetRead{Queue: q(1), Epoch: 1, Source: event.OffsetByTime, Offset: 9, Found: true},
			},
			memory: [3]int64{None, None, None},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBroker()
			var got []Action
			for _, e := range tt.events {
				got = b.Step(time.Time{}, e)
			}
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.memory, [3]int64{b.Read(q(0)), b.Read(q(1)), b.Read(q(2))}); diff != "" {
				t.Errorf("memory (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRandomSequences checks the store against what must hold between any two steps:
// I2 (offsets do not shrink), I20 (only owned entries stay), I21 (frozen ones do not change)
// and I32 (one update for each owned entry).
func TestRandomSequences(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r, b := rand.New(rand.NewPCG(seed, 4)), NewBroker()
			var events []event.Event
			var actions []Action
			frozen := map[mq.MessageQueue]bool{}
			for range 3_000 {
				id, offset := int32(r.IntN(6)), r.Int64N(1000)-10
				before := b.Read(q(id))
				var e event.Event
				switch r.IntN(8) {
				case 0:
					e = Frozen{Queue: q(id), Offset: offset}
				case 1:
					e = Removed{Queue: q(id)}
				case 2:
					e = PersistQueue{Queue: q(id)}
				case 3:
					e = persist([]int32{0, 1, 2, 3, 4, 5}[r.IntN(6):]...)
				default:
					e = advance(id, offset)
				}
				got := b.Step(time.Time{}, e)
				events, actions = append(events, e), append(actions, got...)
				after := b.Read(q(id))
				switch e := e.(type) {
				case Advanced:
					if after < before || (frozen[q(id)] && after != before) {
						t.Fatalf("I2, I21: %+v made %d of %d (frozen: %v)", e, after, before, frozen[q(id)])
					}
				case Frozen:
					if frozen[q(id)] && after != before {
						t.Fatalf("I21: a frozen offset went from %d to %d", before, after)
					}
					frozen[q(id)] = frozen[q(id)] || offset >= 0
				case Removed:
					delete(frozen, q(id))
				case PersistDue:
					for id := range int32(6) {
						owned := slices.Contains(e.Owned, q(id))
						sent := slices.Contains(got, Action(Send{Queue: q(id), Offset: b.Read(q(id))}))
						if known := b.Read(q(id)) != None; known && !owned || sent != known {
							t.Fatalf("I20, I32: queue %d: owned %v, known %v, sent %v", id, owned, known, sent)
						}
						if !owned {
							delete(frozen, q(id))
						}
					}
				}
			}
			again, b := []Action(nil), NewBroker()
			for _, e := range events {
				again = append(again, b.Step(time.Time{}, e)...)
			}
			if !slices.Equal(actions, again) {
				t.Error("the same events led to other actions")
			}
		})
	}
}

// BenchmarkPersistAll is the work of every 5 s with 4,096 queues.
func BenchmarkPersistAll(b *testing.B) {
	store, owned := NewBroker(), make([]mq.MessageQueue, 4096)
	for i := range owned {
		owned[i] = q(int32(i))
		store.Step(time.Time{}, advance(int32(i), 5))
	}
	b.ReportAllocs()
	for b.Loop() {
		store.Step(time.Time{}, PersistDue{Owned: owned})
	}
}

// BenchmarkAdvance is one progress of one of 4,096 queues.
func BenchmarkAdvance(b *testing.B) {
	store, events := NewBroker(), make([]event.Event, 4096)
	for i := range events {
		events[i] = advance(int32(i), 5)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		store.Step(time.Time{}, events[i])
		i = (i + 1) % len(events)
	}
}
