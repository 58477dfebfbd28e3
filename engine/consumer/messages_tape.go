package consumer

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/processqueue"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

// Messages says what is recorded of the messages that a consumer takes.
type Messages struct {
	Keep policy.Policy
	Rate Rate
}

// messageTape records messages on the goroutines of connections, beside the loop.
type messageTape struct {
	to     Tape
	policy policy.Policy
	all    *atomic.Int64 // that were left out
	spare  sync.Pool     // of *messageScratch
	bytes  atomic.Int64  // since the last checkpoint

	mu    sync.Mutex
	money allowance
	left  map[*processqueue.Queue]*LeftOut // and not told yet
}

type messageScratch struct {
	sieve      *policy.Sieve
	d          Delivered
	bodies     []byte // one behind the other
	properties []byte // the same
	ends       []int  // of properties
	packed     []byte
}

// RecordMessages has what pulls bring recorded to t too, nil ends that. Its records have no time:
// t gives them that of the record before, and leaves out those that come before any.
func (p *Push) RecordMessages(t Tape, m Messages) {
	var next *messageTape
	if t != nil {
		next = &messageTape{to: t, policy: m.Keep, all: &p.loop.leftOut, money: m.Rate.allowance(), left: map[*processqueue.Queue]*LeftOut{}}
	}
	if was := p.loop.messages.Swap(next); was != nil {
		was.tellLeft()
	}
}

// MessagesLeftOut is how many messages were left out of all recordings so far.
func (p *Push) MessagesLeftOut() int64 { return p.loop.leftOut.Load() }

// TellLeftOut records which messages were left out up to now: before a recording of them ends.
func (p *Push) TellLeftOut() {
	if t := p.loop.messages.Load(); t != nil {
		t.tellLeft()
	}
}

const (
	// A record of messages ends with the one that makes its bodies so long.
	enoughBodies = 256 << 10
	// mostOfBody is kept of a body however long it is: a record has an end.
	mostOfBody = recording.MaxPayload - enoughBodies - 256<<10
)

// record records the messages of b that keep names, nil being all, which came for q at that time; or only
// how many they are, where the rate does not allow for more.
func (t *messageTape) record(at time.Time, q *processqueue.Queue, b *mq.Batch, keep []int) {
	n := b.Len()
	if keep != nil {
		n = len(keep)
	}
	if n == 0 {
		return
	}
	index := func(i int) int {
		if keep != nil {
			return keep[i]
		}
		return i
	}
	left, ok := t.allows(at, q, b.At(index(0)).QueueOffset(), b.At(index(n-1)).QueueOffset(), n)
	if !ok || t.to.Err() != nil {
		return
	}
	s := t.scratch()
	s.d.Queue, s.d.Left = q.ID, left
	for i := range n {
		t.add(s, b.At(index(i)))
		if len(s.bodies) >= enoughBodies {
			t.flush(s)
		}
	}
	t.flush(s)
	t.spare.Put(s)
}

// failed records a message that is sent back, whatever the rate: it is what somebody will look for.
func (t *messageTape) failed(q mq.MessageQueue, m mq.Message) {
	if t.to.Err() != nil {
		return
	}
	s := t.scratch()
	s.d.Queue, s.d.Failed = q, true
	t.add(s, m)
	t.flush(s)
	t.spare.Put(s)
}

func (t *messageTape) scratch() *messageScratch {
	if s, _ := t.spare.Get().(*messageScratch); s != nil {
		return s
	}
	return &messageScratch{sieve: policy.NewSieve(t.policy)}
}

// allows tells whether messages may be recorded, and which of their queue were left out before.
func (t *messageTape) allows(at time.Time, q *processqueue.Queue, first, last int64, n int) (left LeftOut, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.left[q]
	if t.money.open(at) {
		if l != nil {
			left = *l
			delete(t.left, q)
		}
		return left, true
	}
	if l == nil {
		l = &LeftOut{First: first}
		t.left[q] = l
	}
	l.First, l.Last, l.Count = min(l.First, first), max(l.Last, last), l.Count+int64(n)
	t.all.Add(int64(n))
	return LeftOut{}, false
}

// tellLeft records which messages were left out, as far as no record tells yet.
func (t *messageTape) tellLeft() {
	t.mu.Lock()
	var all []Delivered
	for q, l := range t.left {
		all = append(all, Delivered{Queue: q.ID, Left: *l})
	}
	clear(t.left)
	t.mu.Unlock()
	slices.SortFunc(all, func(a, b Delivered) int { return strings.Compare(a.Queue.Path(), b.Queue.Path()) })
	for i := range all {
		t.to.Append(recording.Record{Kind: kindMessages, Payload: codec().Append(nil, &all[i])})
	}
}

func (t *messageTape) add(s *messageScratch, m mq.Message) {
	body := m.Body()
	keep := t.policy
	if len(body) > mostOfBody && keep.Bodies == policy.Full {
		keep.Bodies = policy.Bodies(mostOfBody)
	}
	from := len(s.bodies)
	s.bodies = keep.Body(s.bodies, body)
	one := DeliveredMessage{
		Offset: m.QueueOffset(), Born: m.BornTime().UnixMilli(), Stored: m.StoreTime().UnixMilli(), Times: m.ReconsumeTimes(),
		Body: s.bodies[from:len(s.bodies):len(s.bodies)],
	}
	text := m.PropertiesText()
	s.properties = s.sieve.Properties(s.properties, text)
	s.ends = append(s.ends, len(s.properties))
	if mq.PropertyIn(text, mq.PropertyUniqueKey) == nil {
		one.OffsetID = m.OffsetID()
	}
	s.d.Messages = append(s.d.Messages, one)
}

func (t *messageTape) flush(s *messageScratch) {
	if len(s.d.Messages) == 0 {
		return
	}
	all, from := string(s.properties), 0
	for i, to := range s.ends {
		s.d.Messages[i].Properties, from = all[from:to], to
	}
	s.packed = codec().Append(s.packed[:0], &s.d)
	t.to.Append(recording.Record{Kind: kindMessages, Payload: s.packed})
	t.bytes.Add(int64(len(s.packed)))
	t.mu.Lock()
	t.money.spend(len(s.packed))
	t.mu.Unlock()
	clear(s.d.Messages)
	s.d = Delivered{Queue: s.d.Queue, Messages: s.d.Messages[:0]}
	s.bodies, s.properties, s.ends = s.bodies[:0], s.properties[:0], s.ends[:0]
}
