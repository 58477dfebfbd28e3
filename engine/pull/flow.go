package pull

import (
	"mqscope/engine/decision"
	"mqscope/engine/event"
)

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
func (l Limits) Flow(load Load) event.Cause {
	l = l.WithDefaults()
	switch {
	case l.countTrips(load):
		return event.CauseFlowCount
	case l.sizeTrips(load):
		return event.CauseFlowSize
	case l.spanTrips(load):
		return event.CauseFlowSpan
	}
	return event.CauseNone
}

func (l Limits) countTrips(load Load) bool { return load.Count > l.CountPerQueue }

// The size is cut to whole MiB: a limit of 100 trips at 101 MiB, not before.
func (l Limits) sizeTrips(load Load) bool { return load.Bytes/mebibyte > int64(l.MiBPerQueue) }

func (l Limits) spanTrips(load Load) bool { return load.Span > int64(l.Span) }

// flow asks the questions of flow control, one after the other.
func (c *checks) flow(cfg *Config, t *Turn) {
	l, load := &cfg.Limits, t.Load
	trips := func(line *decision.Line, trips bool, n [6]int64, cause event.Cause) {
		c.wants(false, line, trips, n, putBack(cfg.FlowDelay, cause))
	}
	trips(decision.FlowCount, l.countTrips(load), [6]int64{int64(load.Count), int64(l.CountPerQueue)}, event.CauseFlowCount)
	trips(decision.FlowSize, l.sizeTrips(load), [6]int64{load.Bytes / mebibyte, int64(l.MiBPerQueue), load.Bytes}, event.CauseFlowSize)
	if !t.Ordered { // its messages leave in order, so no gap grows
		trips(decision.FlowSpan, l.spanTrips(load), [6]int64{load.Span, int64(l.Span)}, event.CauseFlowSpan)
	}
}

// orDefault replaces what is not positive: a delay below zero would make pulls spin.
func orDefault[T ~int | ~int64](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}
