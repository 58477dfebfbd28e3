package processqueue

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/snapshot"
)

func TestP04AFailedMessageBlocksTheQueueUntilItIsResolved(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, stored{7, 1}, stored{8, 1})
	var h Hand
	var handed []int64
	for fails := 2; ; fails-- {
		q.TakeOrdered(q.born, &h, 1)
		if h.Empty() {
			break
		}
		handed = append(handed, h.Messages[0].QueueOffset())
		var other Hand
		q.TakeOrdered(q.born, &other, 1)
		if !other.Empty() {
			t.Fatalf("%d is handed out while %v is with a listener", other.Messages[0].QueueOffset(), handed)
		}
		if fails > 0 {
			q.ConsumeAgain(q.born, &h)
			if at := q.Committable(); at != None {
				t.Fatalf("committable %d while %d fails", at, handed[0])
			}
			continue
		}
		if got, want := q.Commit(q.born, &h, 0), handed[len(handed)-1]+1; got != want || q.Committable() != want {
			t.Fatalf("commit %d, committable %d, want %d", got, q.Committable(), want)
		}
	}
	if diff := cmp.Diff([]int64{7, 7, 7, 8}, handed); diff != "" {
		t.Errorf("handed out (-want +got):\n%s", diff)
	}
}

func TestP05CountersEqualTheContentsWhenMessagesFail(t *testing.T) {
	q := New(testQueue, 1)
	const limit, messages, fails = 4, 10, 3
	var h Hand
	next, done := int64(0), 0
	for turns := 0; done < messages; turns++ {
		if turns > 200 {
			t.Fatalf("flow control never lets go: %d done", done)
		}
		if count, _, _ := q.Load(); count <= limit && next < messages {
			put(t, q, stored{next, 100})
			next++
			continue
		}
		q.TakeOrdered(q.born, &h, 1)
		if h.Failed[0] < fails {
			q.ConsumeAgain(q.born, &h)
		} else {
			q.Commit(q.born, &h, 0)
			done++
		}
		count, bytes, _ := q.Load()
		if want := len(cached(q)); count != want || bytes != int64(100*want) {
			t.Fatalf("%d messages and %d bytes counted, %d are cached", count, bytes, want)
		}
	}
	if count, bytes, span := q.Load(); count != 0 || bytes != 0 || span != 0 {
		t.Errorf("left: %d messages, %d bytes, span %d", count, bytes, span)
	}
}

