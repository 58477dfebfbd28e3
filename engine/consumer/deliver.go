package consumer

import (
	"context"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/decision"
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
	sent time.Time // by the loop's clock
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
	if a.Status == mq.Found && !d.late() {
		d.deliver(a, &e)
	} else if a.Owner != nil {
		a.Owner.Release()
	}
	d.loop.inbox.post(e)
}

// late tells whether the queue was dropped while the pull was out.
func (d *delivery) late() bool {
	dropped, then := d.pq.Dropped(), decision.Then{}
	if !d.decisions.On() {
		return dropped
	}
	if dropped {
		then.Do = decision.Stop
	}
	d.decisions.Record(&decision.Decision{
		Line: decision.PullLate, Queue: d.queue, Task: d.task, Yes: dropped, N: [6]int64{d.offset}, Then: then,
	})
	return dropped
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
		if d.decisions.On() {
			d.record(decision.PullFiltered, d.queue, d.task, [6]int64{int64(f.done.Filtered - e.Filtered), int64(b.Len() - e.Filtered)}, "the filter hooks")
		}
		keep, e.Filtered = f.keep, f.done.Filtered
	}
	if plant.DropTail && b.Len() > 1 {
		b.Records = b.Records[:b.Len()-1]
	}
	if t := d.loop.messages.Load(); t != nil {
		t.record(d.sent.Add(e.Took), d.pq, b, keep)
	}
	added := d.pq.Put(b, keep)
	e.Count, e.Bytes = added.Count, int(added.Bytes)
	if d.decisions.On() {
		cached, _, _ := d.pq.Load()
		n := [6]int64{int64(added.Count), added.Bytes, e.First, int64(cached), int64(added.Duplicates)}
		d.record(decision.PullPut, d.queue, d.task, n, "")
	}
	d.loop.duplicates.Add(uint64(added.Duplicates))
	if added.Count > 0 {
		d.loop.pool.Submit(d.pq, b, keep)
	}
	d.loop.batches.release(b, 1)
}
