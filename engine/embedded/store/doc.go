// Package store keeps what an embedded broker stores: messages, their queues, consume
// offsets and the delay levels, all in memory.
//
// Messages lie as the bytes that go over the wire in one ever-growing log, as in a real
// broker, so that an offset id, a send-back or a query can name a record by its place. A
// queue is an index over that log. The memory of all queues together is bounded: when the
// bound is passed the oldest records go, the queues' smallest offsets move up, and the
// owner is told. Stored bytes are never changed, so a reader may keep a piece of the log
// for as long as it likes.
//
// A Store owns no goroutine, clock or lock: the loop of package embedded is its only user.
// Java counterparts: DefaultMessageStore, CommitLog, ConsumeQueue, ConsumerOffsetManager,
// ScheduleMessageService. Rules about topics, groups and requests are left to embedded.
package store