func TestConsumingSet(t *testing.T) {
	for _, c := range []struct {
		name    string
		do      func(q *Queue, h *Hand)
		waiting []int64 // at the end
		kept    int
		commit  int64
	}{
		{"what is in the hand is resolved by a commit", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 3)
			q.Commit(q.born, h, 0)
		}, []int64{3, 10}, 0, 3},
		{"a commit resolves what was kept before, too", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 1)
			q.Keep(q.born, h, 2)
			q.Commit(q.born, h, 0)
		}, []int64{3, 10}, 0, 3},
		{"what was kept is not committed by itself", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 2)
			q.Keep(q.born, h, 0)
		}, []int64{2, 3, 10}, 2, None},
		{"a failed message behind kept ones holds nothing back but itself", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 2)
			q.Keep(q.born, h, 1)
			q.ConsumeAgain(q.born, h)
			q.Commit(q.born, h, 0)
		}, []int64{2, 3, 10}, 0, 2},
		{"a rollback brings all of it back", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 2)
			q.Keep(q.born, h, 2)
			q.Rollback(q.born, h)
		}, []int64{0, 1, 2, 3, 10}, 0, None},
		{"what a listener never saw comes back as it was", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 2)
			q.Untake(q.born, h)
		}, []int64{0, 1, 2, 3, 10}, 0, None},
		{"one that was given up alone does not let the offset pass the others", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 3)
			q.Finish(q.born, h.Messages[1:2])
			h.Messages = slices.Delete(h.Messages, 1, 2)
			q.ConsumeAgain(q.born, h)
		}, []int64{0, 2, 3, 10}, 0, 0},
		{"the offset passes what was filtered out", func(q *Queue, h *Hand) {
			q.TakeOrdered(q.born, h, 4)
			if got := q.Commit(q.born, h, 0); got != 4 {
				panic("Java's commit is one past the last message")
			}
		}, []int64{10}, 0, 10},
		{"nothing to commit is no offset", func(q *Queue, h *Hand) {
			if got := q.Commit(q.born, h, 0); got != None {
				panic("committed something")
			}
		}, []int64{0, 1, 2, 3, 10}, 0, None},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := New(testQueue, 1)
			owner := &counter{}
			b := batchOf(t, owner, append(span(0, 4, 5), stored{10, 5})...)
			q.Put(b, nil)
			b.Release(1)
			var h Hand
			c.do(q, &h)
			waits := []int64{}
			for i := range q.slots.n {
				if s := q.slots.at(i); s.state == waiting {
					waits = append(waits, s.offset)
				}
			}
			if diff := cmp.Diff(c.waiting, waits); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
			if q.Kept() != c.kept || q.Waiting() != len(waits) || q.Running() != 0 || q.Committable() != c.commit {
				t.Errorf("kept %d, waiting %d, in hand %d, committable %d", q.Kept(), q.Waiting(), q.Running(), q.Committable())
			}
			q.TakeOrdered(q.born, &h, 100)
			q.Commit(q.born, &h, 0)
			if count, bytes, _ := q.Load(); count != 0 || bytes != 0 || owner.released != 1 {
				t.Errorf("at the end: %d messages, %d bytes, released %d times", count, bytes, owner.released)
			}
		})
	}
}

func TestAMessageThatCanNotBeReadComesAlone(t *testing.T) {
	q := New(testQueue, 1)
	b := batchOf(t, nil, span(0, 6, 1)...)
	b.SetBodyError(2, errors.New("no such codec"))
	b.SetBodyError(3, errors.New("no such codec"))
	q.Put(b, nil)
	b.Release(1)
	var h Hand
	var got [][]int64
	for q.TakeOrdered(q.born, &h, 8); !h.Empty(); q.Commit(q.born, &h, 8) {
		got = append(got, offsetsOf(h.Messages))
	}
	if diff := cmp.Diff([][]int64{{0, 1}, {2}, {3}, {4, 5}}, got); diff != "" {
		t.Errorf("hands (-want +got):\n%s", diff)
	}
}

func TestFailuresAreCountedWhereTheyHappen(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, span(0, 2, 1)...)
	var h Hand
	for n := range uint16(3) {
		q.TakeOrdered(q.born, &h, 1+int(n%2))
		if h.Failed[0] != n {
			t.Errorf("failed %d times, want %d", h.Failed[0], n)
		}
		q.ConsumeAgain(q.born, &h)
	}
	q.TakeOrdered(q.born, &h, 2)
	if diff := cmp.Diff([]uint16{3, 1}, h.Failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	// The broker counted 2 before.
	if m := q.Window(1).Meta[0]; m.Reconsume != 5 || m.State != snapshot.Consuming {
		t.Errorf("shown: %+v", m)
	}
	q.Keep(q.born, &h, 0)
	if m := q.Window(2).Meta[1]; m.State != snapshot.Consuming || !m.Started.IsZero() {
		t.Errorf("kept, shown: %+v", m)
	}
}

