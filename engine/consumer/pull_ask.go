package consumer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Ask is one pull with all that may be said about it. A zero field that has a default stands
// for it.
type Ask struct {
	Queue    mq.MessageQueue
	Select   Selector
	Offset   int64         // of the first message wanted, 0 or more
	MaxNums  int           // messages, at least 1
	MaxBytes int           // of the answer, default no limit; brokers of version 5 do not heed it
	Timeout  time.Duration // default PullConfig.Timeout, with Block PullConfig.HoldTimeout
	// Block has the broker hold the pull for at most PullConfig.Hold when there is nothing yet.
	Block bool
}

// PullResult is what a pull brought (Java: PullResult).
type PullResult struct {
	// Status is Found, NoNewMsg, NoMatchedMsg or OffsetIllegal. Found may come without
	// messages: the broker compares hashes of tags, the tags themselves are compared here.
	Status   mq.PullStatus
	Next     int64 // offset to pull from next, whatever the status
	Min, Max int64 // of the queue at the broker
	// Messages are valid until Release; Clone one to keep it.
	Messages []mq.Message

	batch *mq.Batch
	pool  *batchPool
}

// Release gives the bytes of the messages back. It need not be called: they are garbage
// collected then.
func (r *PullResult) Release() {
	if r.batch != nil {
		r.pool.release(r.batch, 1)
	}
	r.batch, r.Messages = nil, nil
}

// Pull asks a broker for messages of q from offset on, n at most, and returns at once what
// there is; with nothing the status says why. Failures, timeouts among them, are errors and
// never an empty result (Java: DefaultMQPullConsumer.pull).
func (p *Pull) Pull(ctx context.Context, q mq.MessageQueue, s Selector, offset int64, n int) (*PullResult, error) {
	return p.Do(ctx, Ask{Queue: q, Select: s, Offset: offset, MaxNums: n})
}

// PullBlockIfNotFound is Pull that has the broker wait for messages, for at most
// PullConfig.Hold (Java: DefaultMQPullConsumer.pullBlockIfNotFound).
func (p *Pull) PullBlockIfNotFound(ctx context.Context, q mq.MessageQueue, s Selector, offset int64, n int) (*PullResult, error) {
	return p.Do(ctx, Ask{Queue: q, Select: s, Offset: offset, MaxNums: n, Block: true})
}

// PullCallback gets the outcome of a pull, one of the two (Java: PullCallback).
type PullCallback func(r *PullResult, err error)

// PullAsync is Pull that returns at once; done is called exactly once, on a goroutine of its
// own, unless there is an error at once.
func (p *Pull) PullAsync(ctx context.Context, q mq.MessageQueue, s Selector, offset int64, n int, done PullCallback) error {
	return p.DoAsync(ctx, Ask{Queue: q, Select: s, Offset: offset, MaxNums: n}, done)
}

// PullBlockIfNotFoundAsync is PullBlockIfNotFound in the manner of PullAsync.
func (p *Pull) PullBlockIfNotFoundAsync(ctx context.Context, q mq.MessageQueue, s Selector, offset int64, n int, done PullCallback) error {
	return p.DoAsync(ctx, Ask{Queue: q, Select: s, Offset: offset, MaxNums: n, Block: true}, done)
}

// Do is Pull or PullBlockIfNotFound with further choices.
func (p *Pull) Do(ctx context.Context, a Ask) (*PullResult, error) {
	a.Queue = p.loop.queue(a.Queue)
	if err := p.loop.await(ctx); err != nil {
		return nil, err
	}
	d, err := p.check(a)
	if err != nil {
		return nil, err
	}
	r, err := p.pull(ctx, a, d)
	if err == nil {
		p.hooks.handedOver(ctx, &p.loop.membership, a.Queue, r.Messages)
	}
	return r, err
}

// DoAsync is PullAsync or PullBlockIfNotFoundAsync with further choices. As in Java consume
// hooks are not called.
func (p *Pull) DoAsync(ctx context.Context, a Ask, done PullCallback) error {
	if done == nil {
		return errors.New("the pull has no callback: give one, or pull synchronously")
	}
	a.Queue = p.loop.queue(a.Queue)
	if err := p.loop.await(ctx); err != nil {
		return err
	}
	d, err := p.check(a)
	if err != nil {
		return err
	}
	taken := p.loop.crew.do("pull callback", func(crewCtx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(crewCtx, cancel)()
		done(p.pull(ctx, a, d))
	})
	if !taken {
		return ErrNotRunning
	}
	return nil
}

