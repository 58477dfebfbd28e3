package processqueue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// orderedModel is a slow, obvious orderly queue.
type orderedModel struct {
	waits, hand, kept map[int64]uint16 // offset → failures
	size              map[int64]int
	next              int64
	highest           int64
	commit            int64
}

func (d *orderedModel) all() []int64 {
	var list []int64
	for _, m := range []map[int64]uint16{d.waits, d.hand, d.kept} {
		list = slices.AppendSeq(list, maps.Keys(m))
	}
	slices.Sort(list)
	return list
}

func move(from, to map[int64]uint16, more uint16) {
	for off, n := range from {
		to[off] = n + more
	}
	clear(from)
}

func (d *orderedModel) resolve(m map[int64]uint16) {
	clear(m)
	if all := d.all(); len(all) > 0 {
		d.commit = all[0]
	} else {
		d.commit = d.highest + 1
	}
}

func TestOrderlyQueueEqualsAnObviousModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { playOrdered(t, seed) })
	}
}

func playOrdered(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	q := New(testQueue, 1)
	d := &orderedModel{waits: map[int64]uint16{}, hand: map[int64]uint16{}, kept: map[int64]uint16{}, size: map[int64]int{}, highest: None, commit: None}
	var owners []*counter
	var h Hand
	for range 600 {
		switch rng.IntN(9) {
		case 0, 1:
			var msgs []stored
			for range rng.IntN(12) {
				msgs = append(msgs, stored{d.next, rng.IntN(40)})
				d.size[d.next] = msgs[len(msgs)-1].body
				d.waits[d.next] = 0
				d.highest = d.next
				d.next += 1 + rng.Int64N(3)
			}
			owners = append(owners, &counter{})
			b := batchOf(t, owners[len(owners)-1], msgs...)
			q.Put(b, nil)
			b.Release(1)
		case 2, 3, 4:
			n := rng.IntN(5)
			// TakeOrdered forgets nothing: with messages in hand it must not be called.
			if h.Empty() {
				q.TakeOrdered(q.born, &h, n)
			} else {
				move(d.hand, d.kept, 0)
				q.Keep(q.born, &h, n)
			}
			for _, off := range slices.Sorted(maps.Keys(d.waits)) {
				if len(d.hand) < n {
					d.hand[off] = d.waits[off]
					delete(d.waits, off)
				}
			}
		case 5, 6:
			want := None
			for _, m := range []map[int64]uint16{d.hand, d.kept} {
				for off := range m {
					want = max(want, off+1)
				}
			}
			if want != None {
				clear(d.kept)
				d.resolve(d.hand)
			}
			if got := q.Commit(q.born, &h, 0); got != want {
				t.Fatalf("commit %d, want %d", got, want)
			}
		case 7:
			move(d.hand, d.waits, 1)
			q.ConsumeAgain(q.born, &h)
		case 8:
			move(d.hand, d.waits, 0)
			if rng.IntN(2) == 0 {
				q.Untake(q.born, &h)
				break
			}
			move(d.kept, d.waits, 0)
			q.Rollback(q.born, &h)
		}
		compareOrdered(t, q, &h, d)
	}
	q.Rollback(q.born, &h)
	q.TakeOrdered(q.born, &h, len(cached(q)))
	q.Commit(q.born, &h, 0)
	for i, o := range owners {
		if o.released != 1 {
			t.Fatalf("batch %d of %d was released %d times", i, len(owners), o.released)
		}
	}
}

func compareOrdered(t *testing.T, q *Queue, h *Hand, d *orderedModel) {
	t.Helper()
	type picture struct {
		Cached, Hand               []int64
		Failed                     []uint16
		Count, Waiting, Held, Kept int
		Bytes, Span, Commit        int64
	}
	hand := slices.Sorted(maps.Keys(d.hand))
	want := picture{
		Cached: append([]int64{}, d.all()...), Hand: append([]int64{}, hand...),
		Waiting: len(d.waits), Held: len(d.hand), Kept: len(d.kept), Commit: d.commit,
	}
	want.Count = len(want.Cached)
	for _, off := range hand {
		want.Failed = append(want.Failed, d.hand[off])
	}
	for _, off := range want.Cached {
		want.Bytes += int64(d.size[off])
		want.Span = off - want.Cached[0]
	}
	got := picture{
		Cached: cached(q), Hand: offsetsOf(h.Messages), Failed: append([]uint16(nil), h.Failed...),
		Waiting: q.Waiting(), Held: q.Running(), Kept: q.Kept(), Commit: q.Committable(),
	}
	got.Count, got.Bytes, got.Span = q.Load()
	if !reflect.DeepEqual(want, got) { // quicker than the difference
		t.Fatalf("orderly queue (-want +got):\n%s", cmp.Diff(want, got))
	}
}
