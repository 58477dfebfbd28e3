package ledger

import (
	"fmt"
	"time"

	"mqscope/engine/mq"
)

// Check is one of the promises.
type Check uint8

// The checks, by their numbers.
const (
	AtLeastOnce       Check = iota + 1 // what is stored was consumed, or went to a copy or the dead letters
	NothingInvented                    // what listeners get is what is stored there
	CommitSafety                       // no commit beyond the lowest unresolved message
	Order                              // orderly: one after the other, one owner at a time
	Repetition                         // only what was in flight or not committed comes again
	Liveness                           // what waits is consumed
	Retry                              // not more attempts than allowed, not sooner than their delay
	Resource                           // what was held for messages is given back
	WhatTheScreenSays                  // pictures equal the books
)

// String names the check.
func (c Check) String() string {
	return [...]string{"", "at least once", "nothing invented", "commit safety", "order", "bounded repetition",
		"liveness", "retry", "resource", "what the screen says"}[c]
}

// Fault is one promise that was broken.
type Fault struct {
	Check Check
	Queue mq.MessageQueue // zero when it is about no single one
	At    time.Time
	What  string
}

// String is one line.
func (f Fault) String() string {
	where := ""
	if f.Queue != (mq.MessageQueue{}) {
		where = " " + f.Queue.Path()
	}
	return fmt.Sprintf("check %d, %s:%s at %s: %s", f.Check, f.Check, where, f.At.Format("15:04:05.000"), f.What)
}

// keptFaults is how many faults of one check are kept; others are counted.
const keptFaults = 10

func (l *Ledger) fault(c Check, q mq.MessageQueue, at time.Time, format string, args ...any) {
	l.broken[c]++
	if l.broken[c] <= keptFaults {
		l.faults = append(l.faults, Fault{c, q, at, fmt.Sprintf(format, args...)})
	}
}

// Report is what there was, in numbers.
type Report struct {
	Intents, Acked, Unknown int64 // of producers
	Messages                int64 // stored in subscribed topics
	Copies                  int64 // stored in the retry topic
	DeadLetters             int64
	Starts                  int64 // messages given to listeners
	Retried                 int64 // of these, again after a failure
	Repeated                int64 // of these, again without one
	Bound                   int64 // how many of Repeated there may be
	HandOvers               int64 // questions for the offset of a queue that had been consumed
	Commits                 int64
	Overlaps                int64 // calls at once of one queue, allowed since its lock was forgotten
	Skipped                 int64 // left out on purpose
}

// String is one line.
func (r Report) String() string {
	return fmt.Sprintf("%d messages (%d sent, %d unknown), %d retry copies, %d dead letters, %d skipped: %d starts, %d of them retries, "+
		"%d repeated of at most %d over %d hand-overs, %d overlaps; %d commits",
		r.Messages, r.Intents, r.Unknown, r.Copies, r.DeadLetters, r.Skipped, r.Starts, r.Retried, r.Repeated, r.Bound, r.HandOvers, r.Overlaps, r.Commits)
}
