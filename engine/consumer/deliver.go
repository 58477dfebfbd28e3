package consumer

import (
	"context"

	"mqscope/engine/client"
	"mqscope/engine/event"
	"mqscope/engine/internal/plant"
	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/pull"
)

// delivery takes the answer of one pull, on the connection's goroutine, from bytes to the
// ProcessQueue and the consume threads. It reads nothing that the loop may change.
type delivery struct {
	decoding
	loop *loop // only its fixed fields: inbox, pool, batches, duplicates
	pq   *processqueue.Queue
	send pull.Send
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

// deliver hands the answer's messages on.
func (d *delivery) deliver(a client.PullAnswer, e *event.PullDone) {
	b, keep := d.decode(a, e)
	if b == nil {
		return
	}
	if hooks := &d.loop.hooks; len(hooks.filter) > 0 {
		f := fetched{done: *e, batch: b, keep: keep}
		hooks.narrow(context.Background(), &d.loop.membership, &f)
		keep, e.Filtered = f.keep, f.done.Filtered
	}
	if plant.DropTail && b.Len() > 1 {
		b.Records = b.Records[:b.Len()-1]
	}
	added := d.pq.Put(b, keep)
	e.Count, e.Bytes = added.Count, int(added.Bytes)
	d.loop.duplicates.Add(uint64(added.Duplicates))
	if added.Count > 0 {
		d.loop.pool.Submit(d.pq, b, keep)
	}
	d.loop.batches.release(b, 1)
}
