package offset

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/tape"
	"mqscope/engine/mq"
)

// TestDecisions compares what is told of a few stories with golden traces.
func TestDecisions(t *testing.T) {
	q := func(id int32) mq.MessageQueue { return mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: id} }
	read := func(epoch uint64, at int64, found bool) event.OffsetRead {
		return event.OffsetRead{Queue: q(0), Epoch: epoch, Source: event.CommittedOffset, Offset: at, Found: found}
	}
	boom := errors.New("no space left on device")
	for _, story := range []struct {
		name   string
		store  Store
		events []event.Event
	}{
		{"broker", NewBroker(), []event.Event{
			read(1, 5, true),
			Advanced{Queue: q(0), Offset: 9, IncreaseOnly: true},
			Advanced{Queue: q(0), Offset: 9, IncreaseOnly: true}, // nothing to decide
			Advanced{Queue: q(0), Offset: 7, IncreaseOnly: true},
			Advanced{Queue: q(0), Offset: 7},
			read(1, 6, true),
			read(2, 0, false),
			Advanced{Queue: q(1), Offset: 1, IncreaseOnly: true},
			Frozen{Queue: q(0), Offset: 3},
			Advanced{Queue: q(0), Offset: 8, IncreaseOnly: true},
			read(3, 4, true),
			PersistDue{Owned: []mq.MessageQueue{q(0), q(2)}},
			Removed{Queue: q(0)},
			Removed{Queue: q(0)}, // nothing there
		}},
		{"file", NewFile(), []event.Event{
			Loaded{Err: boom},
			Loaded{Positions: []Position{{q(0), 5}}},
			Advanced{Queue: q(0), Offset: 6, IncreaseOnly: true},
			PersistDue{Owned: []mq.MessageQueue{q(0)}},
			Saved{Write: Write{Seq: 1}, Err: boom},
			PersistQueue{Queue: q(0)},
			Saved{Write: Write{Seq: 2}},
		}},
	} {
		t.Run(story.name, func(t *testing.T) {
			start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
			k := &tape.Tape{Start: start}
			r := decision.NewRecorder("me", func() time.Time { return start })
			r.Watch(k)
			story.store.Record(r)
			for _, e := range story.events {
				story.store.Step(start, e)
			}
			tape.Golden(t, story.name, k.Text(k.Take(), nil))
		})
	}
	elsewhere := map[string]bool{ // in package consumer
		"offset.withheld": true, "offset.sent": true, "offset.committed": true,
		"offset.reset": true, "offset.reset-done": true, "offset.reset-handed": true,
	}
	tape.AllSeen(t, func(id string) bool { return strings.HasPrefix(id, "offset.") && !elsewhere[id] })
}
