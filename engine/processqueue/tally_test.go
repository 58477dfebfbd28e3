package processqueue

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTalliesOfManyTakersAddUp(t *testing.T) {
	q := New(testQueue, 1)
	var takers sync.WaitGroup
	for range 8 {
		takers.Go(func() {
			for range 1000 {
				q.Count(Tally{Calls: 2, Busy: 3 * time.Millisecond, OK: 5, Failed: 1})
			}
		})
	}
	takers.Wait()
	want := Tally{Calls: 16000, Busy: 24 * time.Second, OK: 40000, Failed: 8000}
	if d := cmp.Diff(want, q.Tally()); d != "" {
		t.Error(d)
	}
}

func TestExtentsTellWhatWaitsFromWhatIsTaken(t *testing.T) {
	q := New(testQueue, 1)
	check := func(when string, waits, taken Extent) {
		t.Helper()
		w, k := q.Extents()
		if w != waits || k != taken {
			t.Errorf("%s: %+v wait and %+v are taken, want %+v and %+v", when, w, k, waits, taken)
		}
	}
	check("empty", Extent{}, Extent{})
	q.Put(batchOf(t, nil, append(span(10, 13, 5), stored{15, 5})...), nil)
	check("put", Extent{4, 10, 15}, Extent{})
	msgs, _ := q.Take(time.Now(), nil, 2)
	check("two taken", Extent{2, 12, 15}, Extent{2, 10, 11})
	q.Finish(time.Now(), msgs[1:])
	check("one of them finished", Extent{2, 12, 15}, Extent{1, 10, 10})
	q.Finish(time.Now(), msgs[:1])
	check("both finished", Extent{2, 12, 15}, Extent{})
}

func TestExtentsJoin(t *testing.T) {
	a, b := Extent{2, 5, 9}, Extent{3, 1, 7}
	if got := a.Join(b); got != (Extent{5, 1, 9}) {
		t.Errorf("joined %+v", got)
	}
	for _, got := range []Extent{a.Join(Extent{}), (Extent{}).Join(a)} {
		if got != a {
			t.Errorf("joined with nothing %+v", got)
		}
	}
}
