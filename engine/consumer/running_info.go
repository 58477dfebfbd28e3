package consumer

import (
	"strconv"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

// runningInfo tells a tool, through a broker, what this member does now, from the newest
// snapshot, which is up to five seconds old (Java: DefaultMQPushConsumerImpl.consumerRunningInfo).
// The stack dump is left to whoever answers the request.
func (l *loop) runningInfo() protocol.ConsumerRunningInfo {
	s := l.out.latest.Load()
	info := protocol.ConsumerRunningInfo{
		MQTable: map[mq.MessageQueue]protocol.ProcessQueueInfo{}, SubscriptionSet: l.subs.list(),
		Properties: map[string]string{
			protocol.PropConsumeOrderly: strconv.FormatBool(l.cfg.Orderly),
			protocol.PropConsumeType:    mq.Passively.String(),
			protocol.PropThreadPoolSize: strconv.Itoa(l.cfg.Threads),
			protocol.PropStartTimestamp: strconv.FormatInt(l.startedAt.UnixMilli(), 10),
		},
		StatusTable: map[string]protocol.ConsumeStatus{},
	}
	for i := range s.Queues {
		if q := &s.Queues[i]; q.State != snapshot.NotOwned && q.State != snapshot.Resolving {
			info.MQTable[q.ID] = processQueueInfo(q)
		}
	}
	for _, t := range s.Topics {
		info.StatusTable[t.Name] = protocol.ConsumeStatus{ConsumeOKTPS: t.OutRate.V}
	}
	return info
}

func processQueueInfo(q *snapshot.Queue) protocol.ProcessQueueInfo {
	return protocol.ProcessQueueInfo{
		CommitOffset: q.Committed.V, CachedMsgMinOffset: q.CachedMin.V, CachedMsgMaxOffset: q.CachedMax.V,
		CachedMsgCount: int32(q.Count.V), CachedMsgSizeInMiB: int32(q.Bytes.V >> 20), Locked: !q.Lock.Used || q.Lock.BrokerSays == snapshot.LockMine,
		TryUnlockTimes: int64(q.Lock.TryUnlock), LastLockTimestamp: millis(q.Lock.GrantedAt),
		Dropped: q.State == snapshot.Dropped, LastPullTimestamp: millis(q.LastPull.V.At), LastConsumeTimestamp: millis(q.LastTaken.V),
	}
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// offsetsOf are the committed offsets of the owned queues of a topic.
func (m *membership) offsetsOf(topic string) map[mq.MessageQueue]int64 {
	out := map[mq.MessageQueue]int64{}
	s := m.out.latest.Load()
	for i := range s.Queues {
		if q := &s.Queues[i]; q.ID.Topic == topic && q.State != snapshot.NotOwned && q.Committed.OK() {
			out[q.ID] = q.Committed.V
		}
	}
	return out
}
