package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// handing is one message in the hands of one member.
type handing struct {
	member     string
	java       bool
	queue      int
	offset     int64
	begin, end time.Time
}

// handings are those of our members, as they come.
type handings struct {
	mu   sync.Mutex
	list []handing
}

// inOrder has a member of ours consume in order and take work for each message.
func (h *handings) inOrder(id string, work time.Duration) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Consumer.Listener = nil
		c.Consumer.Orderly = true
		c.Consumer.OrderlyListener = func(_ context.Context, msgs []mq.Message, ctx *consume.OrderlyContext) consume.OrderlyStatus {
			for _, m := range msgs {
				one := handing{member: id, queue: int(ctx.Queue.QueueID), offset: m.QueueOffset(), begin: time.Now()}
				time.Sleep(work)
				one.end = time.Now()
				h.mu.Lock()
				h.list = append(h.list, one)
				h.mu.Unlock()
			}
			return consume.OrderlySuccess
		}
	}
}

func (h *handings) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.list)
}

// TestApacheOrderlyMembersOursAndJavas has our members and one of Apache's consume a topic in
// order on Apache's broker while members join, leave and die. The ledger has what each of
// them was given, and when: of each queue everything, in the order of the store, and never
// two messages at once.
func TestApacheOrderlyMembersOursAndJavas(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	const topic, group, count, queues = "mqscope_orderly", "mqscope_orderly", 10_000, 16
	const work = 15 * time.Millisecond
	if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, Count: count, Queues: queues, Batch: 16}); err != nil {
		t.Fatal(err)
	}
	ours := &handings{}
	join := func(name string) *ourMember {
		id := "127.0.0.1@" + name
		return joinApache(t, c, group, topic, id, nil, ours.inOrder(id, work))
	}
	a := join("orderly-a")
	var java *apachetest.JavaConsumer
	consumed := func() int {
		n := ours.count()
		if java != nil {
			seen, _ := java.Wait(ctx, func(apachetest.Seen) bool { return true })
			n += len(seen.Received)
		}
		return n
	}
	reach := func(n int) {
		t.Helper()
		a.until(fmt.Sprintf("%d of %d messages", n, count), func(*snapshot.Snapshot) bool { return consumed() >= n })
	}
	reach(500)
	b := join("orderly-b")
	reach(1_500)
	java, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic, Orderly: true, IDs: true, Work: work})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := java.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Locked) >= 5 && len(s.Received) > 200 })
	if err != nil {
		t.Fatal(err)
	}
	reach(4_500)
	b.leave()
	reach(6_000)
	b2 := join("orderly-b2")
	reach(7_500)
	java.Kill() // its locks stay for a minute
	killed := time.Now()
	for _, m := range []*ourMember{a, b2} {
		m.until("half of the queues, consumed and committed", func(s *snapshot.Snapshot) bool {
			return len(ownedOf(s, topic)) == queues/2 && committedOf(s, topic) == count/2
		})
	}
	seen, err = java.Wait(ctx, func(s apachetest.Seen) bool { return s.Ended })
	if err != nil {
		t.Fatal(err)
	}
	list := ours.list
	for _, m := range seen.Received {
		list = append(list, handing{"java", true, m.Queue, m.Offset, m.At.Add(-work), m.At})
	}
	checkHandings(t, list, queues, count/queues, killed)
}

// committedOf sums what is committed of our queues of a topic.
func committedOf(s *snapshot.Snapshot, topic string) (n int) {
	for _, q := range s.Queues {
		if q.ID.Topic == topic && q.Mine && q.State == snapshot.Pulling && q.Committed.OK() {
			n += int(q.Committed.V)
		}
	}
	return n
}

// checkHandings checks the ledger of each queue, which has perQueue messages.
func checkHandings(t *testing.T, list []handing, queues int, perQueue int64, killed time.Time) {
	t.Helper()
	const tick = 3 * time.Millisecond // the Java member's times are whole milliseconds
	repeated, moves, byJava := 0, 0, 0
	for queue := range queues {
		mine := slices.DeleteFunc(slices.Clone(list), func(h handing) bool { return h.queue != queue })
		slices.SortStableFunc(mine, func(x, y handing) int { return cmp.Or(x.begin.Compare(y.begin), x.end.Compare(y.end)) })
		next := int64(0)
		for i, h := range mine {
			if h.java {
				byJava++
			}
			if h.offset > next {
				t.Errorf("queue %d: %s got %d before %d was consumed", queue, h.member, h.offset, next)
			}
			if h.offset < next {
				repeated++
			}
			next = max(next, h.offset+1)
			if i == 0 {
				continue
			}
			last := mine[i-1]
			if h.begin.Before(last.end.Add(-tick)) {
				t.Errorf("queue %d: %s had %d until %s, %s got %d at %s", queue, last.member, last.offset, last.end.Format("05.000"), h.member, h.offset, h.begin.Format("05.000"))
			}
			switch {
			case last.member == h.member && h.offset != last.offset+1:
				t.Errorf("queue %d: %s got %d after %d", queue, h.member, h.offset, last.offset)
			case last.member != h.member:
				moves++
				// Ours commit before they give a queue up; Apache's, and one that dies, may not.
				if !last.java && h.offset != last.offset+1 {
					t.Errorf("queue %d: %s begins at %d, %s had come to %d", queue, h.member, h.offset, last.member, last.offset)
				}
			}
		}
		if next != perQueue {
			t.Errorf("queue %d: consumed up to %d of %d", queue, next, perQueue)
		}
	}
	if moves < queues || byJava == 0 {
		t.Errorf("queues moved %d times and the Java member got %d messages: the test shows too little", moves, byJava)
	}
	t.Logf("queues changed hands %d times, the Java member got %d messages, %d messages came again; killed at %s", moves, byJava, repeated, killed.Format("15:04:05"))
}
