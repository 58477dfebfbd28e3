package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// place is where in a recording or capture something begins or ends, as a person wrote it.
type place struct {
	text  string
	event uint64        // #18244
	since time.Duration // after the first event
	at    time.Time     // whole, or with clock only the time of a day
	clock bool
}

const placeForms = "5s from the beginning, #18244, 12:03:41.220 or 2026-01-31T12:03:41Z is allowed"

func checkPlace(text string) error {
	_, err := parsePlace(text)
	return err
}

// parsePlace reads it; an empty text, or no time at all, is no place.
func parsePlace(text string) (place, error) {
	p := place{text: text}
	if text == "" {
		return p, nil
	}
	if number, ok := strings.CutPrefix(text, "#"); ok {
		n, err := strconv.ParseUint(strings.ReplaceAll(number, ",", ""), 10, 64)
		if err != nil {
			return p, fmt.Errorf("%s", placeForms)
		}
		p.event = n
		return p, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		if d < 0 {
			return p, fmt.Errorf("%s", placeForms)
		}
		p.since = d
		return p, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "15:04:05", "15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			p.at, p.clock = at, len(layout) <= len("15:04:05")
			return p, nil
		}
	}
	return p, fmt.Errorf("%s", placeForms)
}

func (p place) set() bool { return p.event > 0 || p.since > 0 || !p.at.IsZero() || p.clock }

// time is that of a place that is no event; start is when the first event was.
func (p place) time(start time.Time) time.Time {
	switch {
	case p.clock:
		y, m, d := start.Date()
		at := time.Date(y, m, d, p.at.Hour(), p.at.Minute(), p.at.Second(), p.at.Nanosecond(), start.Location())
		if at.Before(start.Truncate(time.Second)) {
			return at.AddDate(0, 0, 1)
		}
		return at
	case !p.at.IsZero():
		return p.at
	}
	return start.Add(p.since)
}

// behind tells whether event number n at that time is behind the place.
func (p place) behind(n uint64, at, start time.Time) bool {
	if p.event > 0 {
		return n > p.event
	}
	return at.After(p.time(start))
}

// before tells whether it is before the place.
func (p place) before(n uint64, at, start time.Time) bool {
	if p.event > 0 {
		return n < p.event
	}
	return at.Before(p.time(start))
}

// checkSpan finds an end before the beginning, where both are written alike.
func checkSpan(from, to place) error {
	if to.since > 0 && to.since < from.since || to.event > 0 && to.event < from.event ||
		!to.at.IsZero() && !from.at.IsZero() && !to.clock && !from.clock && to.at.Before(from.at) {
		return usage("--to %s is before --from %s", to.text, from.text)
	}
	return nil
}
