package consumer

import (
	"slices"

	"mqscope/engine/event"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// Behind a checkpoint the event stream has the last lines of before. The others are records of the
// recording: whoever reads those puts them in front.

// Lines is the event stream where the remake stands.
func (r *Remake) Lines() snapshot.Events { return r.loop.journal.peek() }

// Oldest is the number of the oldest line of the event stream, the next one where there is none; how
// many lines it has, and how many more there is room for.
func (r *Remake) Oldest() (seq uint64, has, room int) {
	j := r.loop.journal
	n := len(j.entries)
	return j.seq + 1 - uint64(n), n, journalKeeps - n
}

// Older puts lines in front of the event stream, whose numbers lead up to its oldest one; of more
// than there is room for the newest.
func (r *Remake) Older(lines []event.Entry) {
	j := r.loop.journal
	lines = lines[max(0, len(lines)-(journalKeeps-len(j.entries))):]
	if len(lines) == 0 {
		return
	}
	j.entries, j.shared = slices.Concat(lines, j.entries), false
	j.dropped -= min(j.dropped, uint64(len(lines)))
}

// Told is the line that a record has, as it was told; lines of one number are one line of the event
// stream, the first of them with the counts of all. Number 0: it was recorded by a program that
// noted none.
func (r *Remake) Told(rec recording.Record) (e event.Entry, ok bool, err error) {
	if rec.Kind != kindTold {
		return e, false, nil
	}
	if _, err := r.codec.Decode(rec.Payload, &e); err != nil {
		return e, false, err
	}
	e.Count = max(e.Count, 1)
	return e, true, nil
}