func TestARetiredQueueLetsItsListenerFinish(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(q *Queue, h *Hand)
		commit int64
	}{
		{"and commits what it did", func(q *Queue, h *Hand) { q.Commit(q.born, h, 5) }, 1},
		{"or fail", func(q *Queue, h *Hand) { q.ConsumeAgain(q.born, h) }, None},
		{"or roll back", func(q *Queue, h *Hand) { q.Rollback(q.born, h) }, None},
		{"or keep it", func(q *Queue, h *Hand) { q.Keep(q.born, h, 5) }, None},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := New(testQueue, 1)
			put(t, q, span(0, 4, 1)...)
			var h Hand
			q.TakeOrdered(q.born, &h, 1)
			idle := 0
			q.Retire(func() { idle++ })
			if idle != 0 || !q.Retired() {
				t.Fatal("idle while a listener has a message")
			}
			if a := put(t, q, stored{4, 1}); a.Count != 0 {
				t.Error("a retired queue takes messages in")
			}
			c.end(q, &h)
			if idle != 1 || !h.Empty() || q.Committable() != c.commit {
				t.Errorf("idle %d times, %d in hand, committable %d", idle, len(h.Messages), q.Committable())
			}
			q.TakeOrdered(q.born, &h, 1)
			if !h.Empty() {
				t.Error("a retired queue hands messages out")
			}
		})
	}
	q := New(testQueue, 1)
	idle := 0
	q.Retire(func() { idle++ })
	if idle != 1 {
		t.Errorf("an idle queue that retires told it %d times", idle)
	}
}

func TestAHandKeepsItsBytesWhenTheQueueIsCleared(t *testing.T) {
	for name, end := range map[string]func(*Queue, *Hand){
		"commit":   func(q *Queue, h *Hand) { q.Commit(q.born, h, 0) },
		"keep":     func(q *Queue, h *Hand) { q.Keep(q.born, h, 0) },
		"again":    func(q *Queue, h *Hand) { q.ConsumeAgain(q.born, h) },
		"rollback": func(q *Queue, h *Hand) { q.Rollback(q.born, h) },
	} {
		q := New(testQueue, 1)
		owner := &counter{}
		b := batchOf(t, owner, span(0, 4, 3)...)
		q.Put(b, nil)
		b.Release(1)
		var h Hand
		q.TakeOrdered(q.born, &h, 1)
		q.Keep(q.born, &h, 1)
		q.Drop()
		q.Clear()
		if owner.released != 0 || len(h.Messages[0].Body()) != 3 {
			t.Fatalf("%s: the bytes are gone while a listener has a message", name)
		}
		end(q, &h)
		if owner.released != 1 || !h.Empty() || q.Committable() != None || q.Running() != 0 || q.Kept() != 0 {
			t.Errorf("%s: released %d times, committable %d, %d in hand, %d kept", name, owner.released, q.Committable(), q.Running(), q.Kept())
		}
	}
}

func TestS4LockOfAProcessQueue(t *testing.T) {
	q := New(testQueue, 1)
	at := q.born
	holds := func(what string, after time.Duration, want bool) {
		t.Helper()
		if got := q.HoldsLock(at.Add(after), LockExpiry); got != want {
			t.Errorf("%s: holds its lock %v after it was asked for: %t", what, after, got)
		}
	}
	holds("never granted", 0, false)
	q.Lock(at)
	holds("granted", 30*time.Second, true)
	holds("granted", 30*time.Second+1, false)
	q.Lock(at.Add(20 * time.Second))
	holds("renewed", 50*time.Second, true)
	if got, ok := q.LockedAt(); !ok || !got.Equal(at.Add(20*time.Second)) {
		t.Errorf("locked at %v, %t", got, ok)
	}
	q.Unlock()
	holds("refused", 21*time.Second, false)
	if _, ok := q.LockedAt(); ok {
		t.Error("a refused lock has a time")
	}
	for range 3 {
		q.CountUnlockTry()
	}
	if q.UnlockTries() != 3 {
		t.Errorf("%d tries to unlock", q.UnlockTries())
	}
}

func TestALockIsNotTrustedAfterTheComputerSlept(t *testing.T) {
	at := time.Now()
	// The monotonic clock of some systems stands still meanwhile, the wall clock does not.
	awake := at.Add(time.Second)
	slept := at.Round(0).Add(2 * time.Hour)
	if got := LockAge(awake, at); got != time.Second {
		t.Errorf("age %v, want 1s", got)
	}
	if got := LockAge(slept, at); got < 2*time.Hour-time.Second {
		t.Errorf("age %v after two hours of sleep", got)
	}
}
