package consumer

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/offset"
	"mqscope/engine/processqueue"
	"mqscope/engine/rebalance"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// setup is the configuration of a consumer as recordings have it.
type setup struct {
	Config    Config
	Strategy  rebalance.Strategy // nil where it is one of the application's own
	StartedAt time.Time
}

// Setup is what a recording's header has to say of the consumer, for NewRemake.
func (p *Push) Setup() []byte {
	s := setup{Config: p.cfg, Strategy: p.cfg.Strategy, StartedAt: p.loop.startedAt}
	if !rebalance.Plain(s.Strategy) {
		s.Strategy = nil
	}
	return codec().Append(nil, &s)
}

// Types is the description of what a recording's records are like, for NewRemake.
func Types() string { return typesOf() }

// Remake is a push consumer's loop that takes what was recorded of one in place of what would come
// from outside, and so does what that did. It has no threads, no connections and no clock: those
// are not called for. One goroutine owns it.
type Remake struct {
	cfg     Config
	started time.Time
	codec   *pack.Codec
	edited  bool

	loop     *loop
	now      time.Time
	departed string
	expected []event.Entry // recorded as told, since the last event
	sink     decision.Sink
	watched  []mq.MessageQueue
}

// NewRemake returns one for a recording whose header has setup and types, see Push.Setup and
// Types. Edited says that something was taken out of the recording since: hashes are not compared
// then. It begins at a checkpoint, see Restore.
func NewRemake(setupBytes []byte, types string, edited bool) (*Remake, error) {
	c, err := codec().Adapt(types)
	if err != nil {
		return nil, fmt.Errorf("what the recording says of its records: %w", err)
	}
	var s setup
	if _, err := c.Decode(setupBytes, &s); err != nil {
		return nil, fmt.Errorf("the recorded configuration: %w", err)
	}
	if s.Strategy == nil {
		return nil, errors.New("the consumer had a strategy of its application, which is not recorded: it can not be played again")
	}
	r := &Remake{cfg: s.Config, started: s.StartedAt, codec: c, edited: edited}
	r.cfg.Strategy, r.cfg.Clock, r.cfg.Log = s.Strategy, stopped{clock.System{}, r}, slog.New(slog.DiscardHandler)
	return r, r.begin()
}

// stopped is a clock that stands where the remake does.
type stopped struct {
	clock.Clock
	at *Remake
}

func (s stopped) Now() time.Time { return s.at.now }

// begin makes a loop that knows nothing yet.
func (r *Remake) begin() error {
	l, err := newLoop(&r.cfg, nil)
	if err != nil {
		return fmt.Errorf("the recorded configuration: %w", err)
	}
	l.in.remaking, l.in.looks = true, map[string]look{}
	l.inbox.deaf = true
	l.startedAt = r.started
	l.decisions.Watch(r.sink)
	r.loop, r.expected = l, nil
	return nil
}

// WatchDecisions has what the loop decides told to s from now on.
func (r *Remake) WatchDecisions(s decision.Sink) {
	r.sink = s
	r.loop.decisions.Watch(s)
}

// Departed names the first event at which this was not what was recorded, "" where none was.
func (r *Remake) Departed() string { return r.departed }

// Now is the time of the last event.
func (r *Remake) Now() time.Time { return r.now }

// Restore goes to where a checkpoint was recorded.
func (r *Remake) Restore(rec recording.Record) (err error) {
	defer func() { err = r.fault(recover(), err) }()
	if err := r.begin(); err != nil {
		return err
	}
	l := r.loop
	s := saved{State: l}
	if _, err := r.codec.Decode(rec.Payload, &s); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if s.State != l {
		return errors.New("checkpoint: it has no state")
	}
	r.now = rec.At
	l.in.at, l.in.did = rec.At, s.Did
	for _, seen := range s.Looks {
		l.in.looks[seen.Key] = seen
	}
	l.journal.entries, l.journal.seq, l.journal.dropped = s.Journal.Entries, s.Journal.Seq, s.Journal.Dropped
	l.offsets.Record(l.decisions)
	if file, ok := l.offsets.(*offset.File); ok {
		l.file = &fileOffsets{store: file}
	}
	l.drivenBy(nil, s.Driven)
	return r.restoreQueues(s.Readings)
}

func (r *Remake) restoreQueues(list []queueReadings) error {
	l := r.loop
	readings := map[mq.MessageQueue]readings{}
	for _, q := range list {
		readings[q.Queue] = q.readings
	}
	for _, q := range l.order {
		o := l.queues[q]
		if o == nil || o.id != q || o.pq == nil {
			return fmt.Errorf("checkpoint: queue %s is not whole", q.Path())
		}
		o.pq.Queue, o.pq.in = processqueue.New(o.id, o.epoch), l.in
		o.pq.restore(readings[q])
	}
	if len(l.queues) != len(l.order) {
		return errors.New("checkpoint: its queues do not agree")
	}
	return nil
}

