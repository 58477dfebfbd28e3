package replay

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// seekForms says what can be written.
const seekForms = "write #18244, 12:03:41.220, 2026-01-31T12:03:41Z, +5s, -5s, 42% or ;2"

// target is a place in a recording: an event or a time.
type target struct {
	event   uint64
	at      time.Time
	isEvent bool
}

// seekText goes to what a person wrote.
func (p *Player) seekText(text string) {
	to, err := p.parse(text)
	if err != nil {
		p.say(err.Error())
		return
	}
	p.seekTarget(to)
}

func (p *Player) seekTarget(to target) {
	if to.isEvent {
		p.seek(to.event)
	} else {
		p.seekTime(to.at)
	}
}

// CheckSeek tells what is wrong with the text of a command.Seek, as far as that can be told
// without a recording.
func CheckSeek(text string) error {
	p := Player{head: time.Unix(0, 0).UTC()}
	p.info.From, p.info.To, p.info.Total = p.head, p.head.Add(24*time.Hour-1), math.MaxUint64
	_, err := p.parse(text)
	if errors.As(err, new(*outsideError)) {
		return nil
	}
	return err
}

// outsideError says that there is no such place in this recording.
type outsideError struct{ why string }

func (e *outsideError) Error() string { return e.why }

func outside(format string, args ...any) error { return &outsideError{fmt.Sprintf(format, args...)} }

// parse reads what a person wrote as a place.
func (p *Player) parse(text string) (target, error) {
	text = strings.TrimSpace(text)
	wrong := fmt.Errorf("%q is no place in a recording: %s", cutText(text), seekForms)
	if text == "" {
		return target{}, errors.New("where to? " + seekForms)
	}
	rest := text[1:]
	switch text[0] {
	case '#':
		n, err := strconv.ParseUint(strings.ReplaceAll(rest, ",", ""), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && n > p.info.Total:
			return target{}, outside("there is no event %s: the last is #%d", cutText(rest), p.info.Total)
		case err != nil:
			return target{}, wrong
		}
		return target{event: n, isEvent: true}, nil
	case ';':
		n, err := strconv.Atoi(rest)
		if err != nil {
			return target{}, wrong
		}
		for _, b := range p.bookmarks() {
			if b.Number == n {
				return target{event: b.Event, isEvent: true}, nil
			}
		}
		return target{}, outside("there is no bookmark %d", n)
	case '+', '-':
		d, err := time.ParseDuration(text)
		if err != nil {
			return target{}, wrong
		}
		return target{at: p.head.Add(d)}, nil
	}
	if before, ok := strings.CutSuffix(text, "%"); ok {
		f, err := strconv.ParseFloat(before, 64)
		if err != nil || !(f >= 0 && f <= 100) {
			return target{}, wrong
		}
		return target{at: p.info.From.Add(scaled(p.info.To.Sub(p.info.From), f/100))}, nil
	}
	if n, err := strconv.ParseUint(strings.ReplaceAll(text, ",", ""), 10, 64); err == nil && n <= p.info.Total {
		return target{event: n, isEvent: true}, nil
	}
	return p.parseTime(text, wrong)
}

func (p *Player) parseTime(text string, wrong error) (target, error) {
	zone := p.info.From.Location()
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			if at.After(p.info.To) || at.Before(p.info.From.Truncate(time.Second)) {
				return target{}, p.outsideOf(text)
			}
			return target{at: at}, nil
		}
	}
	for _, layout := range []string{time.TimeOnly, "15:04"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return p.timeOfDay(text, at)
		}
	}
	return target{}, wrong
}

// timeOfDay is a time of the day where it stands, or of the first day that has it.
func (p *Player) timeOfDay(text string, of time.Time) (target, error) {
	on := func(day time.Time) time.Time {
		y, m, d := day.In(of.Location()).Date()
		return time.Date(y, m, d, of.Hour(), of.Minute(), of.Second(), of.Nanosecond(), of.Location())
	}
	begin := p.info.From.Truncate(time.Second) // 12:00:00 is also the beginning where that is 12:00:00.4
	for _, day := range []time.Time{p.head, p.info.From, p.info.From.AddDate(0, 0, 1), p.info.To} {
		if at := on(day); !at.Before(begin) && !at.After(p.info.To) {
			return target{at: at}, nil
		}
	}
	return target{}, p.outsideOf(text)
}

func (p *Player) outsideOf(text string) error {
	const layout = "2006-01-02 15:04:05.000"
	return outside("%s is not in the recording: it goes from %s to %s", cutText(text), p.info.From.Format(layout), p.info.To.In(p.info.From.Location()).Format(layout))
}

// cutText keeps what a person wrote readable in a sentence.
func cutText(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
