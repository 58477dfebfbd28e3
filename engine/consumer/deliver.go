package consumer

import (
	"errors"
	"fmt"
	"sync"

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
	loop *loop // only its fixed fields: inbox, pool, batches, cfg
	pq   *processqueue.Queue
	send pull.Send
	tags map[string]struct{} // exact tags wanted, empty for all
}

// unreadableError says that no message of an answer could be decoded.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }
func (e *unreadableError) Unwrap() error { return e.err }

func isUnreadable(err error) bool {
	_, ok := errors.AsType[*unreadableError](err)
	return ok
}

func (d *delivery) done(a client.PullAnswer) {
	e := event.PullDone{
		Queue: d.send.Queue, Epoch: d.send.Epoch, Status: a.Status, Offset: d.send.Offset,
		Next: a.Next, Min: a.Min, Max: a.Max, Suggest: a.Suggest, Took: a.Took, Code: a.Code, Err: a.Err,
	}
	if a.Status != mq.PullFailed {
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
	if err == nil && b.Len() == 0 {
		err = errors.New("answer FOUND brought no message")
	}
	if err != nil && !d.keepPrefix(b, err, e) {
		d.loop.batches.release(b, 1)
		return
	}
	d.loop.inflate(b)
	keep := d.filter(b, e)
	added := d.pq.Put(b, keep)
	e.Count, e.Bytes = added.Count, int(added.Bytes)
	if added.Count > 0 {
		d.loop.pool.Submit(d.pq, b, keep)
	}
	d.loop.batches.release(b, 1)
}

// keepPrefix deals with an answer whose end, or whole, can not be decoded.
func (d *delivery) keepPrefix(b *mq.Batch, err error, e *event.PullDone) bool {
	if b.Len() == 0 {
		e.Status, e.Next = mq.PullFailed, d.send.Offset
		e.Err = &unreadableError{fmt.Errorf("answer for offset %d: %w", d.send.Offset, err)}
		return false
	}
	e.Next = b.At(b.Len()-1).QueueOffset() + 1
	d.loop.journal.add(event.Entry{
		At: d.loop.cfg.Clock.Now(), Level: event.Warn, Source: "pull", Queue: d.send.Queue,
		What: fmt.Sprintf("answer broken behind offset %d, pulls again from there: %v", e.Next-1, err),
	})
	return true
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

// batchPool keeps batches whose messages are all resolved, with the capacity of their index.
type batchPool struct{ pool sync.Pool }

func (p *batchPool) get() *mq.Batch {
	if b, ok := p.pool.Get().(*mq.Batch); ok {
		return b
	}
	return new(mq.Batch)
}

// release gives up the puller's own reference.
func (p *batchPool) release(b *mq.Batch, n int) {
	if b.Release(n) {
		p.put(b)
	}
}

// put takes back a batch that nobody refers to any more.
func (p *batchPool) put(b *mq.Batch) { p.pool.Put(b) }

func (l *loop) inflate(b *mq.Batch) { l.inflater.InflateBatch(b) }
