package pull

import "mqscope/engine/event"

const mebibyte = 1 << 20

// Limits are the flow-control limits of one ProcessQueue; each trips above its value. Zero
// fields stand for their defaults.
type Limits struct {
	CountPerQueue int // messages, default 1000
	MiBPerQueue   int // whole MiB of bodies, truncated as Java does; default 100
	Span          int // offsets, default 2000; concurrent consumers only

	// CountPerTopic and MiBPerTopic, where above 0, are shared out evenly among the queues of
	// the consumer (of all topics, as in Java), one at least for each; CountPerQueue and
	// MiBPerQueue do not count then (Java: pullThresholdForTopic, pullThresholdSizeForTopic).
	CountPerTopic int
	MiBPerTopic   int
}

// Shared are the limits of one queue when the consumer has so many
// (Java: RebalancePushImpl.messageQueueChanged).
func (l Limits) Shared(queues int) Limits {
	if queues > 0 && l.CountPerTopic > 0 {
		l.CountPerQueue = max(1, l.CountPerTopic/queues)
	}
	if queues > 0 && l.MiBPerTopic > 0 {
		l.MiBPerQueue = max(1, l.MiBPerTopic/queues)
	}
	return l
}

// Load is what a ProcessQueue holds when a pull is about to be made.
type Load struct {
	Count int
	Bytes int64
	Span  int64 // last minus first cached offset
}

// WithDefaults are the limits with zero fields replaced by their defaults.
func (l Limits) WithDefaults() Limits {
	l.CountPerQueue = orDefault(l.CountPerQueue, 1000)
	l.MiBPerQueue = orDefault(l.MiBPerQueue, 100)
	l.Span = orDefault(l.Span, 2000)
	return l
}

// SetLimits has pulls go by other limits from now on.
func (p *Pull) SetLimits(l Limits) { p.cfg.Limits = l.WithDefaults() }

// Flow gives the verdict of flow control: count, then size, then span; CauseNone lets the
// pull pass (Java: the checks of DefaultMQPushConsumerImpl.pullMessage, in this order).
// The size is cut to whole MiB: a limit of 100 trips at 101 MiB, not before.
func (l Limits) Flow(load Load) event.Cause {
	l = l.WithDefaults()
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
