package consumer

import (
	"fmt"

	"mqscope/engine/client"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/protocol"
	"mqscope/engine/pull"
)

// delivery takes the answer of one pull, on the connection's goroutine, from bytes to the
// ProcessQueue and the consume threads. It reads nothing that the loop may change.
type delivery struct {
	loop *loop // only its fixed fields: inbox, pool, batches, duplicates, cfg
	pq   *processqueue.Queue
	send pull.Send
	tags map[string]struct{} // exact tags wanted, empty for all
}

func (d *delivery) done(a client.PullAnswer) {
	e := event.PullDone{
		Queue: d.send.Queue, Epoch: d.send.Epoch, Status: a.Status, Offset: d.send.Offset,
		Next: a.Next, Min: a.Min, Max: a.Max, Suggest: a.Suggest, Slave: a.Broker.Slave(),
		Took: a.Took, Code: a.Code, Err: a.Err,
	}
	if a.Status != mq.PullFailed && !e.Slave { // slaves are sent no offset
		e.Commit = d.send.Commit
	}
	if a.Status == mq.Found && !d.pq.Dropped() {
		d.deliver(a, &e)
	} else if a.Owner != nil {
		a.Owner.Release()
	}
	d.loop.inbox.post(e)
}

// deliver decodes the answer's messages and hands them on. A message that can not be decoded
// ends the batch: what stands before it is kept and the next pull starts right behind that.
func (d *delivery) deliver(a client.PullAnswer, e *event.PullDone) {
	b := d.loop.batches.get()
	b.Reset(a.Data, a.Owner)
	b.BrokerName = d.send.Queue.BrokerName
	if d.loop.cfg.Model == mq.Clustering {
		b.RetryTopic = mq.RetryTopic(d.loop.cfg.Group)
	}
	err := protocol.IndexMessages(b, a.OffsetDelta)
	if wrong := cutMisplaced(b, a.Next); wrong != nil {
		err = wrong
	}
	if err != nil && !d.keepPrefix(b, err, e) {
		d.loop.batches.release(b, 1)
		return
	}
	d.loop.inflate(b)
	if err := protocol.UnwrapInner(b, 0); err != nil {
		d.note("an inner batch stays closed: " + err.Error())
	}
	keep := d.filter(b, e)
	added := d.pq.Put(b, keep)
	e.Count, e.Bytes = added.Count, int(added.Bytes)
	d.loop.duplicates.Add(uint64(added.Duplicates))
	if added.Count > 0 {
		d.loop.pool.Submit(d.pq, b, keep)
	}
	d.loop.batches.release(b, 1)
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
func (d *delivery) keepPrefix(b *mq.Batch, err error, e *event.PullDone) bool {
	if b.Len() == 0 {
		e.Status, e.Next = mq.PullFailed, d.send.Offset
		e.Err = &unreadableError{fmt.Errorf("answer for offset %d: %w", d.send.Offset, err)}
		return false
	}
	e.Next = b.At(b.Len()-1).QueueOffset() + 1
	d.note(fmt.Sprintf("answer broken behind offset %d, pulls again from there: %v", e.Next-1, err))
	return true
}

func (d *delivery) note(what string) {
	d.loop.journal.add(event.Entry{At: d.loop.cfg.Clock.Now(), Level: event.Warn, Source: "pull", Queue: d.send.Queue, What: what})
}

// filter returns the messages whose tag is wanted to the letter: a broker matches only the
// hash of the tag (Java: PullAPIWrapper.processPullResult). nil keeps all.
func (d *delivery) filter(b *mq.Batch, e *event.PullDone) []int {
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
	if e.Filtered == 0 {
		return nil
	}
	return keep
}
