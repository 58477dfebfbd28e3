package views

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
)

// maxPast is how many changes can be undone.
const maxPast = 100

// Past remembers what a person chose to see, so that a change can be taken back and made
// again. It is a value: a State may hold it.
type Past[P comparable] struct{ undo, redo []P }

// Change returns the past with now as its newest entry, unless next is the same.
func (h Past[P]) Change(now, next P) Past[P] {
	if now == next {
		return h
	}
	return Past[P]{undo: append(slices.Clip(h.undo[max(len(h.undo)-maxPast, 0):]), now)}
}

// Checkpoint remembers now before something is changed bit by bit, such as by typing.
func (h Past[P]) Checkpoint(now P) Past[P] {
	if n := len(h.undo); n > 0 && h.undo[n-1] == now {
		return Past[P]{undo: h.undo}
	}
	return Past[P]{undo: append(slices.Clip(h.undo[max(len(h.undo)-maxPast, 0):]), now)}
}

// Turn carries out Undo or Redo: what was chosen then, or now and a toast when there is
// nothing to go to.
func (h Past[P]) Turn(id keymap.ID, now P) (Past[P], P, []Intent) {
	from, to, word := h.undo, h.redo, Lit("Nothing to undo")
	if id == keymap.Redo {
		from, to, word = h.redo, h.undo, "Nothing to redo"
	}
	for n := len(from); n > 0; n = len(from) {
		then := from[n-1]
		from = from[:n-1]
		if then == now {
			continue // typed and taken back
		}
		to = append(slices.Clip(to), now)
		if id == keymap.Redo {
			return Past[P]{undo: to, redo: from}, then, nil
		}
		return Past[P]{undo: from, redo: to}, then, nil
	}
	return h, now, []Intent{Toast{Level: snapshot.MarkWatch, Text: Own(word)}}
}
