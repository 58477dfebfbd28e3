package consumer

import (
	"fmt"
	"sync"
	"sync/atomic"

	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

// kindMessages is the kind of records with a Delivered: no part of what the loop takes.
const kindMessages = kindCheckpoint + 1

// Delivered are messages that a pull brought and the consumer took, as a recording has them.
type Delivered struct {
	Queue    mq.MessageQueue
	Messages []DeliveredMessage
}

// DeliveredMessage is one of them, as far as the policy of the recording lets it be known.
type DeliveredMessage struct {
	Offset       int64
	Born, Stored int64 // in milliseconds, as brokers keep them
	Times        int32 // how often it was sent back before
	// OffsetID names the place of a message that has no id of its producer.
	OffsetID   string
	Properties string `pack:"properties"` // as they are stored
	Body       []byte `pack:"body"`       // see policy.ReadKept
}

// Property is the value of a property, "" where there is none.
func (m *DeliveredMessage) Property(name string) string {
	return string(mq.PropertyIn([]byte(m.Properties), name))
}

// ID is what a consumer shows as the id of the message.
func (m *DeliveredMessage) ID() string {
	if id := m.Property(mq.PropertyUniqueKey); id != "" {
		return id
	}
	return m.OffsetID
}

// messageTape records messages on the goroutines of connections, beside the loop.
type messageTape struct {
	to     Tape
	policy policy.Policy
	spare  sync.Pool    // of *messageScratch
	bytes  atomic.Int64 // since the last checkpoint
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
func (p *Push) RecordMessages(t Tape, keep policy.Policy) {
	if t == nil {
		p.loop.messages.Store(nil)
		return
	}
	p.loop.messages.Store(&messageTape{to: t, policy: keep})
}

const (
	// A record of messages ends with the one that makes its bodies so long.
	enoughBodies = 256 << 10
	// mostOfBody is kept of a body however long it is: a record has an end.
	mostOfBody = recording.MaxPayload - enoughBodies - 256<<10
)

// record records the messages of b that keep names, nil being all.
func (t *messageTape) record(q mq.MessageQueue, b *mq.Batch, keep []int) {
	if t.to.Err() != nil {
		return
	}
	s, _ := t.spare.Get().(*messageScratch)
	if s == nil {
		s = &messageScratch{sieve: policy.NewSieve(t.policy)}
	}
	s.d.Queue = q
	n := b.Len()
	if keep != nil {
		n = len(keep)
	}
	for i := range n {
		at := i
		if keep != nil {
			at = keep[i]
		}
		t.add(s, b.At(at))
		if len(s.bodies) >= enoughBodies {
			t.flush(s)
		}
	}
	t.flush(s)
	t.spare.Put(s)
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
	clear(s.d.Messages)
	s.d.Messages, s.bodies, s.properties, s.ends = s.d.Messages[:0], s.bodies[:0], s.properties[:0], s.ends[:0]
}

// MessageReader reads the messages of a recording.
type MessageReader struct{ codec *pack.Codec }

// NewMessageReader returns one for a recording of that description, see Types.
func NewMessageReader(types string) (*MessageReader, error) {
	c, err := codec().Adapt(types)
	if err != nil {
		return nil, fmt.Errorf("what the recording says of its records: %w", err)
	}
	return &MessageReader{c}, nil
}

// Read returns the messages that a record has; ok is false for records of something else.
func (r *MessageReader) Read(rec recording.Record) (d Delivered, ok bool, err error) {
	if rec.Kind != kindMessages {
		return d, false, nil
	}
	if _, err := r.codec.Decode(rec.Payload, &d); err != nil {
		return d, false, fmt.Errorf("messages: %w", err)
	}
	return d, true, nil
}
