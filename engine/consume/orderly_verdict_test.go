package consume

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

func TestDecideOrdered(t *testing.T) {
	for _, c := range []struct {
		name string
		s    OrderlyStatus
		auto bool
		want ordered
		odd  bool
	}{
		{"success commits", OrderlySuccess, true, commitAll, false},
		{"commit means success", Commit, true, commitAll, true},
		{"rollback means success too", Rollback, true, commitAll, true},
		{"suspend fails", SuspendCurrentQueueAMoment, true, failBatch, false},
		{"without auto-commit success waits for a commit", OrderlySuccess, false, keepBatch, false},
		{"without auto-commit commit commits", Commit, false, commitAll, false},
		{"without auto-commit rollback rolls back", Rollback, false, rollBack, false},
		{"without auto-commit suspend fails", SuspendCurrentQueueAMoment, false, failBatch, false},
		{"what is no status fails", OrderlyStatus(99), true, failBatch, false},
	} {
		if got, odd := decideOrdered(c.s, c.auto); got != c.want || odd != c.odd {
			t.Errorf("%s: %d, odd %t", c.name, got, odd)
		}
	}
}

// TestAnswers plays six messages with batches of two; the answers come in order, then success.
func TestAnswers(t *testing.T) {
	const pause = time.Second
	at := func(d time.Duration, offsets ...int64) orderlyCall { return orderlyCall{0, offsets, d} }
	for _, c := range []struct {
		name     string
		manual   bool
		answers  []OrderlyStatus
		calls    []orderlyCall
		commit   int64
		kept     int
		consumed uint64
		failed   uint64
	}{
		{
			name:  "success, success, success",
			calls: []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(0, 4, 5)}, commit: 6, consumed: 6,
		},
		{
			name:    "a suspended batch comes again before the next one",
			answers: []OrderlyStatus{OrderlySuccess, SuspendCurrentQueueAMoment, SuspendCurrentQueueAMoment},
			calls:   []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(pause, 2, 3), at(2*pause, 2, 3), at(2*pause, 4, 5)},
			commit:  6, consumed: 6, failed: 4,
		},
		{
			name:    "commit and rollback are success with auto-commit",
			answers: []OrderlyStatus{Commit, Rollback},
			calls:   []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(0, 4, 5)}, commit: 6, consumed: 6,
		},
		{
			name:   "without auto-commit success commits nothing",
			manual: true,
			calls:  []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(0, 4, 5)}, commit: -1, kept: 6, consumed: 6,
		},
		{
			name:    "without auto-commit commit commits all before it",
			manual:  true,
			answers: []OrderlyStatus{OrderlySuccess, Commit},
			calls:   []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(0, 4, 5)}, commit: 4, kept: 2, consumed: 4,
		},
		{
			name:    "without auto-commit rollback brings back all since the last commit",
			manual:  true,
			answers: []OrderlyStatus{Commit, OrderlySuccess, Rollback, OrderlySuccess, Commit},
			calls:   []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(0, 4, 5), at(pause, 2, 3), at(pause, 4, 5)},
			commit:  6, consumed: 4,
		},
		{
			name:    "without auto-commit a suspended batch comes again alone",
			manual:  true,
			answers: []OrderlyStatus{OrderlySuccess, SuspendCurrentQueueAMoment, OrderlySuccess, Commit},
			calls:   []orderlyCall{at(0, 0, 1), at(0, 2, 3), at(pause, 2, 3), at(pause, 4, 5)},
			commit:  6, consumed: 4, failed: 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				b, stop := startOrderly(t, OrderlyConfig{Batch: 2, ManualCommit: c.manual}, func(_ context.Context, _ []mq.Message, ctx *OrderlyContext) OrderlyStatus {
					if ctx.AutoCommit == c.manual {
						t.Error("the context has the wrong AutoCommit")
					}
					if n++; n <= len(c.answers) {
						return c.answers[n-1]
					}
					return OrderlySuccess
				})
				defer stop()
				q := lockedQueue(0)
				b.put(q, 0, 6)
				after(5 * time.Second)
				if diff := cmp.Diff(c.calls, b.got()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if q.Committable() != c.commit || q.Kept() != c.kept || q.Waiting() != 0 || q.Running() != 0 {
					t.Errorf("committable %d, kept %d, waiting %d, in hand %d", q.Committable(), q.Kept(), q.Waiting(), q.Running())
				}
				if s := b.c.Stats(); s.Consumed != c.consumed || s.Failed != c.failed || s.SentBack != 0 {
					t.Errorf("stats %+v", s)
				}
			})
		})
	}
}

func TestAListenerMaySwitchAutoCommitForOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := startOrderly(t, OrderlyConfig{}, func(_ context.Context, m []mq.Message, c *OrderlyContext) OrderlyStatus {
			c.AutoCommit = m[0].QueueOffset() == 2
			return OrderlySuccess
		})
		defer stop()
		q := lockedQueue(0)
		b.put(q, 0, 4)
		synctest.Wait()
		if q.Committable() != 3 || q.Kept() != 1 {
			t.Errorf("committable %d, kept %d: the third batch commits what was kept before", q.Committable(), q.Kept())
		}
	})
}

func TestS3Suspension(t *testing.T) {
	for _, c := range []struct {
		asked, configured, want time.Duration
	}{
		{0, 0, time.Second},
		{-1, 0, time.Second},
		{0, 3 * time.Second, 3 * time.Second},
		{0, time.Hour, 30 * time.Second},
		{time.Microsecond, 0, 10 * time.Millisecond},
		{10 * time.Millisecond, 0, 10 * time.Millisecond},
		{time.Hour, 0, 30 * time.Second},
		{5 * time.Second, 0, 5 * time.Second},
	} {
		t.Run(fmt.Sprintf("asked %v, configured %v", c.asked, c.configured), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fails := 1
				b, stop := startOrderly(t, OrderlyConfig{Suspend: c.configured}, func(_ context.Context, _ []mq.Message, ctx *OrderlyContext) OrderlyStatus {
					ctx.Suspend = c.asked
					if fails--; fails >= 0 {
						return SuspendCurrentQueueAMoment
					}
					return OrderlySuccess
				})
				defer stop()
				q := lockedQueue(0)
				b.put(q, 0, 1)
				synctest.Wait()
				if until, ok := b.c.SuspendedUntil(q.ID); !ok || time.Until(until) != c.want {
					t.Errorf("suspended until %v: %t", until, ok)
				}
				for range 2 { // what lasts as long as the lock needs it to be renewed
					after(15 * time.Second)
					b.grant(q)
				}
				synctest.Wait()
				if got := b.got(); len(got) != 2 || got[1].At != c.want {
					t.Errorf("calls %v, want the second after %v", got, c.want)
				}
				if _, ok := b.c.SuspendedUntil(q.ID); ok {
					t.Error("still suspended")
				}
			})
		})
	}
}
