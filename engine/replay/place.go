package replay

import "time"

// Place is how many events have happened at a place that a person wrote as for command.Seek; +5s
// is so long behind the beginning of the recording. marks may be nil. For a time the track goes
// there, to find out.
func Place(t Track, marks *Bookmarks, text string) (uint64, error) {
	return PlaceFrom(t, marks, t.Info().From, text)
}

// PlaceFrom is Place with +5s so long behind here.
func PlaceFrom(t Track, marks *Bookmarks, here time.Time, text string) (uint64, error) {
	if marks == nil {
		marks = NewBookmarks()
	}
	p := Player{track: t, info: t.Info(), marks: marks}
	p.head = here
	to, err := p.parse(text)
	if err != nil || to.isEvent {
		return to.event, err
	}
	if err := t.SeekTime(to.at); err != nil {
		return 0, err
	}
	return t.Event(), nil
}
