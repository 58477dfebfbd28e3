package replay

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// Comparison says where two recordings part. What happened is compared in the order of each queue,
// or of each member where it is about no queue, not by time: two runs are never equally fast.
// Members are told apart by who was seen first, second and so on, the same is true of groups; times
// and addresses are left out of texts.
type Comparison struct {
	Settings []Setting // that differ
	Parts    []Part    // the first difference of each aspect that has one
	Counts   []Count   // of all aspects, then of all kinds of events
	A, B     Side
	// Unread says why a recording was not read to its end, "" where both were.
	Unread string
}

// Same says that no difference was found.
func (c *Comparison) Same() bool { return len(c.Settings) == 0 && len(c.Parts) == 0 }

// Side is one of the recordings.
type Side struct {
	Events uint64
	Span   time.Duration
}

// Setting is something that is set differently.
type Setting struct{ Name, A, B string }

// Part is where two recordings part in one aspect.
type Part struct {
	Aspect string
	Queue  mq.MessageQueue // zero: it is about the Member
	Member int             // counts members in the order in which they were seen, 0: none
	Nth    int             // the how manyth event of it in this aspect, from 1
	// A and B are what happened, nil where the recording has no further event of it.
	A, B *Happening
}

// Happening is one event of one of the recordings.
type Happening struct {
	Event uint64
	At    time.Time
	Since time.Duration // since the first event
	Kind  string
	// These come from the network.
	Group, Client, Words string
}

// Count is how often something happened.
type Count struct {
	Aspect, Kind string // one of them is empty
	A, B         int
}

const (
	maxPending = 200_000 // events that wait for one of the other recording
	maxKeys    = 200_000
	maxKinds   = 1000
)

// Diff compares two recordings. The tracks are at their ends then. The error is that of ctx.
func Diff(ctx context.Context, a, b Track) (*Comparison, error) {
	d := &diff{
		ctx: ctx, seed: maphash.MakeSeed(), keys: map[diffKey]*lane{}, counts: map[Count]*[2]int{},
		first: map[string]Part{},
	}
	d.open(0, a)
	d.open(1, b)
	defer d.sides[0].stop()
	defer d.sides[1].stop()
	if err := d.run(); err != nil {
		return nil, err
	}
	c := &Comparison{Unread: d.unread, Counts: d.counted()}
	c.A, c.B = d.sides[0].Side, d.sides[1].Side
	if inside(a) != inside(b) && c.Unread == "" {
		c.Unread = "one was recorded by the consumer itself, the other one was seen on the wire: their events are not alike"
	}
	for _, aspect := range aspects() {
		if p, ok := d.first[aspect]; ok {
			c.Parts = append(c.Parts, p)
		}
	}
	var err error
	c.Settings, err = differing(a, b)
	if err != nil && c.Unread == "" {
		c.Unread = err.Error()
	}
	return c, ctx.Err()
}

// inside tells whether a recording is of our own consumer.
func inside(t Track) bool { return t.Info().Header.Source == SourceEngine }

// diff is a comparison that goes on: it reads both recordings side by side.
type diff struct {
	ctx     context.Context
	seed    maphash.Seed
	sides   [2]side
	keys    map[diffKey]*lane
	pending int
	counts  map[Count]*[2]int // by aspect or kind
	first   map[string]Part   // by aspect
	unread  string
}

// side reads one recording.
type side struct {
	Side
	begin   time.Time
	next    func() (snapshot.Moment, error, bool)
	stop    func()
	over    bool
	groups  numbers
	members numbers
}

func (d *diff) open(n int, t Track) {
	s := &d.sides[n]
	s.groups, s.members = numbers{}, numbers{}
	s.next, s.stop = iter.Pull2(t.Moments(0))
}

// run reads on in the recording that is less far.
func (d *diff) run() error {
	for n := 0; ; n++ {
		a, b := &d.sides[0], &d.sides[1]
		if a.over && b.over {
			break
		}
		one := 0
		if a.over || !b.over && a.Events > b.Events {
			one = 1
		}
		if err := d.read(one); err != nil {
			return err
		}
		if n%1024 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
	}
	keys := make([]diffKey, 0, len(d.keys))
	for k, l := range d.keys {
		if len(l.wait) > 0 && !l.parted {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b diffKey) int {
		return cmp.Or(
			cmp.Compare(d.keys[a].wait[0].what.Since, d.keys[b].wait[0].what.Since), a.queue.Compare(b.queue),
			cmp.Compare(a.group, b.group), cmp.Compare(a.member, b.member), cmp.Compare(a.topic, b.topic),
		)
	})
	for _, k := range keys {
		d.alone(k, d.keys[k])
	}
	return nil
}

// read takes the next event of one recording.
func (d *diff) read(n int) error {
	s := &d.sides[n]
	m, err, ok := s.next()
	if !ok {
		s.over = true
		return nil
	}
	if err != nil {
		s.over = true
		if d.unread == "" {
			d.unread = fmt.Sprintf("%s: %v", [...]string{"the first one", "the second one"}[n], err)
		}
		return nil
	}
	if s.begin.IsZero() {
		s.begin = m.At
	}
	s.Events++
	s.Span = m.At.Sub(s.begin)
	d.count(Count{Kind: m.Kind}, n)
	for _, aspect := range aspects() {
		if has(aspect, &m) {
			d.event(aspect, &m, n)
		}
	}
	return nil
}

// event takes a moment of one recording into an aspect.
func (d *diff) event(aspect string, m *snapshot.Moment, n int) {
	s := &d.sides[n]
	d.count(Count{Aspect: aspect}, n)
	member := s.members.of(m.Client)
	k := diffKey{aspect: aspect, queue: m.Queue, group: s.groups.of(m.Group)}
	k.queue.Topic = ownTopics(m.Queue.Topic, m.Group)
	if m.Queue == (mq.MessageQueue{}) {
		k.member = member
		if aspect == AspectAssignments {
			k.topic = ownTopics(m.Where, m.Group)
		}
	}
	text := comparable(aspect, m, member)
	what := Happening{Event: m.Event, At: m.At, Since: s.Span, Kind: m.Kind, Group: m.Group, Client: m.Client, Words: m.Words}
	d.take(k, n, waits{maphash.String(d.seed, text), what})
}
