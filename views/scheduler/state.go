package scheduler

import (
	"mqscope/engine/snapshot"
)

// Mode is what the pane below the tasks shows.
type Mode uint8

// The modes in the order that the key walks through; Lesson is left out where there is none.
const (
	Trace Mode = iota
	History
	Lesson
	modes
)

// Panes that can have the keys.
const (
	taskPane = iota
	lowerPane
	lessonPane // where the lesson has a place of its own
)

// Target is the task under the cursor. The zero Target follows the task whose turn it is.
type Target struct {
	ID    uint64
	Queue snapshot.MessageQueue
}

// State is the screen's own value.
type State struct {
	Sel  Target
	Pos  int // row of Sel when it was last seen
	Top  int
	Mode Mode
	// Step is the decision under the cursor of the lower pane, 0 for the newest one; LineTop
	// its first row on screen.
	Step    uint64
	LineTop int
	// LessonTop is the first line of the lesson on screen.
	LessonTop int

	part string            // of the lesson, how it begins
	hit  snapshot.SchedHit // seen last
	want bool              // Sel.Queue was asked for from elsewhere and not looked for yet
	asks ask
}

// ask is what the text that is being typed is for.
type ask struct {
	what  asking
	queue snapshot.MessageQueue
	task  uint64
}

type asking uint8

const (
	askNothing asking = iota
	askBreakpoint
	askUntil
	askDelay
	askHang
	askAdvance
)
