package consumer_test

import (
	"context"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/ledger"
	"mqscope/engine/mq"
)

// books are the ledger of the group in a world.
type books struct {
	*ledger.Ledger
	w *world
}

// ledger begins to keep books of what the world's members do, but for orderly ones.
func (w *world) ledger() *books {
	w.books = w.newBooks(false)
	return w.books
}

// orderBook begins to keep books of orderly members, those that join with them.
func (w *world) orderBook() *books { return w.newBooks(true) }

func (w *world) newBooks(orderly bool) *books {
	b := &books{w: w, Ledger: ledger.New(ledger.Config{Group: group, Topics: []string{topic}, Orderly: orderly, Keep: orderly})}
	b.Watch(w.cluster)
	return b
}

// check is for the end, when all is quiet. It returns how many messages came again.
func (b *books) check() int {
	b.w.t.Helper()
	faults, r := b.Verdict(time.Now())
	for _, f := range faults {
		b.w.t.Error(f)
	}
	return int(r.Repeated + r.Retried)
}

// once is check for a test in which nothing may come again.
func (b *books) once() {
	b.w.t.Helper()
	if n := b.check(); n != 0 {
		b.w.t.Errorf("%d messages were delivered again", n)
	}
}

// checkSoFar is check for a test that ends before everything was consumed.
func (b *books) checkSoFar() {
	b.w.t.Helper()
	for _, f := range b.Faults() {
		b.w.t.Error(f)
	}
}

// succeeded is how many messages of the topic are done.
func (b *books) succeeded() int64 { return b.Resolved(topic) }

// orderCall is one call of a listener.
type orderCall struct {
	Member string
	Queue  mq.MessageQueue
	Offset int64 // the first
	At     time.Time
}

func (b *books) calls() (list []orderCall) {
	for _, s := range b.Starts() {
		list = append(list, orderCall{s.Member, s.Queue, s.Messages[0].Offset, s.At})
	}
	return list
}

func (b *books) callsOf(q mq.MessageQueue) (list []orderCall) {
	for _, c := range b.calls() {
		if c.Queue == q {
			list = append(list, c)
		}
	}
	return list
}

// got are the offsets of a queue in the order that members got them.
func (b *books) got(q mq.MessageQueue) []int64 {
	list := []int64{}
	for _, c := range b.callsOf(q) {
		list = append(list, c.Offset)
	}
	return list
}

// listens is answer for one message, nil is success, entered in the books if there are any.
func (b *books) listens(ctx context.Context, member string, m mq.Message, c *consume.Context, answer listen) consume.Status {
	if answer == nil {
		answer = takes(0)
	}
	if b == nil {
		return answer(ctx, m, c)
	}
	h := b.Begin(member, c.Queue, []mq.Message{m})
	if h == nil {
		return consume.ReconsumeLater
	}
	s, done := consume.ReconsumeLater, 0
	defer func() { h.End(done) }() // after a panic and a Goexit too
	if s = answer(ctx, m, c); s == consume.Success {
		done = 1
	}
	return s
}

// ordered is what a member's listener answers for a batch; nil is success.
type ordered func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus

// joinInOrder starts an orderly member whose calls are kept in the books.
func (w *world) joinInOrder(id string, b *books, answer ordered, change ...func(*consumer.Config)) *member {
	w.t.Helper()
	orderly := func(c *consumer.Config) {
		c.Orderly, c.Listener = true, nil
		c.OrderlyListener = func(ctx context.Context, msgs []mq.Message, c *consume.OrderlyContext) consume.OrderlyStatus {
			h := b.Begin(id, c.Queue, msgs)
			if h == nil {
				return consume.SuspendCurrentQueueAMoment
			}
			s := consume.OrderlySuccess
			if answer != nil {
				s = answer(ctx, msgs, c)
			}
			done := 0
			if s == consume.OrderlySuccess || s == consume.Commit {
				done = len(msgs)
			}
			h.End(done)
			return s
		}
	}
	return w.join(id, nil, append([]func(*consumer.Config){orderly}, change...)...)
}
