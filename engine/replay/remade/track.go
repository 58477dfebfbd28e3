// Package remade plays recordings of our own consumers: the consumer's code takes what was recorded
// once more, and does the same. A Track owns a consumer.Remake; it is played by package replay.
//
// A jump begins at the nearest place where all is known: where it stands, a place that it has kept
// in memory, or a checkpoint of the file. There the event stream has the last 500 lines of before;
// Fill reads the others.
package remade

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// What a recording's header has to say, by name.
const (
	MetaSetup = "setup" // see consumer.Push.Setup
	MetaTypes = "types" // see consumer.Types
)

// Track plays a recording of our own consumer. It is a replay.Track.
type Track struct {
	r      *recording.Reader
	remake *consumer.Remake
	beside replay.Beside
	info   replay.Info
	first  uint64 // number of the first checkpoint

	event      uint64 // number of the last record that was taken
	whole      bool   // it was an event, and not a part of the next one
	checkpoint bool   // it was one
	stuck      bool   // what it holds is not that of event
	kept       kept
	lines      lines
	// ahead is another track of the file that looks for breakpoints, nil while none was looked for;
	// passing says that this one is that.
	ahead   *Track
	passing bool
	told    uint64 // first entry that the last event told, see snapshot.Replay
	trail   step.Trail
	toward  func() (step.Stop, error) // see Aim
	traced  bool
}

// Open makes a Track of a recording whose source is "engine": it is a replay.Opener.
func Open(r *recording.Reader, o replay.Options) (replay.Track, error) {
	h := r.Header()
	if o.Group != "" && h.Group != "" && o.Group != h.Group {
		return nil, fmt.Errorf("no group %q in it: it is of one consumer of group %q", o.Group, h.Group)
	}
	edited := h.Meta[replay.MetaRedacted] != ""
	remake, err := consumer.NewRemake([]byte(h.Meta[MetaSetup]), h.Meta[MetaTypes], edited)
	if err != nil {
		return nil, err
	}
	i := r.Info()
	t := &Track{
		r: r, remake: remake, beside: besideOf(remake, o), lines: lines{again: o.Again},
		info: replay.Info{Header: h, From: i.Begin, To: i.Last, Total: i.Next - min(i.Next, 1)},
	}
	if d := i.Damage(); d != nil {
		t.info.Damage = d.Error()
	}
	if i.Begin.IsZero() && i.Cut != nil {
		return nil, fmt.Errorf("no event in it can be read: %w", i.Cut)
	}
	if i.Begin.IsZero() {
		return nil, errors.New("there is no event in it: the recording ended before anything was taken")
	}
	if err := t.toFirst(); err != nil {
		return nil, err
	}
	return t, nil
}

// besideOf lists events without making them again.
func besideOf(remake *consumer.Remake, o replay.Options) replay.Beside {
	list := remake.NewList()
	return replay.Beside{Again: o.Again, Lead: lead(list), Moment: func(e recording.Entry) (m snapshot.Moment, ok bool, err error) {
		if m, ok, err = list.Add(e); err != nil {
			err = malformed(e.Number, err)
		}
		return m, ok, err
	}}
}

// lead has list read what is between the last checkpoint and a record: events go on from others.
func lead(list *consumer.List) func(r *recording.Reader, from uint64) error {
	return func(r *recording.Reader, from uint64) error {
		list.Forget()
		at, err := r.SeekCheckpoint(from)
		for err == nil && at < from {
			var e recording.Entry
			if e, err = r.Next(); err != nil || e.Number >= from { // the end, or damage: whoever reads on meets it
				break
			}
			if _, _, err := list.Add(e); err != nil {
				return malformed(e.Number, err)
			}
			at = e.Number + 1
		}
		if at == from && err == nil {
			return nil
		}
		return r.SeekRecord(from)
	}
}

// Moments lists the events from number from on, without moving.
func (t *Track) Moments(from uint64) iter.Seq2[snapshot.Moment, error] {
	return t.beside.Moments(max(from, t.first), t.info.Total)
}

// toFirst goes to the first checkpoint: before it nothing can be known.
func (t *Track) toFirst() error {
	if err := t.r.SeekRecord(t.info.Header.First); err != nil {
		return err
	}
	for {
		e, err := t.r.Next()
		if errors.Is(err, io.EOF) {
			return errors.New("it has no checkpoint: the recording ended before one was whole")
		}
		if err != nil {
			return err
		}
		if !e.Checkpoint {
			continue
		}
		t.first = e.Number
		if err := t.restore(e); err != nil {
			return err
		}
		t.lines.first = t.remake.Lines().Entries
		t.lines.oldest, _, _ = t.remake.Oldest()
		return nil
	}
}