// check says what is wrong with a, in the order of DefaultMQPullConsumerImpl.pullSyncImpl.
func (p *Pull) check(a Ask) (protocol.SubscriptionData, error) {
	var none protocol.SubscriptionData
	switch {
	case a.Queue.Topic == "" || a.Queue.BrokerName == "":
		return none, fmt.Errorf("pull from %v: the queue has no topic or no broker", a.Queue)
	case a.Offset < 0:
		return none, fmt.Errorf("pull from %v at %d: offsets start at 0", a.Queue, a.Offset)
	case a.MaxNums <= 0:
		return none, fmt.Errorf("pull from %v: %d messages asked for, at least 1 is allowed", a.Queue, a.MaxNums)
	case a.MaxBytes < 0 || a.MaxBytes > math.MaxInt32 || a.MaxNums > math.MaxInt32:
		return none, fmt.Errorf("pull from %v: %d messages of %d bytes asked for: at most %d of each is allowed", a.Queue, a.MaxNums, a.MaxBytes, math.MaxInt32)
	case a.Timeout < 0:
		return none, fmt.Errorf("pull from %v: the timeout is %v: it can not be negative", a.Queue, a.Timeout)
	}
	if err := p.subscribeAutomatically(a.Queue.Topic); err != nil {
		return none, err
	}
	d, err := a.Select.of(a.Queue.Topic, p.cfg.Clock.Now().UnixMilli())
	if err != nil {
		return none, fmt.Errorf("pull from %v: %w", a.Queue, err)
	}
	return d, nil
}

// pull makes one pull and waits for its outcome. Where no address is known the route is read
// and the pull tried once more (Java: PullAPIWrapper.pullKernelImpl).
func (p *Pull) pull(ctx context.Context, a Ask, d protocol.SubscriptionData) (*PullResult, error) {
	if err := p.knowsSQL(a); err != nil {
		return nil, err
	}
	f, err := p.try(ctx, a, d)
	if err == nil && errors.Is(f.done.Err, client.ErrNoBroker) {
		if err = p.client.RefreshRoutes(ctx, a.Queue.Topic); err != nil {
			return nil, fmt.Errorf("pull from %v: %w", a.Queue, err)
		}
		f, err = p.try(ctx, a, d)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("pull from %v at %d: %w", a.Queue, a.Offset, err)
	case f.done.Status == mq.PullFailed:
		return nil, f.done.Err
	}
	r := &PullResult{
		Status: f.done.Status, Next: f.done.Next, Min: f.done.Min, Max: f.done.Max,
		Messages: f.messages(), batch: f.batch, pool: &p.loop.batches,
	}
	if len(r.Messages) > 0 {
		r.Messages = p.hooks.filtered(ctx, &p.loop.membership, a.Queue, r.Messages)
	}
	return r, nil
}

func (p *Pull) try(ctx context.Context, a Ask, d protocol.SubscriptionData) (fetched, error) {
	flags, timeout, maxBytes := int32(0), p.cfg.Timeout, math.MaxInt32
	if a.Block {
		flags, timeout = protocol.PullSuspend, p.cfg.HoldTimeout
	}
	if a.Timeout > 0 {
		timeout = a.Timeout
	}
	if a.MaxBytes > 0 {
		maxBytes = a.MaxBytes
	}
	h := p.loop.pullHeader(a.Queue, d, a.Offset, a.MaxNums, maxBytes, flags)
	broker := p.suggested(a.Queue)
	p.tellSent(ctx, a, h.SysFlag, broker, int64(timeout))
	p.loop.inbox.post(pullSent{a.Queue, a.Offset, a.Block})
	got, over := make(chan fetched, 1), make(chan struct{})
	p.loop.fetch(a.Queue, 0, broker, d.Tags(), h, timeout, func(f fetched) {
		if f.done.Status != mq.PullFailed {
			p.remember(a.Queue, f.done.Suggest)
		}
		p.tellAnswer(ctx, &f.done)
		p.loop.inbox.post(pullOver{f.done, a.Block})
		got <- f
		close(over)
	})
	switch clock.Wait(ctx, p.cfg.Clock, clock.Waits{First: over, Second: p.loop.over}) {
	case clock.First:
		return <-got, nil
	case clock.Second:
		return fetched{}, ErrNotRunning
	}
	return fetched{}, ctx.Err()
}

// knowsSQL refuses an expression that is no tag where the broker is too old for it, or where no
// heartbeat has told its version yet.
func (p *Pull) knowsSQL(a Ask) error {
	if a.Select.isTag() {
		return nil
	}
	for _, b := range p.client.Brokers() {
		if b.Name == a.Queue.BrokerName && b.Version >= protocol.VersionSQLFilter {
			return nil
		}
	}
	return fmt.Errorf("pull from %v: broker %s can not filter by %s, or has not answered a heartbeat yet", a.Queue, a.Queue.BrokerName, a.Select.Type)
}
