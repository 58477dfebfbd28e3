package consumer

import (
	"fmt"

	"mqscope/engine/internal/pack"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
)

// kindMessages is the kind of records with a Delivered: no part of what the loop takes.
const kindMessages = kindCheckpoint + 1

// Delivered are messages that a pull brought and the consumer took, as a recording has them.
type Delivered struct {
	Queue    mq.MessageQueue
	Messages []DeliveredMessage
	Failed   bool    // the consumer failed with them and sent them back: they are kept once more
	Left     LeftOut // of the queue, before these
}

// LeftOut are messages that were taken, and are not in the recording because of its Rate.
type LeftOut struct{ First, Last, Count int64 }

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
