package events

import (
	"fmt"
	"strings"
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
)

// TestP51TheWindowIsAllThatIsDrawn: a frame of a stream of any length, and of an event with any
// number of lines, costs what is on screen.
func TestP51TheWindowIsAllThatIsDrawn(t *testing.T) {
	frame := func(s *snapshot.Snapshot, full bool) (text string, cost float64) {
		v := New()
		st := v.Start("").(State)
		if full {
			st, _ = press(v, st, s, act(keymap.Open))
		}
		text = strings.Join(draw(t, v, st, s, 120, 36), "\n")
		return text, testing.AllocsPerRun(5, func() { draw(t, v, st, s, 120, 36) })
	}
	var few, many strings.Builder
	for i := range 1_000_000 {
		line := fmt.Sprintf("line %d\n", i)
		if i < 100 {
			few.WriteString(line)
		}
		many.WriteString(line)
	}
	body := func(text string) *snapshot.Snapshot {
		s := stream(1, 3)
		s.Events.Entries[len(s.Events.Entries)-1].What = text
		return s
	}
	for name, c := range map[string]struct {
		small, large *snapshot.Snapshot
		full         bool
	}{
		"events":          {stream(1, 100), stream(1, 200_000), false},
		"a line of one":   {body(few.String()), body(many.String()), false},
		"an event's text": {body(few.String()), body(many.String()), true},
	} {
		_, little := frame(c.small, c.full)
		text, much := frame(c.large, c.full)
		if much > 2*little+200 {
			t.Errorf("%s: a frame of many costs %.0f allocations, of few %.0f", name, much, little)
		}
		if lines := strings.Count(text, "\n") + 1; lines != 36 {
			t.Errorf("%s: %d lines are drawn", name, lines)
		}
	}
	if text, _ := frame(body(many.String()), true); !strings.Contains(text, "line 3") {
		t.Errorf("the text of the event is not there:\n%s", text)
	}
}
