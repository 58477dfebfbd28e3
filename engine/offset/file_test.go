package offset

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func at(id int32, offset int64) Position { return Position{Queue: q(id), Offset: offset} }

func write(seq uint64, positions ...Position) Write { return Write{Seq: seq, Positions: positions} }

func note(level event.Level, text string) event.Entry {
	return event.Entry{Level: level, Source: "offset", What: text, Count: 1}
}

func TestFile(t *testing.T) {
	failed := errors.New("no space left")
	unreadable := fmt.Errorf("%w: gone", ErrUnreadable)
	loaded := func(p ...Position) event.Event { return Loaded{Positions: p} }
	type stored = [3]int64
	tests := []struct {
		name   string
		events []event.Event
		want   []Action // of the last event
		memory stored   // of queues 0, 1, 2
		stored stored
	}{
		{
			name:   "all that the file has goes into memory",
			events: []event.Event{loaded(at(0, 5), at(1, 0))},
			memory: stored{5, 0, None}, stored: stored{5, 0, None},
		},
		{
			name:   "a negative offset of a file is none",
			events: []event.Event{loaded(at(0, -1))},
			memory: stored{None, None, None}, stored: stored{None, None, None},
		},
		{
			name:   "what was wrong with the file is told",
			events: []event.Event{Loaded{Positions: []Position{at(0, 5)}, Faults: []string{"half a file"}}},
			want:   []Action{note(event.Warn, "half a file")},
			memory: stored{5, None, None}, stored: stored{5, None, None},
		},
		{
			name:   "progress reaches the file by a persist only",
			events: []event.Event{loaded(at(0, 5)), advance(0, 8)},
			memory: stored{8, None, None}, stored: stored{5, None, None},
		},
		{
			name:   "owned offsets are written in order of the queues, changed or not",
			events: []event.Event{loaded(at(0, 5)), advance(2, 7), persist(2, 1, 0, 2)},
			want:   []Action{write(1, at(0, 5), at(2, 7))},
			memory: stored{5, None, 7}, stored: stored{5, None, 7},
		},
		{
			name:   "what is not owned stays in memory",
			events: []event.Event{loaded(), advance(0, 5), advance(1, 6), persist(1)},
			want:   []Action{write(1, at(1, 6))},
			memory: stored{5, 6, None}, stored: stored{None, 6, None},
		},
		{
			name:   "with no queues owned nothing is written",
			events: []event.Event{loaded(at(0, 5)), persist()},
			memory: stored{5, None, None}, stored: stored{5, None, None},
		},
		{
			name:   "a queue that is given up keeps its place in the file",
			events: []event.Event{loaded(at(0, 5)), advance(0, 8), PersistQueue{Queue: q(0)}, Removed{Queue: q(0)}},
			memory: stored{None, None, None}, stored: stored{8, None, None},
		},
		{
			name: "what an earlier write has not confirmed is in the next",
			events: []event.Event{loaded(), advance(0, 8), PersistQueue{Queue: q(0)}, Removed{Queue: q(0)},
				advance(1, 3), persist(1)},
			want:   []Action{write(2, at(0, 8), at(1, 3))},
			memory: stored{None, 3, None}, stored: stored{8, 3, None},
		},
		{
			name: "a write that went wrong is told and made good by the next persist, owned or not",
			events: []event.Event{loaded(), advance(0, 8), PersistQueue{Queue: q(0)},
				Saved{Write: write(1, at(0, 8)), Err: failed}, Removed{Queue: q(0)}, persist()},
			want:   []Action{write(2, at(0, 8))},
			memory: stored{None, None, None}, stored: stored{8, None, None},
		},
		{
			name:   "an error of a write is for a person",
			events: []event.Event{loaded(), advance(0, 8), persist(0), Saved{Write: write(1, at(0, 8)), Err: failed}},
			want:   []Action{note(event.Error, "offsets not saved, consumption goes on: no space left")},
			memory: stored{8, None, None}, stored: stored{8, None, None},
		},
		{
			name: "that writes work again is told once",
			events: []event.Event{loaded(), advance(0, 8), persist(0), Saved{Write: write(1, at(0, 8)), Err: failed},
				persist(0), Saved{Write: write(2, at(0, 8)), Faults: []string{"it was damaged"}}},
			want:   []Action{note(event.Warn, "it was damaged"), note(event.Info, "offsets are saved again")},
			memory: stored{8, None, None}, stored: stored{8, None, None},
		},
		{
			name: "a confirmed offset is not written for a queue that is not owned any more",
			events: []event.Event{loaded(), advance(0, 8), persist(0), Saved{Write: write(1, at(0, 8))},
				Removed{Queue: q(0)}, persist(0)},
			memory: stored{None, None, None}, stored: stored{8, None, None},
		},
		{
			name: "the answer to an earlier write does not confirm a later offset",
			events: []event.Event{loaded(), advance(0, 8), persist(0), advance(0, 9), persist(0),
				Saved{Write: write(1, at(0, 8))}, Removed{Queue: q(0)}, persist()},
			want:   []Action{write(3, at(0, 9))},
			memory: stored{None, None, None}, stored: stored{9, None, None},
		},
		{
			name: "an offset that went forth and back is confirmed by the last write only",
			events: []event.Event{loaded(), set(0, 8), persist(0), set(0, 5), persist(0), set(0, 8), persist(0),
				Saved{Write: write(1, at(0, 8))}, Removed{Queue: q(0)}, persist()},
			want:   []Action{write(4, at(0, 8))},
			memory: stored{None, None, None}, stored: stored{8, None, None},
		},
		{
			name:   "an answer from the store overwrites memory",
			events: []event.Event{loaded(at(0, 5)), advance(0, 9), committed(0, 1, 5)},
			memory: stored{5, None, None}, stored: stored{5, None, None},
		},
		{
			name:   "a frozen offset ignores listeners that still run",
			events: []event.Event{loaded(at(0, 500)), Frozen{Queue: q(0), Offset: 100}, advance(0, 600), persist(0)},
			want:   []Action{write(1, at(0, 100))},
			memory: stored{100, None, None}, stored: stored{100, None, None},
		},
		{
			name:   "a negative correction is none",
			events: []event.Event{loaded(at(0, 5)), Frozen{Queue: q(0), Offset: -1}},
			memory: stored{5, None, None}, stored: stored{5, None, None},
		},
		{
			name:   "an unreadable file is for a person, and nothing is written over it",
			events: []event.Event{Loaded{Err: unreadable}, advance(0, 9), persist(0)},
			memory: stored{9, None, None}, stored: stored{-2, -2, -2},
		},
		{
			name:   "the error of an unreadable file is told",
			events: []event.Event{Loaded{Err: unreadable}},
			want:   []Action{note(event.Error, "offset file unreadable: gone")},
			memory: stored{None, None, None}, stored: stored{-2, -2, -2},
		},
		{
			name:   "before the file was read nobody says that there is no offset",
			events: []event.Event{persist(0)},
			memory: stored{None, None, None}, stored: stored{-2, -2, -2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFile()
			var got []Action
			for _, e := range tt.events {
				got = f.Step(time.Time{}, e)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			var memory, stored stored
			for id := range int32(3) {
				memory[id] = f.Read(q(id))
				offset, found, err := f.Stored(q(id))
				if stored[id] = offset; err != nil {
					stored[id] = -2
				}
				if found != (offset >= 0) || (err != nil && found) {
					t.Errorf("queue %d: %d, found %v, error %v", id, offset, found, err)
				}
			}
			if diff := cmp.Diff(tt.memory, memory); diff != "" {
				t.Errorf("memory (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.stored, stored); diff != "" {
				t.Errorf("stored (-want +got), -2 is an error:\n%s", diff)
			}
		})
	}
}

func TestStoredSaysWhyItCannotKnow(t *testing.T) {
	f := NewFile()
	if _, _, err := f.Stored(q(0)); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("before the load: %v", err)
	}
	f.Step(time.Time{}, Loaded{Err: fmt.Errorf("read: %w", ErrUnreadable)})
	if _, _, err := f.Stored(q(0)); !errors.Is(err, ErrUnreadable) {
		t.Errorf("after the load: %v", err)
	}
}

// TestP09CorrectionOfAnIllegalOffsetTakesHold is the repair of a broadcasting consumer whose
// file says 5 while its broker begins at 100.
func TestP09CorrectionOfAnIllegalOffsetTakesHold(t *testing.T) {
	w := &world{t: t, home: t.TempDir()}
	w.open()
	w.step(set(0, 5), persist(0))
	w.open()
	defer func() { w.close() }()

	w.step(Frozen{Queue: q(0), Offset: 100}, advance(0, 6), Removed{Queue: q(0)})
	if got, found, err := w.file.Stored(q(0)); got != 100 || !found || err != nil {
		t.Errorf("the new assignment starts at %d (found %v, error %v), want 100", got, found, err)
	}
	w.step(committed(0, 2, 100), advance(0, 101), persist(0))
	if got := w.file.Read(q(0)); got != 101 {
		t.Errorf("after the repair the offset is %d, want 101: it must not stay frozen", got)
	}
	w.open()
	if got := w.file.Read(q(0)); got != 101 {
		t.Errorf("the next process starts at %d, want 101", got)
	}
}

// TestFileAgainstAModel lets writes end in any order, well or not: whatever happened, one
// write that goes well brings the file to what was persisted last.
func TestFileAgainstAModel(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r, f := rand.New(rand.NewPCG(seed, 9)), NewFile()
			f.Step(time.Time{}, Loaded{})
			want, disk := map[mq.MessageQueue]int64{}, map[mq.MessageQueue]int64{}
			var flying []Write
			done := uint64(0)
			step := func(e event.Event) {
				for _, a := range f.Step(time.Time{}, e) {
					if a, ok := a.(Write); ok {
						flying = append(flying, a)
					}
				}
			}
			end := func(i int, err error) {
				w := flying[i]
				flying = slices.Delete(flying, i, i+1)
				if err == nil && w.Seq >= done {
					done = w.Seq
					for _, p := range w.Positions {
						disk[p.Queue] = p.Offset
					}
				}
				step(Saved{Write: w, Err: err})
			}
			for range 2_000 {
				id := int32(r.IntN(5))
				switch r.IntN(7) {
				case 0:
					step(set(id, r.Int64N(50)))
				case 1:
					step(Removed{Queue: q(id)})
				case 2:
					if known := f.Read(q(id)); known != None {
						want[q(id)] = known
					}
					step(PersistQueue{Queue: q(id)})
				case 3:
					for id := range int32(5) {
						if known := f.Read(q(id)); known != None {
							want[q(id)] = known
						}
					}
					step(persist(0, 1, 2, 3, 4))
				case 4, 5:
					if len(flying) > 0 {
						end(r.IntN(len(flying)), nil)
					}
				default:
					if len(flying) > 0 {
						end(r.IntN(len(flying)), errors.New("no space"))
					}
				}
				for id := range int32(5) {
					if got, found, _ := f.Stored(q(id)); found && got != want[q(id)] {
						t.Fatalf("queue %d is stored as %d, was persisted at %d", id, got, want[q(id)])
					}
				}
			}
			for len(flying) > 0 {
				end(r.IntN(len(flying)), errors.New("no space"))
			}
			step(persist())
			for len(flying) > 0 {
				end(len(flying)-1, nil)
			}
			if diff := cmp.Diff(want, disk); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if len(f.unsaved) != 0 {
				t.Errorf("after a good write %v waits still", slices.Collect(maps.Keys(f.unsaved)))
			}
		})
	}
}

// BenchmarkFilePersist is the deciding part of every 5 s with 4,096 queues.
func BenchmarkFilePersist(b *testing.B) {
	f, owned := NewFile(), make([]mq.MessageQueue, 4096)
	f.Step(time.Time{}, Loaded{})
	for i := range owned {
		owned[i] = q(int32(i))
		f.Step(time.Time{}, advance(int32(i), 5))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, a := range f.Step(time.Time{}, PersistDue{Owned: owned}) {
			f.Step(time.Time{}, Saved{Write: a.(Write)})
		}
	}
}
