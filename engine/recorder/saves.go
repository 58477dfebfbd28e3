package recorder

import (
	"fmt"
	"slices"
	"time"
)

const (
	lookEvery = time.Second     // for what goes wrong
	saveAfter = 2 * time.Second // something went wrong: what comes of that is saved as well
	saveEvery = time.Minute     // by itself, at most
	mostSaves = 5               // by itself, within savesIn
	savesIn   = 24 * time.Hour
	// wellAfter is how long a trouble must be gone to be a new one when it comes back.
	wellAfter = 5 * time.Minute
	// mostTroubles bounds what is remembered of troubles: names in them come from the network.
	mostTroubles = 10_000
)

// saves decides when a black box is saved by itself: once for each trouble until that was well
// again, and neither often nor many times, so that a broker that comes and goes does not fill the
// disk. What comes while it may not be saved yet is saved as soon as it may.
type saves struct {
	unwell map[ailment]time.Time // when it was seen last
	due    time.Time             // zero: nothing is to be saved
	why    string
	more   int // troubles beside that
	made   []time.Time
	full   bool // that no more are made was said
}

// hear takes in a trouble. What it returns is to be told: why nothing will be saved because of it.
func (s *saves) hear(now time.Time, t trouble) (refused string) {
	key := t.ailment()
	last, known := s.unwell[key]
	if known || len(s.unwell) < mostTroubles {
		s.unwell[key] = now
	}
	if known && now.Sub(last) < wellAfter {
		return ""
	}
	if !s.due.IsZero() {
		s.more++
		return ""
	}
	s.made = slices.DeleteFunc(s.made, func(at time.Time) bool { return now.Sub(at) >= savesIn })
	if len(s.made) >= mostSaves {
		if s.full {
			return ""
		}
		s.full = true
		return fmt.Sprintf("black box not saved, it was %d times by itself within %.0f hours; :save does. What went wrong: %s", mostSaves, savesIn.Hours(), t.what)
	}
	s.due, s.why, s.more = now.Add(saveAfter), t.what, 0
	if n := len(s.made); n > 0 {
		if soonest := s.made[n-1].Add(saveEvery); s.due.Before(soonest) {
			s.due = soonest
		}
	}
	return ""
}

// ends is hear for the end of the consumer: there is no later time to save.
func (s *saves) ends(now time.Time, why string) {
	if !s.due.IsZero() {
		s.more++
	}
	s.due, s.why = now, why
}

// recovered forgets troubles that are over for long.
func (s *saves) recovered(now time.Time) {
	for key, last := range s.unwell {
		if now.Sub(last) >= wellAfter {
			delete(s.unwell, key)
		}
	}
}

// take says why the box is to be saved now, "" when it is not, and when else it is to be.
func (s *saves) take(now time.Time, atOnce bool) (why string, due time.Duration) {
	if s.due.IsZero() {
		return "", 0
	}
	if left := s.due.Sub(now); left > 0 && !atOnce {
		return "", left
	}
	why = s.why
	if s.more > 0 {
		why += fmt.Sprintf(" (and %d more)", s.more)
	}
	s.due, s.more, s.full = time.Time{}, 0, false
	s.made = append(s.made, now)
	return why, 0
}
