package consumer

import (
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

// ErrOwnStrategy says that a recorded consumer allotted queues by code of its application.
var ErrOwnStrategy = errors.New("the consumer had a strategy of its application, which is not recorded: it can not be played again")

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
	at       uint64        // number of the record at which it did
	taken    taken         // the last event
	expected []event.Entry // recorded as told, since that
	sink     decision.Sink
	watched  []mq.MessageQueue
}

// NewRemake returns one for a recording whose header has setup and types, see Push.Setup and
// Types. Edited says that something was taken out of the recording since: hashes are not compared
// then, nor are those of another version of the program. It begins at a checkpoint, see Restore.
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
		return nil, ErrOwnStrategy
	}
	r := &Remake{cfg: s.Config, started: s.StartedAt, codec: c, edited: edited || types != typesOf()}
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

// DepartedAt is the number of the record at which it departed, 0 where it did not.
func (r *Remake) DepartedAt() uint64 { return r.at }

// Compares tells whether what the loop knows is compared at checkpoints, see NewRemake.
func (r *Remake) Compares() bool { return !r.edited }

// Started is when the consumer was made.
func (r *Remake) Started() time.Time { return r.started }

// Now is the time of the last event.
func (r *Remake) Now() time.Time { return r.now }

// Restore goes to where a checkpoint was recorded.
func (r *Remake) Restore(rec recording.Record) error {
	s, err := r.restore(r.codec, rec.Payload, rec.At.Local())
	if err == nil {
		j := r.loop.journal
		j.entries, j.seq, j.dropped = s.Journal.Entries, s.Journal.Seq, s.Journal.Dropped
	}
	return err
}

func (r *Remake) restore(c *pack.Codec, payload []byte, at time.Time) (s saved, err error) {
	defer func() { err = r.fault(recover(), err) }()
	if err := r.begin(); err != nil {
		return s, err
	}
	l := r.loop
	s.State = l
	if _, err := c.Decode(payload, &s); err != nil {
		return s, fmt.Errorf("checkpoint: %w", err)
	}
	if s.State != l {
		return s, errors.New("checkpoint: it has no state")
	}
	r.now, r.taken = at, taken{}
	l.in.at, l.in.did = at, s.Did
	l.in.pulls.restore(s.Pulls)
	for _, seen := range s.Looks {
		l.in.looks[seen.Key] = seen
	}
	l.offsets.Record(l.decisions)
	if file, ok := l.offsets.(*offset.File); ok {
		l.file = &fileOffsets{store: file}
	}
	l.drivenBy(nil, s.Driven)
	return s, r.restoreQueues(s.Readings)
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

// Picture is the snapshot of where it stands. It changes nothing. Of nonsense there is an empty one.
func (r *Remake) Picture() (s *snapshot.Snapshot) {
	l := r.loop
	was, looking := l.watched, l.in.looking
	if len(r.watched) > 0 {
		l.watched = maps.Clone(was)
		for _, q := range r.watched {
			l.watched[q] = true
		}
	}
	defer func() {
		l.watched, l.in.looking = was, looking
		if err := r.fault(recover(), nil); err != nil {
			s = &snapshot.Snapshot{At: r.now}
			if r.departed == "" {
				r.departed = err.Error()
			}
		}
	}()
	return l.still(r.now)
}

// Watch names the queues that pictures show in detail, beside those that were watched then. The
// windows of others were not recorded where there are many.
func (r *Remake) Watch(queues []mq.MessageQueue) { r.watched = slices.Clone(queues) }

// Kept is a place that a remake can go back to.
type Kept struct {
	payload []byte
	at      time.Time
	lines   []event.Entry
	seq     uint64
	open    bool
	last    *snapshot.Snapshot // see loop.last
}

// Size is about how many bytes it takes.
func (k *Kept) Size() int { return len(k.payload) + 150*len(k.lines) }

// Keep returns the place where the remake stands, with as many lines as a checkpoint has.
func (r *Remake) Keep() *Kept {
	l := r.loop
	s, j := l.whole(), l.journal
	return &Kept{
		payload: codec().Append(nil, &s), at: r.now, lines: slices.Clone(j.end()), seq: j.seq, open: j.open, last: l.last,
	}
}

// Resume goes back to k.
func (r *Remake) Resume(k *Kept) error {
	if _, err := r.restore(codec(), k.payload, k.at); err != nil {
		return err
	}
	r.loop.last = k.last
	j := r.loop.journal
	j.entries, j.seq, j.dropped, j.open, j.shared = slices.Clip(k.lines), k.seq, k.seq-uint64(len(k.lines)), k.open, true
	return nil
}
