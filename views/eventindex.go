package views

import (
	"slices"

	"mqscope/engine/snapshot"
)

// EventIndex finds the events that match something. It looks at each event once, however
// many there are and however often a screen is drawn.
type EventIndex struct {
	key  string
	last uint64 // newest number looked at
	seqs []uint64
}

// Update brings the index up to date and returns the numbers of the events that match, in
// order. key says what is looked for: another key begins anew.
func (x *EventIndex) Update(ev snapshot.Events, key string, match func(*snapshot.Entry) bool) []uint64 {
	es := ev.Entries
	if len(es) == 0 {
		x.last, x.seqs = 0, nil
		return nil
	}
	first, newest := es[0].Seq, es[len(es)-1].Seq
	if key != x.key || newest < x.last || first > x.last {
		x.key, x.last, x.seqs = key, 0, nil
	}
	for len(x.seqs) > 0 && x.seqs[0] < first {
		x.seqs = x.seqs[1:]
	}
	for i := from(es, x.last+1); i < len(es); i++ {
		if match(&es[i]) {
			x.seqs = append(x.seqs, es[i].Seq)
		}
	}
	x.last = newest
	return x.seqs
}

// from is the first index whose number is at least seq.
func from(es []snapshot.Entry, seq uint64) int {
	i, _ := slices.BinarySearchFunc(es, seq, func(e snapshot.Entry, seq uint64) int {
		switch {
		case e.Seq < seq:
			return -1
		case e.Seq > seq:
			return 1
		}
		return 0
	})
	return i
}

// EventAt returns the event with a number, nil when it is gone.
func EventAt(ev snapshot.Events, seq uint64) *snapshot.Entry {
	if i := from(ev.Entries, seq); i < len(ev.Entries) && ev.Entries[i].Seq == seq {
		return &ev.Entries[i]
	}
	return nil
}

// LevelMark is how bad an event is.
func LevelMark(e *snapshot.Entry) snapshot.Mark {
	switch e.Level {
	case snapshot.Error:
		return snapshot.MarkBad
	case snapshot.Warn:
		return snapshot.MarkWarn
	}
	return snapshot.MarkOK
}
