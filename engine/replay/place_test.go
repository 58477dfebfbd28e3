package replay_test

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
)

func TestPlacesOnATrack(t *testing.T) {
	marks := replay.NewBookmarks()
	marks.Mark(0, 30, replaytest.Start(), "")
	for _, c := range []struct {
		text string
		want uint64
		err  string
	}{
		{"#40", 40, ""}, {"40", 40, ""}, {"+5s", 51, ""}, {"12:00:01", 11, ""}, {"50%", 50, ""}, {";1", 30, ""}, {"0%", 1, ""}, {"100%", 100, ""},
		{"#101", 0, "the last is #100"}, {"13:00", 0, "is not in the recording"}, {"soon", 0, "is no place"}, {";2", 0, "no bookmark 2"}, {"", 0, "where to?"},
	} {
		got, err := replay.Place(replaytest.Every(100, 100*time.Millisecond), marks, c.text)
		if got != c.want || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %d, %v, want %d, %q", c.text, got, err, c.want, c.err)
		}
	}
}
