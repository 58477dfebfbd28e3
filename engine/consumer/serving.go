package consumer

import (
	"strconv"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/processqueue"
	"mqscope/engine/protocol"
)

// served is what is remembered of a queue for tools that ask.
type served struct {
	assigned time.Time
	turn     time.Time          // last one of its pull request, sent or not
	tallied  processqueue.Tally // counted already in statistics
}

// sampleStatistics takes a sample when one is due.
func (l *loop) sampleStatistics(now time.Time) {
	if now.Sub(l.sampledAt) < statsEvery {
		return
	}
	l.sampledAt = now
	for _, q := range l.order {
		l.countCalls(l.queues[q])
	}
	l.stats.sample(now)
}

// countCalls brings what listeners did with a queue into the statistics of its topic.
func (l *loop) countCalls(o *owned) {
	t := o.pq.Tally()
	was := o.served.tallied
	o.served.tallied = t
	l.stats.of(o.id.Topic).consumed(processqueue.Tally{
		Calls: t.Calls - was.Calls, Busy: t.Busy - was.Busy, OK: t.OK - was.OK, Failed: t.Failed - was.Failed,
	})
}

// tellOfMyself is what a tool is told, through a broker, of this member
// (Java: DefaultMQPushConsumerImpl.consumerRunningInfo).
func (l *loop) tellOfMyself(now time.Time) protocol.ConsumerRunningInfo {
	info := protocol.ConsumerRunningInfo{
		Properties: l.properties(), UserConsumerInfo: l.cfg.UserInfo,
		MQTable:     make(map[mq.MessageQueue]protocol.ProcessQueueInfo, len(l.order)),
		StatusTable: map[string]protocol.ConsumeStatus{},
	}
	for _, q := range l.order {
		o := l.queues[q]
		l.advance(now, o)
		info.MQTable[q] = l.queueInfo(o, l.cfg.Orderly, l.locked())
	}
	for _, topic := range l.subs.topics() {
		info.StatusTable[topic] = l.stats.status(topic)
	}
	return info
}

// queueInfo is what is told of one queue (Java: ProcessQueue.fillProcessQueueInfo). Messages of
// an orderly one are either cached or with its listener; one that needs no lock of its broker
// counts as locked from its beginning, as in Java.
func (m *membership) queueInfo(o *owned, ordered, locks bool) protocol.ProcessQueueInfo {
	waits, taken := o.pq.Extents()
	_, bytes, _ := o.pq.Load()
	p := protocol.ProcessQueueInfo{
		CommitOffset: m.offsets.Read(o.id), CachedMsgSizeInMiB: int32(bytes >> 20), Dropped: o.pq.Dropped(),
		Locked: true, LastLockTimestamp: o.served.assigned.UnixMilli(), TryUnlockTimes: int64(o.pq.UnlockTries()),
		LastPullTimestamp: o.served.assigned.UnixMilli(), LastConsumeTimestamp: m.in.asClock(o.pq.LastConsumed()).UnixMilli(),
	}
	if p.CommitOffset == offset.None && o.committed.OK() {
		p.CommitOffset = o.committed.V
	}
	for _, at := range []time.Time{o.served.turn, o.lastPull.V.At} {
		if !at.IsZero() {
			p.LastPullTimestamp = max(p.LastPullTimestamp, at.UnixMilli())
		}
	}
	if locks {
		at, locked := o.pq.LockedAt()
		if p.Locked = locked; locked {
			p.LastLockTimestamp = at.UnixMilli()
		}
	}
	if ordered {
		p.TransactionMsgCount, p.TransactionMsgMinOffset, p.TransactionMsgMaxOffset = int32(taken.Count), taken.First, taken.Last
	} else {
		waits = waits.Join(taken)
	}
	p.CachedMsgCount, p.CachedMsgMinOffset, p.CachedMsgMaxOffset = int32(waits.Count), waits.First, waits.Last
	return p
}

// properties are the settings as Java's consumer shows them, by the names of its fields.
func (l *loop) properties() map[string]string {
	c := l.cfg
	p := map[string]string{
		protocol.PropConsumeOrderly: strconv.FormatBool(l.direct.ordered()),
		protocol.PropThreadPoolSize: strconv.Itoa(l.threadStats().Threads.Max),
		protocol.PropStartTimestamp: millis(l.startedAt),

		"consumeFromWhere":                   c.From.String(),
		"allocateMessageQueueStrategy":       c.Strategy.Name(),
		"consumeThreadMin":                   strconv.Itoa(l.threadStats().Threads.Max),
		"consumeThreadMax":                   strconv.Itoa(l.threadStats().Threads.Max),
		"consumeConcurrentlyMaxSpan":         strconv.Itoa(l.limits.Span),
		"pullThresholdForQueue":              strconv.Itoa(l.limits.CountPerQueue),
		"pullThresholdSizeForQueue":          strconv.Itoa(l.limits.MiBPerQueue),
		"pullThresholdForTopic":              orMinusOne(l.limits.CountPerTopic),
		"pullThresholdSizeForTopic":          orMinusOne(l.limits.MiBPerTopic),
		"pullInterval":                       inMillis(c.Pull.Interval),
		"pullBatchSize":                      strconv.Itoa(c.Pull.Batch),
		"pullBatchSizeInBytes":               strconv.Itoa(c.Pull.BatchBytes),
		"pullTimeDelayMillsWhenException":    inMillis(c.Pull.ExceptionDelay),
		"consumeMessageBatchMaxSize":         strconv.Itoa(c.Batch),
		"maxReconsumeTimes":                  strconv.Itoa(c.MaxReconsume),
		"consumeTimeout":                     strconv.Itoa(int(c.Timeout / time.Minute)),
		"persistConsumerOffsetInterval":      inMillis(c.PersistInterval),
		"awaitTerminationMillisWhenShutdown": inMillis(c.Drain),
		"unitMode":                           strconv.FormatBool(c.UnitMode),
		"clientRebalance":                    strconv.FormatBool(!c.BrokerRebalance),
	}
	if c.Namespace != "" {
		p["namespace"] = c.Namespace
	}
	if c.From == mq.FromTimestamp {
		p["consumeTimestamp"] = c.Timestamp.Format(consumeTimestamp)
	}
	return p
}

// consumeTimestamp is how Java writes the time that a group starts at.
const consumeTimestamp = "20060102150405"

func inMillis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// millis is a time in milliseconds since 1970.
func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// orMinusOne is a limit as Java shows one that is not set.
func orMinusOne(n int) string {
	if n <= 0 {
		return "-1"
	}
	return strconv.Itoa(n)
}
