package consumer

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/snapshot"
)

const (
	journalKeeps = 50_000 // entries
	// foldFor is how long an entry stays open to count repeats of itself.
	foldFor = 200 * time.Millisecond
)

// journal keeps the tail of the event stream. Entries never change once a snapshot has seen
// them: a repeat is counted in the open last entry, which is closed by the next other entry,
// by time, or by a snapshot. So a hundred thousand equal events in a second are a few lines
// with counts.
type journal struct {
	log *slog.Logger

	mu      sync.Mutex
	entries []event.Entry
	open    bool // the last entry may still count repeats
	shared  bool // somebody saw the open entry, who must not see it change
	seq     uint64
	dropped uint64
}

// add records e and returns the number of the entry that counts it; it may be called from any
// goroutine.
func (j *journal) add(e event.Entry) (seq uint64) {
	e.Count = max(e.Count, 1)
	j.mu.Lock()
	fresh := j.put(e)
	seq = j.seq
	j.mu.Unlock()
	if fresh {
		j.write(e)
	}
	return seq
}

func (j *journal) put(e event.Entry) bool {
	if n := len(j.entries); j.open && n > 0 {
		last := &j.entries[n-1]
		if last.SameAs(e) && e.At.Sub(last.At) < foldFor {
			if j.shared {
				j.entries, j.shared = slices.Clone(j.entries), false
				last = &j.entries[n-1]
			}
			last.Count += e.Count
			return false
		}
	}
	j.seq++
	e.Seq = j.seq
	j.entries = append(j.entries, e)
	j.open = true
	if over := len(j.entries) - journalKeeps; over > 0 {
		j.entries = j.entries[over:]
		j.dropped += uint64(over)
	}
	return true
}

// write copies e to the log file. Names in it are escaped by the handler.
func (j *journal) write(e event.Entry) {
	level := [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}[e.Level]
	if !j.log.Enabled(context.Background(), level) {
		return
	}
	j.log.LogAttrs(context.Background(), level, e.What,
		slog.String("source", e.Source), slog.Any("queue", e.Queue), slog.String("where", e.Where))
}

// view returns what a snapshot may hold: entries that will not change any more.
func (j *journal) view() snapshot.Events {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open, j.shared = false, false
	return snapshot.Events{Entries: j.entries[:len(j.entries):len(j.entries)], Dropped: j.dropped}
}

// peek is view for a picture beside the run: the open entry stays open.
func (j *journal) peek() snapshot.Events {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shared = j.open
	return snapshot.Events{Entries: j.entries[:len(j.entries):len(j.entries)], Dropped: j.dropped}
}

// lost is how many entries are kept no more.
func (j *journal) lost() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped
}
