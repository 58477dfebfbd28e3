// Contract: GET_CONSUMER_RUNNING_INFO (307), tool to broker and on to the client:
// ConsumerRunningInfo as body, 1 when the client is not online or too old, 207 when it does
// not answer.

package protocol

import (
	"mqscope/engine/mq"
)

// GetConsumerRunningInfoRequest asks a member what it is doing (Java:
// GetConsumerRunningInfoRequestHeader).
type GetConsumerRunningInfoRequest struct {
	Base

	ConsumerGroup string
	ClientID      string
	StackEnable   bool // with a dump of its threads
}

func (h *GetConsumerRunningInfoRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("consumerGroup", &h.ConsumerGroup, required)
	v.str("clientId", &h.ClientID, required)
	v.boolean("jstackEnable", &h.StackEnable, always)
}

// Well-known names in ConsumerRunningInfo.Properties. Java tools read ConsumeType,
// ConsumeOrderly and StartTimestamp, so supply them (Java: ConsumerRunningInfo).
const (
	PropNameServerAddr = "PROP_NAMESERVER_ADDR"          // each address followed by ;
	PropThreadPoolSize = "PROP_THREADPOOL_CORE_SIZE"     // number
	PropConsumeOrderly = "PROP_CONSUMEORDERLY"           // true or false
	PropConsumeType    = "PROP_CONSUME_TYPE"             // mq.ConsumeType
	PropClientVersion  = "PROP_CLIENT_VERSION"           // VersionName
	PropStartTimestamp = "PROP_CONSUMER_START_TIMESTAMP" // ms
)

// ConsumerRunningInfo is what a member of a group says of itself (Java: ConsumerRunningInfo).
type ConsumerRunningInfo struct {
	Stack            string // dump of the member's threads, when asked for
	MQPopTable       map[mq.MessageQueue]PopProcessQueueInfo
	MQTable          map[mq.MessageQueue]ProcessQueueInfo
	Properties       map[string]string
	StatusTable      map[string]ConsumeStatus // by topic
	SubscriptionSet  []SubscriptionData
	UserConsumerInfo map[string]string
	Unresolved       int // entries of the body whose queue could not be read
}

// ProcessQueueInfo is the state of one assigned queue (Java: ProcessQueueInfo). Times are ms.
type ProcessQueueInfo struct {
	CachedMsgCount          int32
	CachedMsgMaxOffset      int64
	CachedMsgMinOffset      int64
	CachedMsgSizeInMiB      int32
	CommitOffset            int64
	Dropped                 bool // "droped" on the wire
	LastConsumeTimestamp    int64
	LastLockTimestamp       int64
	LastPullTimestamp       int64
	Locked                  bool
	TransactionMsgCount     int32 // being consumed by an orderly listener
	TransactionMsgMaxOffset int64
	TransactionMsgMinOffset int64
	TryUnlockTimes          int64
}

// PopProcessQueueInfo is the state of one queue that is popped (Java: PopProcessQueueInfo).
type PopProcessQueueInfo struct {
	Dropped          bool
	LastPopTimestamp int64 // ms
	WaitAckCount     int32
}

// ConsumeStatus is the rates of one topic (Java: ConsumeStatus).
type ConsumeStatus struct {
	ConsumeFailedMsgs int64   // in the last hour
	ConsumeFailedTPS  float64 // messages a second
	ConsumeOKTPS      float64 // messages a second
	ConsumeRT         float64 // ms
	PullRT            float64 // ms
	PullTPS           float64 // messages a second
}

func (b *ConsumerRunningInfo) members(c *codec) {
	c.str("jstack", &b.Stack)
	queueTable(c, "mqPopTable", &b.MQPopTable, &b.Unresolved, objectValue)
	queueTable(c, "mqTable", &b.MQTable, &b.Unresolved, objectValue)
	textTable(c, "properties", &b.Properties, strValue)
	textTable(c, "statusTable", &b.StatusTable, objectValue)
	objects(c, "subscriptionSet", &b.SubscriptionSet)
	textTable(c, "userConsumerInfo", &b.UserConsumerInfo, strValue)
}

func (p *ProcessQueueInfo) members(c *codec) {
	c.i32("cachedMsgCount", &p.CachedMsgCount)
	c.i64("cachedMsgMaxOffset", &p.CachedMsgMaxOffset)
	c.i64("cachedMsgMinOffset", &p.CachedMsgMinOffset)
	c.i32("cachedMsgSizeInMiB", &p.CachedMsgSizeInMiB)
	c.i64("commitOffset", &p.CommitOffset)
	if !c.writing { // how Apache's Go client spells it
		c.boolean("dropped", &p.Dropped)
	}
	c.boolean("droped", &p.Dropped)
	c.i64("lastConsumeTimestamp", &p.LastConsumeTimestamp)
	c.i64("lastLockTimestamp", &p.LastLockTimestamp)
	c.i64("lastPullTimestamp", &p.LastPullTimestamp)
	c.boolean("locked", &p.Locked)
	c.i32("transactionMsgCount", &p.TransactionMsgCount)
	c.i64("transactionMsgMaxOffset", &p.TransactionMsgMaxOffset)
	c.i64("transactionMsgMinOffset", &p.TransactionMsgMinOffset)
	c.i64("tryUnlockTimes", &p.TryUnlockTimes)
}

func (p *PopProcessQueueInfo) members(c *codec) {
	c.boolean("droped", &p.Dropped)
	c.i64("lastPopTimestamp", &p.LastPopTimestamp)
	c.i32("waitAckCount", &p.WaitAckCount)
}

func (s *ConsumeStatus) members(c *codec) {
	c.i64("consumeFailedMsgs", &s.ConsumeFailedMsgs)
	c.f64("consumeFailedTPS", &s.ConsumeFailedTPS)
	c.f64("consumeOKTPS", &s.ConsumeOKTPS)
	c.f64("consumeRT", &s.ConsumeRT)
	c.f64("pullRT", &s.PullRT)
	c.f64("pullTPS", &s.PullTPS)
}

// Encode writes b as JSON.
func (b ConsumerRunningInfo) Encode() []byte { return encodeBody(&b) }

// DecodeConsumerRunningInfo reads what a member says of itself.
func DecodeConsumerRunningInfo(data []byte) (ConsumerRunningInfo, error) {
	return decodeBody[ConsumerRunningInfo](data)
}
