// Package replaytest has a Track that is made of a list of moments, for tests of what plays and
// shows recordings.
package replaytest

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// Start is when the recordings of this package begin.
func Start() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

// Track stands at one of its moments. Its fields may be set before it is used.
type Track struct {
	Header recording.Header
	All    []snapshot.Moment
	// Damage is met behind the last of All, nil for none.
	Damage *recording.Damage
	// Fail, where it is not nil, is what Seek, SeekTime and Next return, without moving.
	Fail error
	// Base is what Picture makes copies of; nil is an empty snapshot.
	Base *snapshot.Snapshot
	// Before is called by each method that may take its time, with its name; nil: nothing is.
	Before func(method string)

	pos     int // how many of All have happened
	Watched []mq.MessageQueue
	Closed  bool
}

// Every is a Track of n moments, one every so often, with the numbers 1 to n.
func Every(n int, step time.Duration) *Track {
	t := &Track{Header: recording.Header{Program: "mqscope test", Source: "engine", Created: Start(), Group: "billing"}}
	for i := range n {
		t.All = append(t.All, snapshot.Moment{
			Event: uint64(i + 1), At: Start().Add(time.Duration(i) * step), Kind: "pull.found", Level: snapshot.Debug,
			Queue: mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: int32(i % 4)}, Group: "billing",
			Words: fmt.Sprintf("event %d", i+1),
		})
	}
	return t
}

// Interest makes the moments with these numbers points of interest.
func (t *Track) Interest(kind snapshot.InterestKind, events ...uint64) *Track {
	for i := range t.All {
		if slices.Contains(events, t.All[i].Event) {
			t.All[i].Interest, t.All[i].Level = kind, snapshot.Warn
		}
	}
	return t
}

func (t *Track) before(method string) {
	if t.Before != nil {
		t.Before(method)
	}
}

// Info implements replay.Track.
func (t *Track) Info() replay.Info {
	i := replay.Info{Header: t.Header}
	if n := len(t.All); n > 0 {
		i.From, i.To, i.Total = t.All[0].At, t.All[n-1].At, t.All[n-1].Event
	}
	if t.Damage != nil {
		i.Damage = t.Damage.Error()
	}
	return i
}

// Event implements replay.Track.
func (t *Track) Event() uint64 {
	if t.pos == 0 {
		return 0
	}
	return t.All[t.pos-1].Event
}

// At implements replay.Track.
func (t *Track) At() time.Time {
	if t.pos == 0 {
		return time.Time{}
	}
	return t.All[t.pos-1].At
}

// Seek implements replay.Track.
func (t *Track) Seek(n uint64) error {
	t.before("Seek")
	if t.Fail != nil {
		return t.Fail
	}
	t.pos = 0
	for t.pos < len(t.All) && t.All[t.pos].Event <= n {
		t.pos++
	}
	return nil
}

// SeekTime implements replay.Track.
func (t *Track) SeekTime(at time.Time) error {
	t.before("SeekTime")
	if t.Fail != nil {
		return t.Fail
	}
	t.pos = 0
	for i := range t.All {
		if !t.All[i].At.After(at) {
			t.pos = i + 1
		}
	}
	return nil
}

// Next implements replay.Track.
func (t *Track) Next() (snapshot.Moment, error) {
	t.before("Next")
	switch {
	case t.Fail != nil:
		return snapshot.Moment{}, t.Fail
	case t.pos < len(t.All):
		t.pos++
		return t.All[t.pos-1], nil
	case t.Damage != nil:
		return snapshot.Moment{}, t.Damage
	}
	return snapshot.Moment{}, io.EOF
}

// Picture implements replay.Track.
func (t *Track) Picture() *snapshot.Snapshot {
	t.before("Picture")
	s := &snapshot.Snapshot{}
	if t.Base != nil {
		*s = *t.Base
	}
	s.At = t.At()
	s.Group.Name = t.Header.Group
	s.Counters.Pulls = uint64(t.pos)
	return s
}

// Watch implements replay.Track.
func (t *Track) Watch(queues []mq.MessageQueue) { t.Watched = queues }

// Moments implements replay.Track.
func (t *Track) Moments(from uint64) iter.Seq2[snapshot.Moment, error] {
	t.before("Moments")
	return func(yield func(snapshot.Moment, error) bool) {
		for _, m := range t.All {
			if m.Event >= from && !yield(m, nil) {
				return
			}
		}
		if t.Damage != nil {
			yield(snapshot.Moment{}, t.Damage)
		}
	}
}

// Close implements replay.Track.
func (t *Track) Close() error {
	t.Closed = true
	return nil
}
