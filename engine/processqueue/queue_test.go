package processqueue

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

func TestP32SizeIsFixedWhenAMessageIsPutIn(t *testing.T) {
	q := New(testQueue, 1)
	const limit = 1 << 20
	for from := int64(0); from < 10_000; from += 100 {
		b := batchOf(t, nil, span(from, from+100, 10_000)...)
		q.Put(b, nil)
		if _, bytes, _ := q.Load(); bytes > limit {
			t.Fatalf("%d bytes at offset %d: the sum does not go back", bytes, from)
		}
		msgs, _ := q.Take(q.born, nil, 100)
		for i := range msgs {
			b.SetBody(i, []byte{}) // what a listener does that empties the bodies
		}
		q.Finish(q.born, msgs)
		b.Release(1)
	}
	if count, bytes, _ := q.Load(); count != 0 || bytes != 0 {
		t.Errorf("count %d, bytes %d after everything was consumed", count, bytes)
	}
}

func TestP34OverlappingPullsLeaveNothingBehind(t *testing.T) {
	q := New(testQueue, 1)
	owners := []*counter{{}, {}, {}}
	for i, from := range []int64{100, 116, 116} { // overlapping by half, then the same again
		b := batchOf(t, owners[i], span(from, from+32, 10)...)
		a := q.Put(b, nil)
		b.Release(1)
		want := []Added{
			{Count: 32, Bytes: 320},
			{Count: 16, Duplicates: 16, Bytes: 160},
			{Duplicates: 32},
		}[i]
		if a != want {
			t.Errorf("put %d: %+v, want %+v", i, a, want)
		}
		msgs, _ := q.Take(q.born, nil, 8)
		q.Finish(q.born, msgs)
	}
	msgs, more := q.Take(q.born, nil, 100)
	if want := int64(100 + 24); len(msgs) != 24 || msgs[0].QueueOffset() != want || more {
		t.Fatalf("%d messages left from %d on", len(msgs), msgs[0].QueueOffset())
	}
	q.Finish(q.born, msgs)
	if count, bytes, span := q.Load(); count != 0 || bytes != 0 || span != 0 {
		t.Errorf("left: %d messages, %d bytes, span %d", count, bytes, span)
	}
	if got := q.Committable(); got != 148 {
		t.Errorf("committable %d, want 148", got)
	}
	for i, o := range owners {
		if o.released != 1 {
			t.Errorf("batch %d released %d times", i, o.released)
		}
	}
}

func TestP26StuckMessageIsShownAndCostsNoMemory(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, stored{41, 5})
	stuck, _ := q.Take(q.born.Add(time.Second), nil, 1)
	const offsets = 200_000
	taken := make([]mq.Message, 0, 32)
	for from := int64(42); from < offsets; from += 32 {
		put(t, q, span(from, from+32, 5)...)
		taken, _ = q.Take(q.born, taken[:0], 31) // one stays, so that the queue never runs dry
		q.Finish(q.born, taken)
	}
	if n := len(q.slots.slots); n > 1<<14 {
		t.Errorf("%d slots for %d offsets held back by one message", n, offsets)
	}
	if got := q.Committable(); got != 41 {
		t.Errorf("committable %d, want 41", got)
	}
	w := q.Window(3)
	if w.Runs[0] != (snapshot.Run{From: 41, To: 41, State: snapshot.Consuming}) || w.Runs[1].State != snapshot.Done {
		t.Errorf("first runs %v", w.Runs[:2])
	}
	first := w.Meta[0]
	want := snapshot.Message{
		Offset: 41, State: snapshot.Consuming, Tag: "red", Keys: "k", ID: "ID", Topic: "orders", BodySize: 5,
		Reconsume: 2, Stored: time.UnixMilli(1_700_000_000_000), Started: q.born.Add(time.Second),
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("details of the stuck message (-want +got):\n%s", diff)
	}
	q.Finish(q.born, stuck)
	if got := q.Committable(); got <= 41 {
		t.Errorf("committable stays %d", got)
	}
}

func TestSlotIsSmall(t *testing.T) {
	// With its mq.Record of 32 bytes a cached message costs at most a third more than it
	// took on the wire, even while the ring is half empty.
	if got := unsafe.Sizeof(slot{}); got != 32 {
		t.Errorf("a slot has %d bytes", got)
	}
}

