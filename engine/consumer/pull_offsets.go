package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
)

// FetchConsumeOffset returns the offset that the group has of q. From the store its broker is
// asked (a broadcasting consumer's file); else memory counts, and the store only if that has
// nothing. found is false when there is none, which Java says by -1; what Java says by -2 is an
// error. What the store has is kept in memory (Java: RemoteBrokerOffsetStore.readOffset).
func (p *Pull) FetchConsumeOffset(ctx context.Context, q mq.MessageQueue, fromStore bool) (at int64, found bool, err error) {
	q = p.loop.queue(q)
	was, err := p.loop.remembered(ctx, q)
	if err != nil || !fromStore && was >= 0 {
		p.tellFetched(ctx, q, "memory", was, true, err)
		return was, err == nil, err
	}
	at, found, err = p.loop.stored(ctx, q)
	p.tellFetched(ctx, q, "the store", at, found, err)
	if err != nil || !found {
		return 0, false, err
	}
	return at, true, p.loop.do(ctx, func(now time.Time) {
		if p.loop.offsets.Read(q) != was { // what the application set meanwhile is newer
			return
		}
		p.loop.offsetStep(now, offset.Advanced{Queue: q, Offset: at})
		if o := p.loop.queues[q]; o != nil {
			p.loop.committed(now, o, at)
		}
	})
}

// UpdateConsumeOffset sets the offset of q in memory, backwards too. It is sent with the next
// of the sendings every PersistInterval, or by Persist; of a queue that is not ours by Persist
// alone.
func (p *Pull) UpdateConsumeOffset(ctx context.Context, q mq.MessageQueue, at int64) error {
	q = p.loop.queue(q)
	if at < 0 {
		return fmt.Errorf("offset %d of %v: offsets start at 0", at, q)
	}
	return p.loop.do(ctx, func(now time.Time) {
		if l := p.loop; l.decisions.On() {
			l.record(decision.TaskUpdateOffset, q, taskIn(ctx, q), [6]int64{l.offsets.Read(q), at}, "")
		}
		p.loop.offsetStep(now, offset.Advanced{Queue: q, Offset: at})
		if p.loop.queues[q] == nil {
			p.loop.loose[q] = true
		}
	})
}

// UpdateConsumeOffsetToBroker commits an offset at the broker of q now; unless oneWay, it waits
// for the answer. Memory stays as it is.
func (p *Pull) UpdateConsumeOffsetToBroker(ctx context.Context, q mq.MessageQueue, at int64, oneWay bool) error {
	q = p.loop.queue(q)
	if at < 0 {
		return fmt.Errorf("offset %d of %v: offsets start at 0", at, q)
	}
	if p.cfg.Model == mq.Broadcasting {
		return nil // brokers keep no offsets of it (Java: LocalFileOffsetStore)
	}
	if oneWay {
		return p.client.CommitOffset(p.cfg.Group, q, at)
	}
	return p.client.CommitOffsetSync(ctx, p.cfg.Group, q, at)
}

// Persist sends the offset of q that is in memory to its broker, one-way; a broadcasting
// consumer's goes to its file.
func (p *Pull) Persist(ctx context.Context, q mq.MessageQueue) error {
	q = p.loop.queue(q)
	result := make(chan error, 1)
	err := p.loop.do(ctx, func(now time.Time) { result <- p.loop.persist(now, q) })
	if err != nil {
		return err
	}
	return <-result
}

// persist sends the offset of one queue whatever was sent before.
func (l *onDemand) persist(now time.Time, q mq.MessageQueue) error {
	delete(l.loose, q)
	if l.file != nil {
		l.offsetStep(now, offset.PersistQueue{Queue: q})
		return nil
	}
	at := l.offsets.Read(q)
	if at < 0 {
		return nil
	}
	err := l.client.CommitOffset(l.group, q, at)
	l.offsetSent(now, event.OffsetSent{Queue: q, Offset: at, Err: err})
	return err
}

// remembered is the offset of q in memory, offset.None for none.
func (l *onDemand) remembered(ctx context.Context, q mq.MessageQueue) (int64, error) {
	got := make(chan int64, 1)
	if err := l.do(ctx, func(time.Time) { got <- l.offsets.Read(q) }); err != nil {
		return 0, err
	}
	return <-got, nil
}

// stored is the offset of q that its broker has, or the file.
func (l *onDemand) stored(ctx context.Context, q mq.MessageQueue) (at int64, found bool, err error) {
	if l.cfg.Model != mq.Broadcasting {
		return l.client.QueryOffset(ctx, l.group, q)
	}
	got := make(chan event.OffsetRead, 1)
	err = l.do(ctx, func(time.Time) {
		var e event.OffsetRead
		e.Offset, e.Found, e.Err = l.file.store.Stored(q)
		got <- e
	})
	if err != nil {
		return 0, false, err
	}
	e := <-got
	return e.Offset, e.Found, e.Err
}

// MaxOffset is the offset that the next message of q will get.
func (p *Pull) MaxOffset(ctx context.Context, q mq.MessageQueue) (int64, error) {
	q = p.loop.queue(q)
	if err := p.loop.await(ctx); err != nil {
		return 0, err
	}
	return p.client.MaxOffset(ctx, q)
}

// MinOffset is the first offset of q that is still stored.
func (p *Pull) MinOffset(ctx context.Context, q mq.MessageQueue) (int64, error) {
	q = p.loop.queue(q)
	if err := p.loop.await(ctx); err != nil {
		return 0, err
	}
	return p.client.MinOffset(ctx, q)
}

// SearchOffset is the first offset of q that was stored at t or later.
func (p *Pull) SearchOffset(ctx context.Context, q mq.MessageQueue, t time.Time) (int64, error) {
	q = p.loop.queue(q)
	if err := p.loop.await(ctx); err != nil {
		return 0, err
	}
	return p.client.SearchOffset(ctx, q, t)
}

// EarliestMsgStoreTime is when the first message of q that is still there was stored.
func (p *Pull) EarliestMsgStoreTime(ctx context.Context, q mq.MessageQueue) (time.Time, error) {
	q = p.loop.queue(q)
	if err := p.loop.await(ctx); err != nil {
		return time.Time{}, err
	}
	return p.client.EarliestStoreTime(ctx, q)
}

// ViewMessage finds a message by its offset id or unique id: see client.Instance.ViewMessage.
func (p *Pull) ViewMessage(ctx context.Context, topic, id string) (mq.Message, error) {
	if err := p.loop.await(ctx); err != nil {
		return mq.Message{}, err
	}
	return p.client.ViewMessage(ctx, p.loop.topic(topic), id)
}

// QueryMessage finds up to n messages by a key, stored between begin and end.
func (p *Pull) QueryMessage(ctx context.Context, topic, key string, n int, begin, end time.Time) ([]mq.Message, error) {
	if err := p.loop.await(ctx); err != nil {
		return nil, err
	}
	return p.client.QueryMessages(ctx, p.loop.topic(topic), key, n, begin, end)
}
