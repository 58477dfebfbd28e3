package consumer_test

import (
	"context"
	"fmt"
	"sync"

	"mqscope/engine/consume"
	"mqscope/engine/embedded"
	"mqscope/engine/embedded/store"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// ledger keeps books outside the engine: which messages listeners and brokers said are
// resolved, and which offsets brokers were told. A commit that lies beyond a message which
// was not resolved when it arrived is a fault at once.
type ledger struct {
	w *world

	mu      sync.Mutex
	books   map[mq.MessageQueue]*book
	failing map[place]entry // given back by a listener, its broker does not have it yet
	faults  []string
	commits int
}

type (
	place struct { // of a stored message
		broker   string
		physical int64
	}
	entry struct {
		queue  mq.MessageQueue
		offset int64
	}
	book struct {
		resolved map[int64]bool
		lowest   int64 // all before it are resolved
		starts   int
	}
)

// ledger begins to keep books of a group that starts at offset 0 of each queue.
func (w *world) ledger() *ledger {
	l := &ledger{w: w, books: map[mq.MessageQueue]*book{}, failing: map[place]entry{}}
	for _, code := range []protocol.RequestCode{protocol.UpdateConsumerOffset, protocol.PullMessage} {
		w.onCode(code, func(r *embedded.Request) embedded.Verdict {
			if q := requestOf(r); q.Commit >= 0 {
				l.committed(q)
			}
			return embedded.Pass
		})
	}
	w.onCode(protocol.ConsumerSendMsgBack, func(r *embedded.Request) embedded.Verdict {
		var h protocol.ConsumerSendMsgBackRequest
		if err := protocol.Decode(r.Cmd.Fields, &h); err != nil {
			w.t.Error(err)
		}
		at := place{r.Broker, h.Offset}
		return embedded.Edit(func(resp *remoting.Command) {
			if resp.Code == 0 {
				l.sentBack(at)
			}
		})
	})
	return l
}

// listener keeps the books of what answer says; nil is success.
func (l *ledger) listener(answer listen) listen {
	return func(ctx context.Context, m mq.Message, c *consume.Context) consume.Status {
		l.mu.Lock()
		l.book(c.Queue).starts++
		l.mu.Unlock()
		s := consume.Success
		if answer != nil {
			s = answer(ctx, m, c)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if s == consume.Success {
			l.resolve(c.Queue, m.QueueOffset())
		} else {
			l.failing[place{c.Queue.BrokerName, m.PhysicalOffset()}] = entry{c.Queue, m.QueueOffset()}
		}
		return s
	}
}

func (l *ledger) sentBack(at place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.failing[at]; ok {
		l.resolve(e.queue, e.offset)
	}
}

// book returns the book of a queue; l.mu is held, as in the next two.
func (l *ledger) book(q mq.MessageQueue) *book {
	b := l.books[q]
	if b == nil {
		b = &book{resolved: map[int64]bool{}}
		l.books[q] = b
	}
	return b
}

func (l *ledger) resolve(q mq.MessageQueue, offset int64) {
	b := l.book(q)
	b.resolved[offset] = true
	for b.resolved[b.lowest] {
		b.lowest++
	}
}

func (l *ledger) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// committed is check 3 of the ledger, at the moment that the broker takes the offset.
func (l *ledger) committed(r request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commits++
	if b := l.book(r.Queue); r.Commit > b.lowest {
		l.fault("%v: %d was committed while %d was not resolved", r.Queue, r.Commit, b.lowest)
	}
}

// check is for the end, when all is quiet: every stored message was resolved, what was
// resolved is stored, and no commit went too far. It returns the deliveries beyond the first.
func (l *ledger) check() (repeated int) {
	l.w.t.Helper()
	stored := map[mq.MessageQueue]int64{}
	for _, broker := range l.w.brokers {
		l.w.on(broker, func(b *embedded.Broker) {
			for _, name := range []string{topic, mq.RetryTopic(group)} {
				for _, q := range b.Store.Queues(name) {
					_, stored[mq.MessageQueue{Topic: name, BrokerName: broker, QueueID: q.ID}] = store.Bounds(q)
				}
			}
		})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for q, n := range stored {
		if b := l.book(q); b.lowest != n {
			l.fault("%v: %d of %d messages in a row were resolved", q, b.lowest, n)
		}
	}
	for q, b := range l.books {
		if int64(len(b.resolved)) > stored[q] {
			l.fault("%v: %d messages resolved, %d stored", q, len(b.resolved), stored[q])
		}
		repeated += b.starts - len(b.resolved)
	}
	if l.commits == 0 {
		l.fault("no commit was seen")
	}
	for i, f := range l.faults {
		if i == 10 {
			l.w.t.Errorf("and %d more", len(l.faults)-i)
			break
		}
		l.w.t.Error(f)
	}
	return repeated
}
