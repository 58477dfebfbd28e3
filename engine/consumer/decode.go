package consumer

import (
	"fmt"

	"mqscope/engine/client"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// decoding turns the answer of one pull into messages, off the loop: of the membership it
// uses only what is fixed or may be called from anywhere.
type decoding struct {
	*membership
	queue      mq.MessageQueue
	offset     int64               // that was asked for
	tags       map[string]struct{} // exact tags wanted, empty for all
	task       uint64
	retryTopic string // whose messages show the topic that they came from
}

// decode returns the messages of an answer that brought some, and which of them are wanted; nil
// is all. The caller owns the one reference of the batch. What can not be decoded ends the
// batch: what stands before it is kept and the next pull starts right behind that. Without a
// batch e says why.
func (d *decoding) decode(a client.PullAnswer, e *event.PullDone) (b *mq.Batch, keep []int) {
	b = d.batches.get()
	if plant.ReuseBufferEarly && a.Owner != nil {
		a.Owner.Release()
		a.Owner = nil
	}
	b.Reset(a.Data, a.Owner)
	b.BrokerName, b.RetryTopic, b.Namespace = d.queue.BrokerName, d.retryTopic, d.namespace
	b.MinOffset, b.MaxOffset = a.Min, a.Max
	err := protocol.IndexMessages(b, a.OffsetDelta)
	if wrong := cutMisplaced(b, a.Next); wrong != nil {
		err = wrong
	}
	if err != nil && !d.keepPrefix(b, err, e) {
		d.batches.release(b, 1)
		return nil, nil
	}
	d.inflate(b)
	if err := protocol.UnwrapInner(b, 0); err != nil {
		d.note("an inner batch stays closed: " + err.Error())
	}
	if b.Len() > 0 {
		e.Stored = b.At(0).StoreTime()
	}
	keep = d.filter(b, e)
	switch {
	case keep == nil && b.Len() > 0:
		e.First = b.At(0).QueueOffset()
	case len(keep) > 0:
		e.First = b.At(keep[0]).QueueOffset()
	}
	return b, keep
}

// cutMisplaced keeps the messages before the first whose offset the answer itself denies:
// below 0, or not before next. Kept, it would let the committed offset pass messages that
// nobody has seen.
func cutMisplaced(b *mq.Batch, next int64) error {
	for i := range b.Records {
		if at := b.Records[i].QueueOffset; at < 0 || at >= next {
			b.Records = b.Records[:i]
			return fmt.Errorf("a message says that its offset is %d, the answer says that the next one is %d", at, next)
		}
	}
	return nil
}

// keepPrefix deals with an answer whose end, or whole, can not be decoded.
func (d *decoding) keepPrefix(b *mq.Batch, err error, e *event.PullDone) bool {
	e.Next = d.offset
	if b.Len() > 0 {
		e.Next = b.At(b.Len()-1).QueueOffset() + 1
	}
	if d.decisions.On() {
		d.record(decision.PullCut, d.queue, d.task, [6]int64{int64(b.Len()), e.Next}, err.Error())
	}
	if b.Len() == 0 {
		e.Status = mq.PullFailed
		e.Err = &unreadableError{fmt.Errorf("answer for offset %d: %w", d.offset, err)}
		return false
	}
	d.note(fmt.Sprintf("answer broken behind offset %d, pulls again from there: %v", e.Next-1, err))
	return true
}

func (d *decoding) note(what string) {
	d.tell(event.Entry{Level: event.Warn, Source: "pull", Queue: d.queue, What: what})
}

// filter returns the messages whose tag is wanted to the letter: a broker matches only the
// hash of the tag (Java: PullAPIWrapper.processPullResult). nil keeps all.
func (d *decoding) filter(b *mq.Batch, e *event.PullDone) []int {
	if len(d.tags) == 0 {
		return nil
	}
	keep := make([]int, 0, b.Len())
	for i := range b.Len() {
		if b.At(i).HasTag(d.tags) {
			keep = append(keep, i)
		}
	}
	e.Filtered = b.Len() - len(keep)
	if d.decisions.On() {
		d.record(decision.PullFiltered, d.queue, d.task, [6]int64{int64(e.Filtered), int64(b.Len())}, "the tags")
	}
	if e.Filtered == 0 {
		return nil
	}
	return keep
}
