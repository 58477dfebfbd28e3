package snapshot

import "time"

// State says how far a value may be trusted.
type State uint8

const (
	Unknown State = iota // could not be read: never zero, never healthy
	Known
	Stale         // was read, but longer ago than it should be
	NotApplicable // has no meaning here
)

// Val is a reading with its trust. The zero Val is unknown.
type Val[T any] struct {
	V      T
	State  State
	At     time.Time // when it was read, for Known and Stale
	Reason string    // why it is unknown
}

// Of is a value read at at.
func Of[T any](v T, at time.Time) Val[T] { return Val[T]{V: v, State: Known, At: at} }

// UnknownBecause is a value that could not be read.
func UnknownBecause[T any](reason string) Val[T] { return Val[T]{Reason: reason} }

// NA is a value that has no meaning for its subject.
func NA[T any]() Val[T] { return Val[T]{State: NotApplicable} }

// Aged returns v as stale when it was read more than limit before now.
func (v Val[T]) Aged(now time.Time, limit time.Duration) Val[T] {
	if v.State == Known && now.Sub(v.At) > limit {
		v.State = Stale
	}
	return v
}

// OK tells whether there is a number to show, fresh or stale.
func (v Val[T]) OK() bool { return v.State == Known || v.State == Stale }
