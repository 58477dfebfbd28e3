package tui

import (
	"strings"

	"mqscope/engine/snapshot"
)

// refused tells of what was asked for and was not done, which the engine says in its events: who
// asked may be on any screen.
func (m *model) refused(before, now *snapshot.Snapshot) {
	if now.Replay.Known { // what was refused then was told to somebody else
		return
	}
	e, ok := lastRefusal(now)
	if old, had := lastRefusal(before); !ok || had && e.Seq == old.Seq && e.Count == old.Count {
		return
	}
	m.toast(snapshot.MarkWatch, capital(m.clean, e.What))
}

// lastRefusal is the newest entry of that kind.
func lastRefusal(s *snapshot.Snapshot) (snapshot.Entry, bool) {
	for i := len(s.Events.Entries) - 1; i >= 0; i-- {
		if e := s.Events.Entries[i]; e.Level == snapshot.Warn && e.Source == "engine" && strings.HasPrefix(e.What, "not done: ") {
			return e, true
		}
	}
	return snapshot.Entry{}, false
}
