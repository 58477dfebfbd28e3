package remade_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// talkative is a run of which much is told, some of it several times at once.
func talkative(t *testing.T, rounds, lines int) *run {
	rng := rand.New(rand.NewPCG(5, 6))
	return recorded(t, time.Second, func(me *consumer.Push) {
		for range rounds {
			for n := 0; n < lines; n += 2 {
				for range 1 + rng.IntN(3) {
					me.Pause()
				}
				me.Resume()
			}
			time.Sleep(7 * time.Second)
			me.Snapshot()
		}
	})
}

// streams are event streams that playing shows: that of each so manieth event and of the last.
func streams(t *testing.T, path string, each int) (at []uint64, shown []snapshot.Events) {
	t.Helper()
	track := open(t, path)
	last, n := uint64(0), 0
	see := func() {
		at, shown = append(at, last), append(shown, track.Picture().Events)
	}
	for {
		m, err := track.Next()
		if errors.Is(err, io.EOF) {
			see()
			return at, shown
		}
		if err != nil {
			t.Fatal(err)
		}
		if last = m.Event; n%each == 0 {
			see()
		}
		n++
	}
}

func same(t *testing.T, event uint64, got, want snapshot.Events) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("event %d has %d lines, %d dropped; played there has %d, %d", event, len(got.Entries), got.Dropped, len(want.Entries), want.Dropped)
	}
}

// Behind a jump the event stream becomes that which playing there leaves.
func TestTheEventStreamBehindAJumpIsThatOfPlayingThere(t *testing.T) {
	path := talkative(t, 9, 240).file(t)
	at, want := streams(t, path, 5)
	var track replay.Track
	rng := rand.New(rand.NewPCG(7, 8))
	i, lacked, met := 0, 0, 0
	for round := range 80 {
		if round%8 == 0 {
			track = open(t, path)
		}
		if rng.IntN(2) == 0 {
			i = rng.IntN(len(at))
		} else { // not far from where it was
			i = min(max(i+rng.IntN(7)-3, 0), len(at)-1)
		}
		if err := track.Seek(at[i]); err != nil {
			t.Fatal(err)
		}
		before := lacked
		for track.(replay.Filler).Lacks() {
			lacked++
			track.(replay.Filler).Fill()
		}
		if got := track.Picture().Events; lacked == before && len(got.Entries) > 600 {
			met++
		}
		same(t, at[i], track.Picture().Events, want[i])
	}
	if lacked < 20 || met < 10 {
		t.Errorf("%d times something was read, %d times it met what it had", lacked, met)
	}
}

// What is read of the stream joins what is told meanwhile.
func TestLinesAreReadWhileItPlays(t *testing.T) {
	path := talkative(t, 9, 240).file(t)
	at, want := streams(t, path, 1<<30)
	track := open(t, path)
	if err := track.Seek(at[len(at)-1] - 300); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		if n%40 == 0 {
			track.(replay.Filler).Fill()
		}
		if _, err := track.Next(); err != nil {
			break
		}
	}
	replay.Fill(track)
	same(t, track.Event(), track.Picture().Events, want[len(want)-1])
}

// A recording that begins later, as a black box does, has no more than its first checkpoint has.
func TestLinesBeforeTheFirstCheckpointStay(t *testing.T) {
	r := talkative(t, 9, 240)
	checkpoints := 0
	at := slices.IndexFunc(r.reel.List, func(rec recording.Record) bool {
		if rec.Checkpoint {
			checkpoints++
		}
		return checkpoints == 6
	})
	r.reel.List = r.reel.List[at:]
	path := r.file(t)
	events, want := streams(t, path, 1<<30)
	track := open(t, path)
	if err := track.Seek(events[len(events)-1]); err != nil {
		t.Fatal(err)
	}
	replay.Fill(track)
	got := track.Picture().Events
	if got.Dropped == 0 || len(got.Entries) <= 500 {
		t.Errorf("%d lines, %d dropped", len(got.Entries), got.Dropped)
	}
	same(t, track.Event(), got, want[len(want)-1])
}