func (t *Track) restore(e recording.Entry) error {
	t.leave()
	t.trail.Forget(t.remake.Started())
	if err := t.remake.Restore(e.Record); err != nil {
		t.stuck = true
		return malformed(e.Number, err)
	}
	t.event, t.whole, t.stuck, t.told = e.Number, true, false, 0
	t.arrived(e.Number)
	return nil
}

// Info is what the recording says of itself.
func (t *Track) Info() replay.Info { return t.info }

// Event is the number of the last record that was taken.
func (t *Track) Event() uint64 { return t.event }

// At is when that was.
func (t *Track) At() time.Time { return t.remake.Now() }

// Watch names the queues that pictures show in detail.
func (t *Track) Watch(queues []mq.MessageQueue) { t.remake.Watch(queues) }

// Picture is the snapshot of where it stands.
func (t *Track) Picture() *snapshot.Snapshot {
	s := t.remake.Picture()
	s.Replay.Known, s.Replay.Departed, s.Replay.Told = true, t.remake.Departed(), t.told
	t.trail.Show(s)
	return s
}

// Decision goes one decision on within the last event, or back; false where there is none.
func (t *Track) Decision(back bool) bool { return t.trail.Go(back) }

// FirstDecision shows no more of the last event than its first decision.
func (t *Track) FirstDecision() { t.trail.First() }

// Break carries out a command about breakpoints, of package step/command.
func (t *Track) Break(cmd any) error { return t.trail.Do(cmd) }

// Hit is the breakpoint that the last event reached, "" for none.
func (t *Track) Hit() string { return t.trail.Hit() }

// Close closes the files.
func (t *Track) Close() error {
	var filling error
	if t.lines.r != nil {
		filling = t.lines.r.Close()
	}
	var ahead error
	if t.ahead != nil {
		ahead = t.ahead.Close()
	}
	return errors.Join(t.r.Close(), t.beside.Close(), filling, ahead)
}

// Told is the number of the newest entry of the event stream.
func (t *Track) Told() uint64 { return t.remake.Newest() }

// Next takes the next event.
func (t *Track) Next() (snapshot.Moment, error) {
	t.watch(true)
	for {
		event, err := t.take()
		if err != nil {
			return snapshot.Moment{}, err
		}
		if !event {
			continue
		}
		m, ok := t.remake.Moment(t.event)
		hit := t.trail.Hit() != ""
		if !ok && !hit {
			continue
		}
		if !ok { // playing stops here all the same
			m.Kind, m.Words = "time", "time passed"
		}
		if hit {
			m.Interest = snapshot.InterestBreakpoint
		}
		return m, nil
	}
}

// watch has decisions traced, which is not done on long ways.
func (t *Track) watch(on bool) {
	switch {
	case on == t.traced:
	case on:
		t.remake.WatchDecisions(&t.trail)
	default:
		t.remake.WatchDecisions(nil)
		t.trail.Forget(t.remake.Started())
	}
	t.traced = on
}

// take takes the next record, and says whether it was an event.
func (t *Track) take() (event bool, err error) {
	if t.stuck {
		return false, malformed(t.event, errors.New("what was before can not be read"))
	}
	e, err := t.r.Next()
	if err != nil {
		return false, t.ended(err)
	}
	steps, told := t.trail.Steps(), t.remake.Newest()
	event, err = t.remake.Take(e.Record, e.Number)
	if err != nil {
		t.stuck = true
		return false, t.ended(malformed(e.Number, err))
	}
	t.event, t.whole, t.checkpoint = e.Number, event, e.Checkpoint
	if event {
		t.trail.Event(steps)
		if t.told = 0; t.remake.Newest() > told {
			t.told = told + 1
		}
	}
	t.keep(event)
	return event, nil
}

// malformed says that a record is there and makes no sense.
func malformed(number uint64, err error) error {
	return &recording.Damage{Record: number, Reason: "the record is malformed: " + err.Error()}
}

// ended notes why there is nothing behind.
func (t *Track) ended(err error) error {
	if errors.Is(err, io.EOF) {
		t.info.Total = t.event
		return err
	}
	if d, ok := errors.AsType[*recording.Damage](err); ok {
		if t.info.Damage == "" {
			t.info.Damage = d.Error()
		}
		if back := t.r.SeekRecord(d.Record); back != nil {
			return errors.Join(err, back)
		}
	}
	return fmt.Errorf("play: %w", err)
}
