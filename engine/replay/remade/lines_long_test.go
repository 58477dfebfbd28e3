//go:build !race

package remade_test

import (
	"testing"

	"mqscope/engine/replay"
)

// A live consumer keeps 50,000 lines.
func TestNoMoreLinesAreReadThanALiveConsumerKeeps(t *testing.T) {
	path := talkative(t, 60, 1000).file(t)
	at, want := streams(t, path, 1<<30)
	track := open(t, path)
	if err := track.Seek(at[len(at)-1]); err != nil {
		t.Fatal(err)
	}
	if n := len(track.Picture().Events.Entries); n > 20_000 {
		t.Fatalf("%d lines are there at once", n)
	}
	replay.Fill(track)
	got := track.Picture().Events
	if len(got.Entries) != 50_000 || got.Dropped == 0 {
		t.Errorf("%d lines, %d dropped", len(got.Entries), got.Dropped)
	}
	same(t, track.Event(), got, want[len(want)-1])
}
