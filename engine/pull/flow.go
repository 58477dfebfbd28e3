package pull

import "mqscope/engine/event"

const mebibyte = 1 << 20

// Limits are the flow-control limits of one ProcessQueue; each trips above its value. Zero
// fields stand for their defaults.
type Limits struct {
	CountPerQueue int // messages, default 1000
	MiBPerQueue   int // whole MiB of bodies, truncated as Java does; default 100
	Span          int // offsets, default 2000; concurrent consumers only
}

// Load is what a ProcessQueue holds when a pull is about to be made.
type Load struct {
	Count int
	Bytes int64
	Span  int64 // last minus first cached offset
}

func (l Limits) withDefaults() Limits {
	return Limits{
		CountPerQueue: orDefault(l.CountPerQueue, 1000),
		MiBPerQueue:   orDefault(l.MiBPerQueue, 100),
		Span:          orDefault(l.Span, 2000),
	}
}

// Flow gives the verdict of flow control: count, then size, then span; CauseNone lets the
// pull pass (Java: the checks of DefaultMQPushConsumerImpl.pullMessage, in this order).
// The size is cut to whole MiB: a limit of 100 trips at 101 MiB, not before.
func (l Limits) Flow(load Load) event.Cause {
	l = l.withDefaults()
	switch {
	case load.Count > l.CountPerQueue:
		return event.CauseFlowCount
	case load.Bytes/mebibyte > int64(l.MiBPerQueue):
		return event.CauseFlowSize
	case load.Span > int64(l.Span):
		return event.CauseFlowSpan
	}
	return event.CauseNone
}

// orDefault replaces what is not positive: a delay below zero would make pulls spin.
func orDefault[T ~int | ~int64](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}