func TestTakersKeepTheirBytesWhenAQueueIsCleared(t *testing.T) {
	q := New(testQueue, 1)
	owner := &counter{}
	var recycled []*mq.Batch
	q.Recycle = func(b *mq.Batch) { recycled = append(recycled, b) }
	b := batchOf(t, owner, span(0, 4, 3)...)
	q.Put(b, nil)
	b.Release(1)
	msgs, _ := q.Take(q.born, nil, 1)
	q.Drop()
	q.Clear()
	if owner.released != 0 || len(msgs[0].Body()) != 3 {
		t.Fatal("the bytes are gone while a listener has a message")
	}
	q.Finish(q.born, msgs)
	if owner.released != 1 || !slices.Equal(recycled, []*mq.Batch{b}) {
		t.Errorf("released %d times, recycled %v", owner.released, recycled)
	}
	if q.Running() != 0 {
		t.Errorf("%d messages in listeners", q.Running())
	}
}

func TestDroppedQueueGivesNothingAndCommitsNothing(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, span(0, 10, 1)...)
	first, _ := q.Take(q.born, nil, 2)
	q.Finish(q.born, first)
	late, _ := q.Take(q.born, nil, 2)
	q.Drop()
	q.Finish(q.born, late)
	if got := q.Committable(); got != 2 {
		t.Errorf("committable %d, want 2 as before the drop", got)
	}
	if msgs, more := q.Take(q.born, nil, 5); len(msgs) != 0 || more {
		t.Errorf("took %v, more %t", offsetsOf(msgs), more)
	}
	if a := put(t, q, stored{50, 1}); a != (Added{}) {
		t.Errorf("put %+v", a)
	}
	if q.Delist() {
		t.Error("a dropped queue wants to be listed")
	}
	if !q.Dropped() {
		t.Error("not dropped")
	}
}

func TestOffsetsThatNoQueueHasAreRefused(t *testing.T) {
	q := New(testQueue, 1)
	a := put(t, q, stored{-1, 1}, stored{math.MinInt64, 1}, stored{math.MaxInt64, 1}, stored{math.MaxInt64 - 1, 1}, stored{0, 1})
	if want := (Added{Count: 2, Refused: 3, Bytes: 2}); a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	if _, _, span := q.Load(); span != math.MaxInt64-1 {
		t.Errorf("span %d", span)
	}
	if got := q.Resolve([]int64{0}); got != math.MaxInt64-1 {
		t.Errorf("committable %d", got)
	}
	if got := q.Resolve([]int64{math.MaxInt64 - 1, -1, math.MaxInt64}); got != math.MaxInt64 {
		t.Errorf("committable %d", got)
	}
}

func TestKeepChoosesTheMessagesThatAreCached(t *testing.T) {
	q := New(testQueue, 1)
	owner := &counter{}
	b := batchOf(t, owner, span(7, 17, 2)...)
	a := q.Put(b, []int{0, 3, 9})
	b.Release(1)
	if want := (Added{Count: 3, Bytes: 6}); a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	if diff := cmp.Diff([]int64{7, 10, 16}, cached(q)); diff != "" {
		t.Errorf("cached (-want +got):\n%s", diff)
	}
	if a := q.Put(batchOf(t, nil, span(1, 2, 2)...), []int{}); a != (Added{}) {
		t.Errorf("an empty choice put %+v", a)
	}
	q.Resolve([]int64{7, 10, 16})
	if owner.released != 1 {
		t.Errorf("released %d times", owner.released)
	}
}

func TestUnreadableBodyCountsAsStored(t *testing.T) {
	q := New(testQueue, 1)
	b := batchOf(t, nil, stored{1, 100}, stored{2, 100})
	b.SetBodyError(0, errors.New("no zlib"))
	b.SetBody(1, make([]byte, 4000))
	if a := q.Put(b, nil); a.Bytes != 4100 {
		t.Errorf("%d bytes, want 4100", a.Bytes)
	}
}

