package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/remoting"
)

// orderBook keeps books of orderly members: who had which message of a queue, and when. Two
// calls of one queue at once are a fault, whoever makes them, and so is a message that is
// handed over before all earlier ones succeeded. The offsets that brokers are told are the
// ledger's matter.
type orderBook struct {
	*ledger

	omu   sync.Mutex
	lanes map[mq.MessageQueue]*orderLane
	dead  map[string]bool // members that were killed: what they do does not count
	calls []orderCall
}

type orderLane struct {
	member string // with the listener now, "" for none
	next   int64  // lowest that did not succeed
	last   string // member of the last call
	from   int64  // offset of that member's first call in a row
	at     int64  // highest offset of it so far
}

type orderCall struct {
	Member string
	Queue  mq.MessageQueue
	Offset int64
	At     time.Time
}

func (w *world) orderBook() *orderBook {
	return &orderBook{ledger: w.ledger(), lanes: map[mq.MessageQueue]*orderLane{}, dead: map[string]bool{}}
}

// ordered is what a member's listener answers for a batch; nil is success.
type ordered func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus

// joinInOrder starts an orderly member whose calls are kept in the book.
func (w *world) joinInOrder(id string, book *orderBook, answer ordered, change ...func(*consumer.Config)) *member {
	w.t.Helper()
	orderly := func(c *consumer.Config) {
		c.Orderly, c.Listener = true, nil
		c.OrderlyListener = func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			return book.call(ctx, id, msgs, c, answer)
		}
	}
	return w.join(id, nil, append([]func(*consumer.Config){orderly}, change...)...)
}

func (b *orderBook) call(ctx context.Context, id string, msgs []mq.Message, c *consume.OrderlyContext, answer ordered) consume.OrderlyStatus {
	first, last := msgs[0].QueueOffset(), msgs[len(msgs)-1].QueueOffset()
	if !b.begin(id, c.Queue, first, len(msgs)) {
		return consume.SuspendCurrentQueueAMoment
	}
	s := consume.OrderlySuccess
	if answer != nil {
		s = answer(ctx, msgs, c)
	}
	b.end(id, c.Queue, first, last, s == consume.OrderlySuccess || s == consume.Commit)
	return s
}

func (b *orderBook) lane(q mq.MessageQueue) *orderLane {
	l := b.lanes[q]
	if l == nil {
		l = &orderLane{}
		b.lanes[q] = l
	}
	return l
}

// begin notes a call; false when a dead member makes it.
func (b *orderBook) begin(id string, q mq.MessageQueue, offset int64, n int) bool {
	b.omu.Lock()
	defer b.omu.Unlock()
	if b.dead[id] {
		return false
	}
	l := b.lane(q)
	switch {
	case l.member != "":
		b.wrong("%v: %s gets %d while %s is at it", q, id, offset, l.member)
	case offset > l.next:
		b.wrong("%v: %s gets %d before %d succeeded", q, id, offset, l.next)
	case l.last == id && offset < l.at:
		b.wrong("%v: %s gets %d again after %d", q, id, offset, l.at)
	}
	if l.last != id {
		l.last, l.from, l.at = id, offset, offset
	}
	l.member, l.at = id, max(l.at, offset)
	b.calls = append(b.calls, orderCall{id, q, offset, time.Now()})
	b.mu.Lock()
	b.book(q).starts += n
	b.mu.Unlock()
	return true
}

func (b *orderBook) end(id string, q mq.MessageQueue, first, last int64, good bool) {
	b.omu.Lock()
	defer b.omu.Unlock()
	if b.dead[id] {
		return
	}
	l := b.lane(q)
	if l.member == id {
		l.member = ""
	}
	if !good {
		return
	}
	l.next = max(l.next, last+1)
	b.mu.Lock()
	defer b.mu.Unlock()
	for off := first; off <= last; off++ {
		b.resolve(q, off)
	}
}

func (b *orderBook) wrong(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault(format, args...)
}

// again lets a member begin a queue anew from an earlier offset, as after a lost lock.
func (b *orderBook) again() {
	b.omu.Lock()
	defer b.omu.Unlock()
	for _, l := range b.lanes {
		l.last = ""
	}
}

// kill makes nothing count any more that a member does.
func (b *orderBook) kill(id string) {
	b.omu.Lock()
	defer b.omu.Unlock()
	b.dead[id] = true
	for _, l := range b.lanes {
		if l.member == id {
			l.member = ""
		}
	}
}

// got are the offsets of a queue in the order that members got them.
func (b *orderBook) got(q mq.MessageQueue) []int64 {
	list := []int64{}
	for _, c := range b.callsOf(q) {
		list = append(list, c.Offset)
	}
	return list
}

func (b *orderBook) callsOf(q mq.MessageQueue) []orderCall {
	b.omu.Lock()
	defer b.omu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.calls), func(c orderCall) bool { return c.Queue != q })
}

// succeeded is how many messages of the topic succeeded.
func (b *orderBook) succeeded() (n int64) {
	b.omu.Lock()
	defer b.omu.Unlock()
	for q, l := range b.lanes {
		if q.Topic == topic {
			n += l.next
		}
	}
	return n
}

// checkSoFar is check for a test that ends before everything was consumed.
func (b *orderBook) checkSoFar() {
	b.w.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.w.t.Error(f)
	}
}

// inOrder is a listener that succeeds after d.
func inOrder(d time.Duration) ordered {
	return func(context.Context, []mq.Message, *consume.OrderlyContext) consume.OrderlyStatus {
		time.Sleep(d)
		return consume.OrderlySuccess
	}
}

// locker is a client of the group that is no member, to take locks away.
func (w *world) locker(id string) *client.Instance {
	i := w.instance(id, w.net.Dial)
	go func() { _ = i.Run(w.ctx) }()
	<-i.Ready()
	return i
}

func (w *world) take(i *client.Instance, queues ...mq.MessageQueue) []mq.MessageQueue {
	w.t.Helper()
	got, err := i.LockBatch(w.ctx, group, queues[0].BrokerName, queues)
	if err != nil {
		w.t.Fatal(fmt.Errorf("take locks: %w", err))
	}
	return got
}

func seq(from, to int64) []int64 {
	list := []int64{}
	for off := from; off < to; off++ {
		list = append(list, off)
	}
	return list
}

type remotingCommand = remoting.Command

func command(body []byte) *remoting.Command { return &remoting.Command{Body: body} }
