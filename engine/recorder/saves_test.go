package recorder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mqscope/engine/mq"
)

// hearing is when saves are made of troubles that come at certain times.
type hearing struct {
	saves
	now   time.Time
	made  []string // at which second, and why
	tells []string
}

// until hears of troubles, each second that they go on, and saves when that is due.
func (h *hearing) until(seconds int, troubles func(s int) []trouble) {
	for s := range seconds {
		h.now = wrongAt.Add(time.Duration(s) * time.Second)
		for _, t := range troubles(s) {
			if refused := h.hear(h.now, t); refused != "" {
				h.tells = append(h.tells, fmt.Sprintf("%d %s", s, refused))
			}
		}
		if why, _ := h.take(h.now, false); why != "" {
			h.made = append(h.made, fmt.Sprintf("%d %s", s, why))
		}
	}
}

func about(queue int32, what string) trouble {
	return trouble{cause: causeStuck, queue: mq.MessageQueue{QueueID: queue}, what: what}
}

func TestABoxIsSavedOnceForEachTrouble(t *testing.T) {
	for _, tt := range []struct {
		name     string
		troubles func(s int) []trouble
		want     string
	}{
		{"none", func(int) []trouble { return nil }, ""},
		{"one that goes on", func(s int) []trouble { return []trouble{about(1, "x")} }, "2 x"},
		{"one that comes back soon", func(s int) []trouble {
			if s%200 == 10 {
				return []trouble{about(1, "x")}
			}
			return nil
		}, "12 x"},
		{"one that comes back when all was well for long", func(s int) []trouble {
			if s == 10 || s == 20 || s >= 320 {
				return []trouble{about(1, "x")}
			}
			return nil
		}, "12 x, 322 x"},
		{"several at once", func(s int) []trouble { return []trouble{about(1, "x"), about(2, "y"), about(3, "z")} }, "2 x (and 2 more)"},
		{"others soon after: a minute apart", func(s int) []trouble {
			if s%20 == 0 && s <= 100 {
				return []trouble{about(int32(s), fmt.Sprint("q", s))}
			}
			return nil
		}, "2 q0, 62 q20 (and 2 more), 122 q80 (and 1 more)"},
		{"another cause on the same queue", func(s int) []trouble {
			if s == 100 {
				return []trouble{{cause: causeFlow, queue: mq.MessageQueue{QueueID: 1}, what: "y"}}
			}
			return []trouble{about(1, "x")}
		}, "2 x, 102 y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := hearing{saves: saves{unwell: map[ailment]time.Time{}}}
			h.until(1000, tt.troubles)
			if got := strings.Join(h.made, ", "); got != tt.want || len(h.tells) > 0 {
				t.Errorf("saved at %q, want %q; told %q", got, tt.want, h.tells)
			}
		})
	}
}

// TestABoxDoesNotFillTheDisk: what comes anew for days on end is saved five times a day, and that
// it is not saved any more is said once until it is again. The end is saved all the same.
func TestABoxDoesNotFillTheDisk(t *testing.T) {
	h := hearing{saves: saves{unwell: map[ailment]time.Time{}}}
	h.until(2*24*3600+3600, func(s int) []trouble {
		if s%600 == 0 {
			return []trouble{about(1, "it flaps")}
		}
		return nil
	})
	if len(h.made) < 10 || len(h.made) > 15 {
		t.Errorf("saved %d times in two days: %q", len(h.made), h.made)
	}
	if len(h.tells) < 2 || len(h.tells) > 4 || !strings.Contains(h.tells[0], "3000 black box not saved, it was 5 times by itself within 24 hours; :save does. What went wrong: it flaps") {
		t.Errorf("told %q", h.tells)
	}
	h.ends(h.now, "boom")
	if why, _ := h.take(h.now, true); why != "boom" {
		t.Errorf("at the end saved because of %q", why)
	}
	h.until(1, func(int) []trouble {
		var many []trouble
		for i := range 3 * mostTroubles {
			many = append(many, about(int32(i), "many"))
		}
		return many
	})
	if len(h.unwell) > mostTroubles {
		t.Errorf("%d troubles are remembered", len(h.unwell))
	}
}
