package consumer

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/lifecycle"
	"mqscope/engine/mq"
)

// abandonAfter is how long a listener may go on after its context has ended.
const abandonAfter = 2 * time.Second

// HungError says that a listener did not return although its context had ended: its
// goroutine is left behind, and its messages will be delivered again.
type HungError struct {
	Queue     mq.MessageQueue
	Offset    int64         // of the first message that it has
	Age       time.Duration // of the call
	Listeners int           // that hang, this one the longest
}

// Error names the message that holds the listener up.
func (e *HungError) Error() string {
	return fmt.Sprintf("%d listeners did not return: one has offset %d of %s on %s queue %d for %v and ignores the end of its context",
		e.Listeners, e.Offset, e.Queue.Topic, e.Queue.BrokerName, e.Queue.QueueID, e.Age.Round(time.Millisecond))
}

// threads is the consume threads from their start to their end, which no listener can hold up
// for ever.
type threads struct {
	clock  clock.Clock
	pool   service
	failed context.Context //nolint:containedctx // ends, with its cause, when a thread has failed
	stop   context.CancelFunc
	gone   chan struct{} // closed when all have returned; err is theirs then
	err    error
}

func startThreads(ctx context.Context, c clock.Clock, pool service) *threads {
	ctx, stop := context.WithCancel(ctx)
	t := &threads{clock: c, pool: pool, stop: stop, gone: make(chan struct{})}
	g, failed := lifecycle.NewGroup(ctx)
	t.failed = failed
	g.Go("consume threads", pool.Run)
	// Whoever waits for the threads may give up; this one can not.
	watch, _ := lifecycle.NewGroup(ctx)
	watch.Go("end of consume threads", func(context.Context) error {
		t.err = g.Wait()
		close(t.gone)
		return nil
	})
	return t
}

// end waits, as long as ctx lasts, for the threads to return after stop. An error that is a
// *HungError names the listener that does not.
func (t *threads) end(ctx context.Context) error {
	t.stop()
	if clock.Wait(ctx, t.clock, clock.Waits{First: t.gone}) == clock.First {
		return t.err
	}
	s := t.pool.Stats().Threads
	return &HungError{Queue: s.OldestOn, Offset: s.OldestAt, Age: s.Oldest, Listeners: s.Busy}
}
