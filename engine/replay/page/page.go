package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// Span is a part of a recording: what follows from where From events have happened, up to where
// To have. No To is the end.
type Span struct{ From, To uint64 }

// Options says what is on a page beside the recording. The zero value will do.
type Options struct {
	File      string // name of the recording, as a person knows it
	Program   string // that makes the page, with its version
	Bookmarks []snapshot.Bookmark
	Zone      *time.Location // that times are written in; nil: UTC

	Events  int // that are listed at most, 0: 20,000; a quarter more where they are of interest
	Queues  int // in the table at most, 0: 500
	Lanes   int // queues drawn over time at most, 0: 200
	Samples int // pictures looked at in regular distance, 0: 160
}

func (o Options) withDefaults() Options {
	for n, most := range map[*int]int{&o.Events: 20_000, &o.Queues: 500, &o.Lanes: 200, &o.Samples: 160} {
		if *n <= 0 {
			*n = most
		}
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return o
}

// Write writes the page of a span. The track ends up where the span does. Nothing is written
// before all of the span was seen, which ends early when ctx does.
func Write(ctx context.Context, w io.Writer, t replay.Track, span Span, o Options) error {
	o = o.withDefaults()
	s, err := gather(ctx, t, span, o)
	if err != nil {
		return err
	}
	return s.write(w)
}

// check tells what is wrong with a span of a recording of so many events.
func (s *Span) check(total uint64) error {
	if s.To == 0 || s.To > total {
		s.To = total
	}
	if total == 0 {
		return errors.New("the recording has no events: there is nothing to put on a page")
	}
	if s.From >= s.To {
		return fmt.Errorf("the span begins at event %d and ends at %d: give an end behind its beginning", s.From, s.To)
	}
	return nil
}