// Took is what a record was, in the run.
type Took struct {
	Event   event.Event  // that the loop took, nil where only time had passed
	Entry   *event.Entry // that it told
	Counted bool         // it is an event of the recording, and not a part of one
}

// Take has the loop do what it did with a record, which is the number-th.
func (r *Remake) Take(rec recording.Record, number uint64) (took Took, err error) {
	defer func() { err = r.fault(recover(), err) }()
	switch rec.Kind {
	case kindLook:
		var l look
		if _, err := r.codec.Decode(rec.Payload, &l); err != nil {
			return took, err
		}
		r.loop.in.fresh = append(r.loop.in.fresh, l)
	case kindTold:
		var e event.Entry
		if _, err := r.codec.Decode(rec.Payload, &e); err != nil {
			return took, err
		}
		r.expected = append(r.expected, e)
		return Took{Entry: &e, Counted: true}, nil
	case kindTaken:
		var t taken
		if _, err := r.codec.Decode(rec.Payload, &t); err != nil {
			return took, err
		}
		r.again(rec.At, t)
		r.compare(t, number)
		return Took{Event: t.Event, Counted: true}, nil
	case kindCheckpoint:
		return took, r.check(rec, number)
	}
	return took, nil
}

// again has the loop take what it took.
func (r *Remake) again(at time.Time, t taken) {
	l := r.loop
	r.now = at
	in := l.in
	in.at, in.taken, in.entries = at, t, in.entries[:0]
	if t.Event != nil {
		l.step(at, t.Event)
	}
	if !t.Pass {
		return
	}
	if t.Event != nil {
		r.now = in.due(at)
	}
	l.tick(r.now)
	l.publish(r.now)
}

// compare notes the first event at which the loop has not done what was recorded.
func (r *Remake) compare(t taken, number uint64) {
	in := r.loop.in
	why := ""
	switch {
	case in.failed != nil:
		why = in.failed.Error()
	case len(in.taken.Reads) > 0 || len(in.fresh) > 0:
		why = "the loop did not look at all that it looked at when it was recorded"
	default:
		why = differ(r.expected, in.entries)
	}
	if why == "" && in.did != t.Did && !r.edited {
		why = "the loop did something else than when it was recorded"
	}
	in.failed, in.fresh, r.expected = nil, in.fresh[:0], r.expected[:0]
	if why != "" {
		r.depart(number, fmt.Sprintf("%s (%T)", why, t.Event))
	}
	in.did = t.Did
}

func differ(want, got []event.Entry) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("recorded was %q, which is not told now", want[i].What)
		case i >= len(want):
			return fmt.Sprintf("told is %q, which was not recorded", got[i].What)
		case !want[i].SameAs(got[i]):
			return fmt.Sprintf("told is %q, recorded was %q", got[i].What, want[i].What)
		}
	}
	return ""
}

func (r *Remake) depart(number uint64, why string) {
	if r.departed == "" {
		r.departed = fmt.Sprintf("event %d: %s", number, why)
	}
}

// check compares the loop with a checkpoint that it has come to.
func (r *Remake) check(rec recording.Record, number uint64) error {
	s := saved{}
	if _, err := r.codec.Decode(rec.Payload, &s); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r.loop.journal.view() // as making it did
	if hash := r.loop.hash(); !r.edited && !bytes.Equal(hash, s.Hash) {
		r.depart(number, "what the consumer knew is not what was recorded")
	}
	return nil
}

// fault makes an error of what went wrong in the loop: the recording is not one of its.
func (r *Remake) fault(panicked any, err error) error {
	if panicked != nil {
		return fmt.Errorf("the recording has what no consumer does: %v", panicked)
	}
	return err
}

// Picture is the snapshot of where it stands. It changes nothing.
func (r *Remake) Picture() *snapshot.Snapshot {
	l := r.loop
	was := l.watched
	if len(r.watched) > 0 {
		l.watched = maps.Clone(was)
		for _, q := range r.watched {
			l.watched[q] = true
		}
	}
	defer func() { l.watched = was }()
	return l.still(r.now)
}

// Watch names the queues that pictures show in detail, beside those that were watched then. The
// windows of others were not recorded where there are many.
func (r *Remake) Watch(queues []mq.MessageQueue) { r.watched = slices.Clone(queues) }