func TestWatchFiresOnceAsSoonAsThereIsRoom(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, span(0, 10, 100)...)
	fired := 0
	below := func(n int) func(int, int64, int64) bool {
		return func(count int, _, _ int64) bool { return count <= n }
	}
	q.Watch(below(8), func() { fired++ })
	q.Resolve([]int64{9})
	if fired != 0 {
		t.Fatal("fired too early")
	}
	q.Resolve([]int64{8})
	q.Resolve([]int64{7})
	if fired != 1 {
		t.Fatalf("fired %d times, want once", fired)
	}
	q.Watch(below(7), func() { fired += 10 })
	if fired != 11 {
		t.Fatalf("fired %d, want at once", fired)
	}
	q.Watch(below(0), func() { fired += 100 })
	q.Watch(below(6), func() { fired += 1000 })
	msgs, _ := q.Take(q.born, nil, 7)
	q.Finish(q.born, msgs)
	if fired != 1011 {
		t.Errorf("fired %d, want only the newer watch", fired)
	}
	put(t, q, span(20, 30, 1)...)
	q.Watch(below(0), func() { fired += 10_000 })
	q.Clear()
	if fired != 11_011 {
		t.Errorf("fired %d, want Clear to make room too", fired)
	}
}

func TestLastConsumedMovesWithEveryResolve(t *testing.T) {
	q := New(testQueue, 1)
	if !q.LastConsumed().Equal(q.born) {
		t.Errorf("%v, want the time of New", q.LastConsumed())
	}
	put(t, q, span(0, 2, 1)...)
	at := q.born.Add(time.Minute)
	msgs, _ := q.Take(at, nil, 1)
	q.Finish(at.Add(time.Second), msgs)
	if got := q.LastConsumed(); !got.Equal(at.Add(time.Second)) {
		t.Errorf("%v, want the time of Finish", got)
	}
}

func TestWindowPrefersWhatMattersMost(t *testing.T) {
	q := New(testQueue, 1)
	put(t, q, span(0, 200, 1)...)
	put(t, q, span(300, 310, 1)...)
	msgs, _ := q.Take(q.born, nil, 150)
	q.Finish(q.born, msgs[10:100])
	q.Failed(msgs[149])
	q.Retry(msgs[149])
	w := q.Window(1000)
	want := []snapshot.Run{
		{From: 0, To: 9, State: snapshot.Consuming},
		{From: 10, To: 99, State: snapshot.Done},
		{From: 100, To: 148, State: snapshot.Consuming},
		{From: 149, To: 149, State: snapshot.Retry},
		{From: 150, To: 199, State: snapshot.Waiting},
		{From: 200, To: 299, State: snapshot.Gap},
		{From: 300, To: 309, State: snapshot.Waiting},
	}
	if diff := cmp.Diff(want, w.Runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	var offsets []int64
	for _, m := range w.Meta {
		offsets = append(offsets, m.Offset)
	}
	var wanted []int64
	for off := range int64(10) {
		wanted = append(wanted, off)
	}
	for off := int64(100); off < 154; off++ { // 50 taken or to be retried, then 4 waiting
		wanted = append(wanted, off)
	}
	if diff := cmp.Diff(wanted, offsets); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if w := New(testQueue, 2).Window(64); len(w.Runs) != 0 || len(w.Meta) != 0 {
		t.Errorf("an empty queue shows %v", w)
	}
}

// TestMessageBetweenTwoRunsThatAreDone forces the ring to merge while a message goes into
// the gap between two slots that are done.
func TestMessageBetweenTwoRunsThatAreDone(t *testing.T) {
	q := New(testQueue, 1)
	for off := int64(0); off < smallestRing; off++ {
		put(t, q, stored{off * 10, 1})
	}
	q.Resolve([]int64{40, 50, 60, 70, 80, 90})
	put(t, q, stored{65, 1})
	wantRuns := []snapshot.Run{
		{From: 31, To: 39, State: snapshot.Gap},
		{From: 40, To: 60, State: snapshot.Done},
		{From: 61, To: 64, State: snapshot.Gap},
		{From: 65, To: 65, State: snapshot.Waiting},
		{From: 66, To: 69, State: snapshot.Gap},
		{From: 70, To: 90, State: snapshot.Done},
		{From: 91, To: 99, State: snapshot.Gap},
	}
	if diff := cmp.Diff(wantRuns, q.Window(0).Runs[7:14]); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	put(t, q, stored{75, 1}, stored{55, 1}, stored{41, 1})
	want := []int64{0, 10, 20, 30, 41, 55, 65, 75}
	for off := int64(100); off < smallestRing*10; off += 10 {
		want = append(want, off)
	}
	if diff := cmp.Diff(want, cached(q)); diff != "" {
		t.Errorf("cached (-want +got):\n%s", diff)
	}
	msgs, _ := q.Take(q.born, nil, 100)
	if diff := cmp.Diff(want, offsetsOf(msgs)); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
}
