package consumer

import (
	"errors"
	"fmt"
	"strings"

	"mqscope/engine/event"
	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// List makes moments of a recording's records without remaking anything.
type List struct {
	codec *pack.Codec
	told  []event.Entry // that belong to the next event
	taken taken
	pulls pulls
	id    string
	group string
}

// NewList lists what Remake's recording holds.
func (r *Remake) NewList() *List {
	return &List{codec: r.codec, id: r.cfg.ClientID, group: r.cfg.Group}
}

// Add takes a record; ok says that it ends an event of the recording, which m is.
func (l *List) Add(rec recording.Entry) (m snapshot.Moment, ok bool, err error) {
	switch rec.Kind {
	case kindTold:
		var e event.Entry
		if _, err := l.codec.Decode(rec.Payload, &e); err != nil {
			return m, false, err
		}
		l.told = append(l.told, e)
	case kindTaken, kindBrief:
		l.taken, err = l.pulls.decodeTaken(l.codec, rec.Record)
		if err != nil && !errors.Is(err, errAgain) {
			return m, false, err
		}
		if err != nil { // what it goes on from was taken out of the file
			l.told = append(l.told, event.Entry{Source: "pull", What: err.Error()})
		}
		m, ok = l.moment(l.taken.Event, l.told)
		m.Event, m.At = rec.Number, rec.At.Local()
		l.told = l.told[:0]
	case kindCheckpoint:
		l.pulls.forget()
	}
	return m, ok, nil
}

// Forget lets go entries whose event does not follow: the list goes on elsewhere.
func (l *List) Forget() {
	l.told = l.told[:0]
	l.pulls.forget()
}

// moment is an event with what the loop told at it. That time has passed is one only if something
// was told. An event with nonsense in it is said to be one.
func (l *List) moment(e event.Event, told []event.Entry) (m snapshot.Moment, ok bool) {
	defer func() {
		if recover() != nil {
			m, ok = about("event", fmt.Sprintf("%T, which makes no sense", e)), true
		}
	}()
	m = momentOf(e)
	m.Client, m.Group = l.id, l.group
	for _, t := range told {
		if t.Level >= m.Level {
			m.Level = t.Level
		}
		if m.Interest == snapshot.NoInterest {
			m.Interest = interestOf(t)
		}
		if m.Kind == "" {
			m.Kind = "told." + t.Source
		}
		if m.Queue == (mq.MessageQueue{}) && m.Where == "" {
			m.Queue, m.Where = t.Queue, t.Where
		}
		m.Words = join(m.Words, t.What)
	}
	return m, m.Kind != ""
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case strings.Contains(a, b):
		return a
	}
	return a + "; " + b
}

// interestOf says why one would look at what was told.
func interestOf(e event.Entry) snapshot.InterestKind {
	locks := strings.Contains(e.What, "lock")
	switch {
	case e.Source == "flow" && e.Level >= event.Warn:
		return snapshot.InterestFlow
	case e.Source == "rebalance" && locks && e.Level >= event.Warn:
		return snapshot.InterestLock
	case e.Source == "rebalance":
		return snapshot.InterestRebalance
	case e.Source == "offset" && e.Level >= event.Warn:
		return snapshot.InterestOffset
	case e.Level >= event.Error, e.Source == "remote" && e.Level >= event.Warn:
		return snapshot.InterestError
	}
	return snapshot.NoInterest
}
