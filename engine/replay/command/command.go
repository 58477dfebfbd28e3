// Package command has what a person may ask of a recording that is played, one small struct
// each. They are values only, so that views can say them without knowing who carries them out.
package command

import "time"

type (
	// Play plays on in time, or stops where Stop is set.
	Play struct{ Stop bool }
	// Speed makes it faster by Delta notches, slower where Delta is below zero: 0.1 to 64, then
	// as fast as it goes.
	Speed struct{ Delta int }
	// Step goes N events on, back where N is below zero, and stops there.
	Step struct{ N int }
	// Decision goes one decision on, or back, within the last event; behind its last one to the
	// next event. Where decisions are not known it is Step.
	Decision struct{ Back bool }
	// SeekEvent goes to where Event events have happened.
	SeekEvent struct{ Event uint64 }
	// SeekEntry goes to the event that told an entry of the event stream, by its number and time.
	SeekEntry struct {
		Seq uint64
		At  time.Time
	}
	// SeekTime goes to behind the last event up to At.
	SeekTime struct{ At time.Time }
	// Seek goes to what a person wrote: #18244, 12:03:41.220, a whole time, +5s or -5s from
	// here, 42% or a bookmark as in ;2.
	Seek struct{ Text string }
	// Interest goes to the next point of interest or bookmark, the previous one where Back is set.
	Interest struct{ Back bool }
	// Mark sets a bookmark here, or, where Number is not zero, changes the note of that one.
	Mark struct {
		Number int
		Note   string
	}
	// Unmark takes bookmark Number away.
	Unmark struct{ Number int }
)
