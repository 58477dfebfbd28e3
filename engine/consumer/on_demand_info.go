package consumer

import (
	"context"
	"maps"
	"strconv"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// answerRequests completes the registration of a consumer that is asked for messages with what
// it does on request. Java's do nothing when offsets are reset by request 220, and have no
// listener for 309.
func (l *onDemand) answerRequests(r *client.Registration) {
	r.Offsets = l.offsetsInMemory
	r.RunningInfo = func(ctx context.Context) (protocol.ConsumerRunningInfo, error) {
		return ask(ctx, l.clock, l.inbox, askedInfo{}, l.tellOfMyself)
	}
	r.AllowStacks = l.allowStacks(l.cfg.AllowBrokerRequests)
}

// tellOfMyself is what a tool is told, through a broker, of this member (Java:
// DefaultMQPullConsumerImpl and DefaultLitePullConsumerImpl.consumerRunningInfo; of a pull
// consumer the queues are added here).
func (l *onDemand) tellOfMyself(now time.Time) protocol.ConsumerRunningInfo {
	info := protocol.ConsumerRunningInfo{
		Properties:  l.properties(),
		MQTable:     make(map[mq.MessageQueue]protocol.ProcessQueueInfo, len(l.order)),
		StatusTable: map[string]protocol.ConsumeStatus{},
	}
	for _, q := range l.order {
		info.MQTable[q] = l.queueInfo(l.queues[q], false, false)
	}
	return info
}

// properties are the settings by the names of Java's fields: those that all kinds have, and
// those of the manner.
func (l *onDemand) properties() map[string]string {
	c := l.cfg
	p := map[string]string{
		protocol.PropStartTimestamp: millis(l.startedAt),

		"allocateMessageQueueStrategy":     c.Strategy.Name(),
		"brokerSuspendMaxTimeMillis":       inMillis(c.Hold),
		"consumerTimeoutMillisWhenSuspend": inMillis(c.HoldTimeout),
		"persistConsumerOffsetInterval":    inMillis(c.PersistInterval),
		"unitMode":                         "false",
	}
	if c.Namespace != "" {
		p["namespace"] = c.Namespace
	}
	maps.Copy(p, l.manner.settings())
	return p
}

// settings are those of DefaultMQPullConsumer.
func (m *pulling) settings() map[string]string {
	return map[string]string{
		"consumerPullTimeoutMillis": inMillis(m.p.cfg.Timeout),
		"maxReconsumeTimes":         strconv.Itoa(m.p.cfg.MaxReconsume),
	}
}

// settings are those of DefaultLitePullConsumer.
func (m *liteTasks) settings() map[string]string {
	c := &m.lite.cfg
	p := map[string]string{
		"consumeFromWhere":                 c.From.String(),
		"autoCommit":                       strconv.FormatBool(!c.ManualCommit),
		"autoCommitIntervalMillis":         inMillis(c.AutoCommitInterval),
		"pullBatchSize":                    strconv.Itoa(c.PullBatch),
		"pullThresholdForAll":              strconv.Itoa(c.ThresholdForAll),
		"pullThresholdForQueue":            strconv.Itoa(c.Limits.CountPerQueue),
		"pullThresholdSizeForQueue":        strconv.Itoa(c.Limits.MiBPerQueue),
		"consumeMaxSpan":                   strconv.Itoa(c.Limits.Span),
		"pollTimeoutMillis":                inMillis(c.PollTimeout),
		"topicMetadataCheckIntervalMillis": inMillis(c.WatchInterval),
	}
	if c.From == mq.FromTimestamp {
		p["consumeTimestamp"] = c.Timestamp.Format(consumeTimestamp)
	}
	return p
}
