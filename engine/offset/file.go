package offset

import (
	"errors"
	"maps"
	"slices"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// ErrNotLoaded is the answer of a File that has not been told yet what its file has.
var ErrNotLoaded = errors.New("offset file not read yet")

// Position is an offset of a queue as the file has it.
type Position struct {
	Queue  mq.MessageQueue
	Offset int64
}

// Loaded is the event that the file was read at the start (Java: load). With Err set there
// is a file that nobody can read: the consumer must not go on as if there were none.
type Loaded struct {
	Positions []Position
	Faults    []string // what was wrong although the offsets could be had
	Err       error
}

// Write is the action to put Positions over what the file has and to keep its other entries;
// the answer is Saved. Each Write has the positions of earlier ones that are not confirmed,
// so one with a lower Seq need not be done after it.
type Write struct {
	Seq       uint64
	Positions []Position // in order of the queues
}

// Saved is the event that tells how a Write went.
type Saved struct {
	Write  Write
	Faults []string // what was wrong with the file that was there
	Err    error
}

// File is the offset store of a broadcasting consumer, which keeps its offsets in a file of
// its own (Java: LocalFileOffsetStore). It takes the events of Broker besides Loaded and
// Saved; its actions are Write and event.Entry. Package users hold a Disk beside it, which
// does the reading and writing. Plain state, stepped by one owner.
type File struct {
	memory  *Broker
	stored  map[mq.MessageQueue]int64   // what the file has, or will have after the next Write
	unsaved map[mq.MessageQueue]pending // the part of stored that no Saved confirmed
	seq     uint64                      // of the last Write
	loaded  bool
	failing bool
	err     error // of Loaded
}

// pending is an offset on its way to the file since the Write numbered so.
type pending struct {
	offset int64
	since  uint64
}

// NewFile returns a store that knows nothing; Loaded should be its first event.
func NewFile() *File {
	return &File{
		memory:  NewBroker(),
		stored:  map[mq.MessageQueue]int64{},
		unsaved: map[mq.MessageQueue]pending{},
		err:     ErrNotLoaded,
	}
}

// Record has r told what is decided, nil for nobody.
func (f *File) Record(r *decision.Recorder) { f.memory.decisions = r }

// Step takes in Loaded, Saved or one of the events that Broker takes. Unlike there, PersistDue
// forgets nothing, and a Frozen offset is what Stored returns from then on.
func (f *File) Step(now time.Time, e event.Event) []Action {
	switch e := e.(type) {
	case Loaded:
		return f.load(now, e)
	case Saved:
		return f.saved(now, e)
	case Frozen:
		f.memory.Step(now, e)
		if known := f.memory.entries[e.Queue]; known.frozen {
			f.keep(e.Queue, known.offset)
		}
	case PersistDue:
		return f.persist(e.Owned)
	case PersistQueue:
		return f.persist([]mq.MessageQueue{e.Queue})
	default:
		f.memory.Step(now, e)
	}
	return nil
}

// Advance is that of Broker.
func (f *File) Advance(e Advanced) { f.memory.Advance(e) }

// Read returns the offset in memory, or None.
func (f *File) Read(q mq.MessageQueue) int64 { return f.memory.Read(q) }

// Stored returns what the file has of a queue, or will have after the next Write: the answer
// to a question for its committed offset (Java: readOffset, READ_FROM_STORE). The error, of
// the load, never means that there is no offset.
func (f *File) Stored(q mq.MessageQueue) (at int64, found bool, err error) {
	if !f.loaded {
		return None, false, f.err
	}
	if at, found = f.stored[q]; !found {
		at = None
	}
	return at, found, nil
}

// load takes all entries of the file into memory.
func (f *File) load(now time.Time, e Loaded) []Action {
	if !f.memory.decisions.Is(decision.OffsetLoaded, mq.MessageQueue{}, e.Err == nil, [6]int64{int64(len(e.Positions))}) {
		f.err = e.Err
		return append(notes(event.Warn, e.Faults...), notes(event.Error, e.Err.Error())...)
	}
	f.loaded, f.err = true, nil
	for _, p := range e.Positions {
		if p.Offset < 0 {
			continue
		}
		f.memory.Step(now, Advanced{Queue: p.Queue, Offset: p.Offset})
		if _, ours := f.unsaved[p.Queue]; !ours {
			f.stored[p.Queue] = p.Offset
		}
	}
	return notes(event.Warn, e.Faults...)
}

// persist writes what is in memory of these queues, with what earlier writes did not achieve.
// Before the file was read, what it holds must not be replaced.
func (f *File) persist(queues []mq.MessageQueue) []Action {
	if !f.loaded {
		return nil
	}
	for _, q := range queues {
		if known, ok := f.memory.entries[q]; ok {
			f.keep(q, known.offset)
		}
	}
	positions := make([]Position, 0, len(queues)+len(f.unsaved))
	for q, p := range f.unsaved {
		positions = append(positions, Position{Queue: q, Offset: p.offset})
	}
	for _, q := range queues {
		_, unsaved := f.unsaved[q]
		if known, ok := f.memory.entries[q]; ok && !unsaved {
			positions = append(positions, Position{Queue: q, Offset: known.offset})
		}
	}
	if len(positions) == 0 {
		return nil
	}
	f.seq++
	slices.SortFunc(positions, func(a, b Position) int { return a.Queue.Compare(b.Queue) })
	f.memory.decisions.Fact(decision.OffsetWrite, mq.MessageQueue{}, "",
		[6]int64{int64(len(positions)), int64(len(f.unsaved)), int64(f.seq)})
	return []Action{Write{Seq: f.seq, Positions: slices.Compact(positions)}}
}

// keep notes that the file is to have this offset.
func (f *File) keep(q mq.MessageQueue, at int64) {
	if stored, ok := f.stored[q]; ok && stored == at {
		return
	}
	f.stored[q] = at
	f.unsaved[q] = pending{offset: at, since: f.seq + 1}
}

// saved crosses off what a Write brought into the file. What it did not stays for the next.
func (f *File) saved(_ time.Time, e Saved) []Action {
	actions := notes(event.Warn, e.Faults...)
	if !f.memory.decisions.Is(decision.OffsetSaved, mq.MessageQueue{}, e.Err == nil, [6]int64{int64(e.Write.Seq)}) {
		f.failing = true
		return append(actions, notes(event.Error, "offsets not saved, consumption goes on: "+e.Err.Error())...)
	}
	maps.DeleteFunc(f.unsaved, func(_ mq.MessageQueue, p pending) bool { return p.since <= e.Write.Seq })
	if f.failing {
		f.failing = false
		actions = append(actions, notes(event.Info, "offsets are saved again")...)
	}
	return actions
}

func notes(level event.Level, texts ...string) []Action {
	var actions []Action
	for _, text := range texts {
		actions = append(actions, event.Entry{Level: level, Source: "offset", What: text, Count: 1})
	}
	return actions
}
