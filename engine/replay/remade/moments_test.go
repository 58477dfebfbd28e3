package remade_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

// TestMomentsAreTheSameFromWherever: those from some record on are the end of all of them, though
// many pulls go on from others that stand before it.
func TestMomentsAreTheSameFromWherever(t *testing.T) {
	r := recorded(t, 20*time.Second)
	track := open(t, r.file(t))
	list := func(from uint64) (all []snapshot.Moment) {
		for m, err := range track.Moments(from) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		return all
	}
	all := list(0)
	if len(all) < 100 {
		t.Fatalf("%d moments are too few", len(all))
	}
	for n := uint64(1); n < uint64(len(r.reel.List))+2; n += 23 {
		at := slices.IndexFunc(all, func(m snapshot.Moment) bool { return m.Event >= n })
		var want []snapshot.Moment
		if at >= 0 {
			want = all[at:]
		}
		if got := list(n); len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("from %d: %d moments, want %d", n, len(got), len(want))
		}
	}
}
