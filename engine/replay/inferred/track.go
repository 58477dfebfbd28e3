package inferred

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/snapshot"
)

// Track plays a recording of inferred events. It is a replay.Track.
type Track struct {
	r       *recording.Reader
	beside  replay.Beside
	codec   *pack.Codec
	info    replay.Info
	group   string // that pictures are about
	client  string
	watched []mq.MessageQueue

	state  *infer.State
	memory *picture.Memory
	before uint64 // number in front of the first record
	event  uint64 // number of the last event that was taken
	at     time.Time
	dirty  bool // the state is not that of event: an event was taken in part
	entry  entry
	kept   kept
	room   []byte // see parts
	// backing says that it goes back a little.
	backing bool
}

// Open makes a Track of a recording whose source is "capture" or "proxy": it is a replay.Opener.
func Open(r *recording.Reader, o replay.Options) (replay.Track, error) { return newTrack(r, o) }

func newTrack(r *recording.Reader, o replay.Options) (*Track, error) {
	c, err := reading(r.Header())
	if err != nil {
		return nil, err
	}
	i := r.Info()
	t := &Track{
		before: r.Header().First - min(r.Header().First, 1),
		r:      r, codec: c, client: o.Client, beside: besideOf(c, o),
		info: replay.Info{Header: r.Header(), From: i.Begin, To: i.Last, Total: i.Next - min(i.Next, 1)},
	}
	if d := i.Damage(); d != nil {
		t.info.Damage = d.Error()
	}
	if i.Begin.IsZero() && i.Cut != nil {
		return nil, fmt.Errorf("no event in it can be read: %w", i.Cut)
	}
	if i.Begin.IsZero() {
		return nil, errors.New("there is no event in it: the recording ended before anything was seen")
	}
	t.fresh()
	if err := t.choose(o.Group); err != nil {
		return nil, err
	}
	return t, t.Seek(0)
}

// choose finds the group that pictures are about: the one that was asked for, that the recording
// is of, or that pulled most.
func (t *Track) choose(asked string) error {
	if err := t.Seek(t.info.Total); err != nil {
		return err
	}
	if asked != "" && t.state.Groups[asked] == nil {
		return fmt.Errorf("no group %.80q in it: %s", asked, namesOf(t.state))
	}
	if asked != "" {
		t.group = asked
		return nil
	}
	if t.group = t.info.Header.Group; t.group != "" {
		return nil
	}
	most := -1
	for _, g := range t.state.SortedGroups() {
		if n := busy(g); n > most {
			most, t.group = n, g.Name
		}
	}
	return nil
}

// busy is how much of a group was seen.
func busy(g *infer.Group) int {
	n := len(g.Queues) + len(g.Members)
	for _, q := range g.Queues {
		n += q.Acked
		for _, pulls := range q.Pulls {
			n += pulls
		}
	}
	return n
}

// fresh forgets all: nothing has happened.
func (t *Track) fresh() { t.stand(infer.NewState(), picture.NewMemory(), t.before, time.Time{}) }

// stand has what was seen up to an event. The reader is brought there by the caller.
func (t *Track) stand(s *infer.State, m *picture.Memory, event uint64, at time.Time) {
	t.state, t.memory, t.event, t.at, t.dirty = s, m, event, at, false
	t.kept.passed(t)
}

// Info is what the recording says of itself.
func (t *Track) Info() replay.Info { return t.info }

// Event is how many records have been gone through, up to the last event.
func (t *Track) Event() uint64 { return t.event }

// At is when the last event happened, or that of the first one before anything did.
func (t *Track) At() time.Time {
	if t.event == t.before {
		return t.info.From
	}
	return t.at
}

// State is what was seen up to here. It is for reading and goes on changing.
func (t *Track) State() *infer.State { return t.state }

// Told is the number of the newest entry of the event stream: each event is one.
func (t *Track) Told() uint64 { return t.state.Seq }

// told is that of the last event, 0 before the first.
func (t *Track) told() uint64 {
	if t.event == t.before {
		return 0
	}
	return t.state.Seq
}

// Group is the group that pictures are about.
func (t *Track) Group() string { return t.group }

// Next takes the next event.
func (t *Track) Next() (snapshot.Moment, error) {
	for {
		e, err := t.r.Next()
		if err == nil && e.Kind != kindEvent {
			continue
		}
		if err == nil {
			err = t.take(e)
		}
		if err != nil {
			return snapshot.Moment{}, t.ended(err)
		}
		t.keep()
		return momentOf(e.Number, e.At, &t.entry), nil
	}
}

// take has an event happen.
func (t *Track) take(e recording.Entry) (err error) {
	if err := decodeEvent(t.codec, e, &t.entry); err != nil {
		return err
	}
	defer func() { // a checkpoint may claim what no traffic leads to
		if p := recover(); p != nil {
			t.dirty = true
			err = malformed(e.Number, fmt.Errorf("the event does not follow from what was before: %v", p))
		}
	}()
	one := infer.Event{Seq: t.entry.Seq, At: e.At, Conn: t.entry.Conn, Fact: t.entry.Fact}
	t.state.Step(one)
	t.memory.Step(t.state, one)
	t.event, t.at = e.Number, e.At
	return nil
}

func decodeEvent(c *pack.Codec, e recording.Entry, to *entry) error {
	*to = entry{}
	rest, err := c.Decode(e.Payload, to)
	switch {
	case err != nil:
		return malformed(e.Number, err)
	case len(rest) > 0:
		return malformed(e.Number, fmt.Errorf("%d bytes too many", len(rest)))
	case to.Fact == nil, infer.Kind(to.Fact) == infer.UnknownKind:
		return malformed(e.Number, errors.New("an event without a fact"))
	}
	return nil
}

// malformed says that a record is there and makes no sense.
func malformed(number uint64, err error) error {
	return &recording.Damage{Record: number, Reason: "the record is malformed: " + err.Error()}
}

// ended notes why there is nothing behind, and has the reader stay there.
func (t *Track) ended(err error) error {
	if errors.Is(err, io.EOF) {
		t.info.Total = t.event
		return err
	}
	t.note(err)
	if d, ok := errors.AsType[*recording.Damage](err); ok {
		if back := t.r.SeekRecord(d.Record); back != nil {
			return errors.Join(err, back)
		}
	}
	return err
}

func (t *Track) note(err error) {
	if t.info.Damage == "" {
		t.info.Damage = err.Error()
	}
}

// Watch names the queues that pictures show in detail.
func (t *Track) Watch(queues []mq.MessageQueue) { t.watched = slices.Clone(queues) }

// Close closes the file.
func (t *Track) Close() error { return errors.Join(t.r.Close(), t.beside.Close()) }
