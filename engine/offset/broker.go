package offset

import (
	"maps"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// None is what Read returns when the memory has no offset of a queue.
const None = -1

// Advanced is the event that a queue may be committed up to Offset. With IncreaseOnly a
// lower value than the stored one is ignored.
type Advanced struct {
	Queue        mq.MessageQueue
	Offset       int64
	IncreaseOnly bool
}

// Frozen is the event of an illegal offset repair: Offset is stored as it is and nothing
// changes it until the queue is Removed (Java: ControllableOffset.updateAndFreeze).
type Frozen struct {
	Queue  mq.MessageQueue
	Offset int64
}

// PersistDue is the event to send what is known of Owned and forget the rest
// (Java: RemoteBrokerOffsetStore.persistAll). With Owned empty nothing is sent or forgotten.
type PersistDue struct{ Owned []mq.MessageQueue }

// PersistQueue is the event to send the offset of one queue now (Java: persist).
type PersistQueue struct{ Queue mq.MessageQueue }

// Removed is the event to forget a queue (Java: removeOffset).
type Removed struct{ Queue mq.MessageQueue }

// Send is the action to commit Offset at the broker, one-way.
type Send struct {
	Queue  mq.MessageQueue
	Offset int64
}

// Action is a Send.
type Action any

// Broker is the offset store of a clustering consumer: memory first, the broker on persist
// (Java: RemoteBrokerOffsetStore, ControllableOffset). Plain state, stepped by one owner.
type Broker struct {
	decisions *decision.Recorder `pack:"-"` // told what is decided, nil for nobody
	entries   map[mq.MessageQueue]entry
}

// entry is one offset (Java: ControllableOffset).
type entry struct {
	offset int64
	frozen bool
	epoch  uint64 // of the assignment that last read it from the broker
}

// NewBroker returns an empty store.
func NewBroker() *Broker { return &Broker{entries: map[mq.MessageQueue]entry{}} }

// Record has r told what is decided, nil for nobody.
func (b *Broker) Record(r *decision.Recorder) { b.decisions = r }

// Step takes in one of the events above, or event.OffsetRead of source CommittedOffset
// (which overwrites memory when found). Negative offsets are never stored.
func (b *Broker) Step(_ time.Time, e event.Event) []Action {
	switch e := e.(type) {
	case Advanced:
		b.Advance(e)
	case Frozen:
		b.freeze(e)
	case event.OffsetRead:
		b.read(e)
	case PersistDue:
		return b.persistAll(e.Owned)
	case PersistQueue:
		if known, ok := b.entries[e.Queue]; ok {
			return []Action{Send{Queue: e.Queue, Offset: known.offset}}
		}
	case Removed:
		if known, ok := b.entries[e.Queue]; ok {
			b.decisions.Fact(decision.OffsetRemoved, e.Queue, "", [6]int64{known.offset})
		}
		delete(b.entries, e.Queue)
	}
	return nil
}

// Read returns the offset in memory, or None.
func (b *Broker) Read(q mq.MessageQueue) int64 {
	if known, ok := b.entries[q]; ok {
		return known.offset
	}
	return None
}

// Advance stores an offset; the first one of a queue is taken as it is.
func (b *Broker) Advance(e Advanced) {
	known, ok := b.entries[e.Queue]
	if e.Offset < 0 || ok && e.Offset == known.offset {
		return
	}
	stored := known.orNone(ok)
	may := !known.frozen && (!ok || !e.IncreaseOnly || e.Offset > known.offset)
	if !b.decisions.Is(decision.OffsetUpdated, e.Queue, may,
		[6]int64{stored, e.Offset, decision.Bool(e.IncreaseOnly), decision.Bool(known.frozen)}) {
		return
	}
	known.offset = e.Offset
	b.entries[e.Queue] = known
}

func (b *Broker) freeze(e Frozen) {
	known, ok := b.entries[e.Queue]
	if e.Offset < 0 || known.frozen {
		return
	}
	b.decisions.Fact(decision.OffsetFrozen, e.Queue, "", [6]int64{known.orNone(ok), e.Offset})
	known.offset, known.frozen = e.Offset, true
	b.entries[e.Queue] = known
}

// read takes over what the broker has for a new assignment. An answer to an earlier one, or
// a second answer below what was reached since, would take back progress; it is ignored.
func (b *Broker) read(e event.OffsetRead) {
	if e.Source != event.CommittedOffset {
		return
	}
	known, ok := b.entries[e.Queue]
	usable := e.Err == nil && e.Found && e.Offset >= 0
	late := usable && (e.Epoch < known.epoch || (e.Epoch == known.epoch && e.Offset < known.offset))
	told := int64(None)
	if usable {
		told = e.Offset
	}
	if !b.decisions.Is(decision.OffsetRead, e.Queue, usable && !late && !known.frozen,
		[6]int64{known.orNone(ok), told, decision.Bool(usable), decision.Bool(late), decision.Bool(known.frozen)}) {
		return
	}
	b.entries[e.Queue] = entry{offset: e.Offset, epoch: e.Epoch}
}

// orNone is the offset for a person: that of an entry which is there.
func (e entry) orNone(there bool) int64 {
	if !there {
		return None
	}
	return e.offset
}

// persistAll sends every owned entry, changed or not: a broker that lost its last seconds
// gets them back. Entries that are not owned any more are forgotten.
func (b *Broker) persistAll(owned []mq.MessageQueue) []Action {
	if len(owned) == 0 {
		return nil
	}
	owned = slices.Clone(owned)
	slices.SortFunc(owned, mq.MessageQueue.Compare)
	actions := make([]Action, 0, len(owned))
	for _, q := range slices.Compact(owned) {
		if known, ok := b.entries[q]; ok {
			actions = append(actions, Send{Queue: q, Offset: known.offset})
		}
	}
	b.decisions.Fact(decision.OffsetPersist, mq.MessageQueue{}, "", [6]int64{int64(len(owned)), int64(len(actions))})
	if len(actions) < len(b.entries) {
		b.keepOnly(actions)
	}
	return actions
}

func (b *Broker) keepOnly(sent []Action) {
	kept := make(map[mq.MessageQueue]entry, len(sent))
	for _, a := range sent {
		q := a.(Send).Queue
		kept[q] = b.entries[q]
	}
	if b.decisions.On() {
		for _, q := range slices.SortedFunc(maps.Keys(b.entries), mq.MessageQueue.Compare) {
			if _, ok := kept[q]; !ok {
				b.decisions.Fact(decision.OffsetUnused, q, "", [6]int64{b.entries[q].offset})
			}
		}
	}
	b.entries = kept
}
