package consume

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
)

// TestS2ConsumeRequest: one call of a listener and what each outcome of it means
// (Java: ConsumeMessageConcurrentlyService.ConsumeRequest.run). The call takes a minute.
func TestS2ConsumeRequest(t *testing.T) {
	const none = processqueue.None
	for _, c := range []struct {
		name   string
		before func(q *processqueue.Queue) // the call
		during func(q *processqueue.Queue)
		answer func() Status
		calls  int
		sent   []sending
		commit int64
		stats  Stats // without Threads
	}{
		{"success", nil, nil, func() Status { return Success }, 1, nil, 2, Stats{Consumed: 2}},
		{"later", nil, nil, func() Status { return ReconsumeLater }, 1, []sending{{0, 0, 16}, {1, 0, 16}}, 2, Stats{Failed: 2, SentBack: 2}},
		{"no status", nil, nil, func() (s Status) { return s }, 1, []sending{{0, 0, 16}, {1, 0, 16}}, 2, Stats{Failed: 2, SentBack: 2}},
		{"an unknown status", nil, nil, func() Status { return 9 }, 1, []sending{{0, 0, 16}, {1, 0, 16}}, 2, Stats{Failed: 2, SentBack: 2}},
		{"a panic", nil, nil, func() Status { panic("boom") }, 1, []sending{{0, 0, 16}, {1, 0, 16}}, 2, Stats{Failed: 2, SentBack: 2, Panics: 1}},
		{"dropped before it", (*processqueue.Queue).Drop, nil, func() Status { return Success }, 0, nil, none, Stats{}},
		{"dropped during it, success", nil, (*processqueue.Queue).Drop, func() Status { return Success }, 1, nil, none, Stats{}},
		{"dropped during it, later", nil, (*processqueue.Queue).Drop, func() Status { return ReconsumeLater }, 1, nil, none, Stats{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queueNo(0)
				b, stop := start(t, Config{Batch: 2}, func(_ context.Context, m []mq.Message, ctx *Context) Status {
					if want := (Context{Queue: q.ID, AckIndex: 1}); *ctx != want {
						t.Errorf("context %+v, want %+v", *ctx, want)
					}
					time.Sleep(time.Minute)
					clear(m) // the list is the listener's own
					return c.answer()
				})
				defer stop()
				if c.before != nil {
					c.before(q)
				}
				b.put(q, 0, 2)
				after(30 * time.Second)
				if c.calls > 0 {
					if s := b.c.Stats().Threads; s.Oldest != 30*time.Second || s.OldestAt != 0 || s.OldestOn != q.ID {
						t.Errorf("half-way threads are %+v", s)
					}
				}
				if c.during != nil {
					c.during(q)
				}
				after(time.Minute)
				if len(b.calls) != c.calls {
					t.Errorf("calls %v", b.calls)
				}
				if diff := cmp.Diff(c.sent, b.sendings()); diff != "" {
					t.Errorf("sent back (-want +got):\n%s", diff)
				}
				got := b.c.Stats()
				got.Threads = c.stats.Threads
				if q.Committable() != c.commit || got != c.stats {
					t.Errorf("committable %d, stats %+v", q.Committable(), got)
				}
			})
		})
	}
}

// TestS3OffsetOfChunksThatEndInAnyOrder: one pull is divided into chunks in offset order, each a
// call of its own; the offset stays at the first message of the first chunk that has not ended.
func TestS3OffsetOfChunksThatEndInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := map[int64]time.Duration{0: 4 * time.Second, 10: time.Second, 20: 3 * time.Second, 30: 2 * time.Second}
		b, stop := start(t, Config{Batch: 10}, func(_ context.Context, m []mq.Message, _ *Context) Status {
			time.Sleep(takes[m[0].QueueOffset()])
			return Success
		})
		defer stop()
		q := queueNo(0)
		b.put(q, 0, 32)
		after(500 * time.Millisecond)
		if b.most != 4 {
			t.Errorf("%d calls at once, want all 4", b.most)
		}
		sizes := map[int64]int{}
		for _, c := range b.calls {
			sizes[c.Offsets[0]] = len(c.Offsets)
		}
		if diff := cmp.Diff(map[int64]int{0: 10, 10: 10, 20: 10, 30: 2}, sizes); diff != "" {
			t.Errorf("messages of the calls by their first offset (-want +got):\n%s", diff)
		}
		for second, want := range []struct {
			commit int64
			left   int
		}{{processqueue.None, 32}, {0, 22}, {0, 20}, {0, 10}, {32, 0}} {
			if count, _, _ := q.Load(); q.Committable() != want.commit || count != want.left {
				t.Errorf("after %d s: committable %d with %d left, want %d with %d", second, q.Committable(), count, want.commit, want.left)
			}
			after(time.Second)
		}
	})
}
