package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// Bounds of what is kept while the recording goes by.
const (
	columns     = 240     // of the time line
	mostKinds   = 200     // of events that are counted apart
	mostPoints  = 400     // points of interest in the list
	mostExtra   = 400     // pictures beside those in regular distance
	mostWords   = 1 << 10 // bytes of an event's text
	interests   = int(snapshot.InterestGap) + 1
	otherEvents = "other kinds"
)

// story is all that a page tells.
type story struct {
	o          Options
	info       replay.Info
	span       Span
	from, to   time.Time
	begin, end *snapshot.Snapshot
	stopped    string // why it ends before the span does

	events  []snapshot.Moment // those that are listed
	extra   int               // of them, how many came when there was room for those of interest only
	total   int
	others  int // events of other groups or clients, which are not counted otherwise
	levels  [snapshot.Error + 1]int
	counted map[string]int // events that are not listed, by kind
	points  []snapshot.Moment
	found   [interests]int
	density [columns]column
	listed  map[uint64]bool // points of interest that have a row among the events

	lanes lanes
}

// column is what happened in one part of the time line.
type column struct {
	all, warn, bad int
	points         [interests]int
	first          [interests]uint64 // event number of the first of them
}

// gather goes through the span once. The end is looked at first, for its time.
func gather(ctx context.Context, t replay.Track, span Span, o Options) (*story, error) {
	s := &story{o: o, info: t.Info(), counted: map[string]int{}, listed: map[uint64]bool{}}
	if err := span.check(s.info.Total); err != nil {
		return nil, err
	}
	s.span = span
	if err := seek(t, span.To); err != nil {
		return nil, err
	}
	s.to, s.end = t.At(), t.Picture()
	if err := seek(t, span.From); err != nil {
		return nil, err
	}
	s.begin, s.from = t.Picture(), t.At()
	if t.Event() == 0 {
		s.from = s.info.From
	}
	if s.to.Before(s.from) { // time ran back, or the file is damaged early
		s.to = s.from
	}
	s.lanes.choose(s.begin, s.end, o)
	if err := s.pass(ctx, t); err != nil {
		return nil, err
	}
	return s, nil
}

// seek goes to an event. Damage on the way is where a recording ends, not an error.
func seek(t replay.Track, n uint64) error {
	err := t.Seek(n)
	if _, damaged := errors.AsType[*recording.Damage](err); damaged {
		return nil
	}
	return err
}

// pass takes the events of the span in, and pictures of what they led to.
func (s *story) pass(ctx context.Context, t replay.Track) error {
	every := max(s.to.Sub(s.from)/time.Duration(s.o.Samples), 1)
	near := max(s.to.Sub(s.from)/2000, 1) // pictures are not closer once many were looked at
	s.lanes.sample(s.from, s.begin)
	last, next, extra, owed := s.from, s.from.Add(every), 0, false
	for n := 0; t.Event() < s.span.To; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			s.finish(t)
			return nil
		case err != nil:
			if _, damaged := errors.AsType[*recording.Damage](err); !damaged {
				return fmt.Errorf("event behind #%d: %w", t.Event(), err)
			}
			s.stopped = err.Error()
			s.finish(t)
			return nil
		case m.Event > s.span.To:
			s.finish(t)
			return nil
		}
		s.take(m)
		if m.Interest == snapshot.InterestRebalance && extra < mostExtra {
			owed = true
		}
		regular := !m.At.Before(next)
		if regular || owed && (extra < mostExtra/2 || m.At.Sub(last) >= near) {
			s.lanes.sample(m.At, t.Picture())
			if !regular {
				extra++
			}
			last, owed = m.At, false
			for regular && !m.At.Before(next) {
				next = next.Add(every * max((m.At.Sub(next))/every, 1))
			}
		}
	}
	s.finish(t)
	return nil
}

// finish has the picture of where it really ended.
func (s *story) finish(t replay.Track) {
	s.end = t.Picture()
	if at := t.At(); at.After(s.to) {
		s.to = at
	}
	s.lanes.sample(s.to, s.end)
}

// ours tells whether an event is of the group, and the client, that the page is about.
func (s *story) ours(m *snapshot.Moment) bool {
	group, client := s.group(), s.end.Replay.Client
	return (m.Group == "" || group == "" || m.Group == group) && (client == "" || m.Client == "" || m.Client == client)
}

// take counts an event, and keeps it while there is room.
func (s *story) take(m snapshot.Moment) {
	if !s.ours(&m) {
		s.others++
		return
	}
	m.Words, m.Where, m.Kind = cut(m.Words, mostWords), cut(m.Where, mostName), cut(m.Kind, 64)
	s.total++
	level := min(m.Level, snapshot.Error)
	s.levels[level]++
	c := &s.density[s.column(m.At)]
	c.all++
	switch level {
	case snapshot.Warn:
		c.warn++
	case snapshot.Error:
		c.bad++
	}
	if i := min(int(m.Interest), interests-1); i > 0 {
		s.found[i]++
		if c.points[i] == 0 {
			c.first[i] = m.Event
		}
		c.points[i]++
		if len(s.points) < mostPoints {
			s.points = append(s.points, m)
		}
	}
	important := m.Interest != snapshot.NoInterest || level >= snapshot.Warn
	switch {
	case len(s.events)-s.extra < s.o.Events && s.extra == 0:
	case important && s.extra < s.o.Events/4:
		s.extra++
	default:
		if _, known := s.counted[m.Kind]; !known && len(s.counted) >= mostKinds {
			m.Kind = otherEvents
		}
		s.counted[m.Kind]++
		return
	}
	s.events = append(s.events, m)
	if m.Interest != snapshot.NoInterest {
		s.listed[m.Event] = true
	}
}

// column is where on the time line a moment is.
func (s *story) column(at time.Time) int {
	whole := s.to.Sub(s.from)
	if whole <= 0 {
		return 0
	}
	return min(max(int(float64(at.Sub(s.from))/float64(whole)*columns), 0), columns-1)
}
