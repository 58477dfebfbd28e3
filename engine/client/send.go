package client

import (
	"context"
	"fmt"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

const (
	// newTopicQueues is how many queues a topic gets that a send creates
	// (Java: DefaultMQProducer.defaultTopicQueueNums).
	newTopicQueues = 4

	maxBodyBytes       = 4 << 20 // maxMessageSize of client and broker
	maxPropertiesBytes = 1<<15 - 1
)

// OutMessage is a message to be sent.
type OutMessage struct {
	Topic string
	Body  []byte // 1 byte to 4 MiB
	Tags  string // one tag; empty is none
	Keys  string // several are joined by a blank
	// DelayLevel is 1 to 18 for a delivery later, 0 for now.
	DelayLevel int32
	Flag       int32
	Properties []protocol.Property // further ones
	// Group is the producer group, default mq.InnerProducerGroup.
	Group string
	// Queue is where the message goes; without a broker name the instance chooses among the
	// writable queues in turn. With one no other broker is tried.
	Queue mq.MessageQueue
}

// SendStatus is how well a stored message is secured (Java: SendStatus).
type SendStatus uint8

const (
	SendOK SendStatus = iota
	FlushDiskTimeout
	SlaveNotAvailable
	FlushSlaveTimeout
)

// String returns Java's name.
func (s SendStatus) String() string {
	return [...]string{"SEND_OK", "FLUSH_DISK_TIMEOUT", "SLAVE_NOT_AVAILABLE", "FLUSH_SLAVE_TIMEOUT"}[s]
}

// SendResult tells where a message was stored. For a delayed message offset and OffsetID are
// those of the internal topic where it waits.
type SendResult struct {
	Status      SendStatus
	Queue       mq.MessageQueue
	QueueOffset int64  // -1 when the broker did not say
	OffsetID    string // finds the message at its broker
	UniqueID    string // what consumers show as its id
	Attempts    int    // requests it took
	Took        time.Duration
}

// outgoing is a message with all that its request needs.
type outgoing struct {
	topic, group   string
	body           []byte
	sysFlag, flag  int32
	properties     string
	uniqueID       string
	on             mq.MessageQueue     // zero: choose
	fallback       func() []string     // broker names to use while the topic has no route
	reconsumeTimes protocol.Opt[int32] // of a retry topic
	maxReconsume   protocol.Opt[int32] // of a retry topic
	timeout        time.Duration       // of one try
}

// Send stores a message at a broker (SEND_MESSAGE_V2). A topic that does not exist is created
// where the cluster allows that. A broker that fails is replaced by another one for a second
// try; one that is busy is left alone for half a second at a time. An error that is
// ErrOutcomeUnknown means that the message may be stored all the same.
func (i *Instance) Send(ctx context.Context, m OutMessage) (SendResult, error) {
	o, err := i.outgoing(m)
	if err != nil {
		return SendResult{}, err
	}
	return i.send(ctx, o)
}

// outgoing checks m and writes its properties.
func (i *Instance) outgoing(m OutMessage) (*outgoing, error) {
	if err := mq.ValidateTopic(m.Topic); err != nil {
		return nil, fmt.Errorf("send: %w", err)
	}
	if n := len(m.Body); n == 0 || n > maxBodyBytes {
		return nil, fmt.Errorf("send to %s: the body is %d bytes long: 1 to %d are allowed", m.Topic, n, maxBodyBytes)
	}
	if m.Group == "" {
		m.Group = mq.InnerProducerGroup
	}
	if err := mq.ValidateGroup(m.Group); err != nil {
		return nil, fmt.Errorf("send to %s: producer %w", m.Topic, err)
	}
	id := i.ids.Next(i.clock.Now())
	p := []protocol.Property{{Name: mq.PropertyUniqueKey, Value: id}, {Name: mq.PropertyWaitStoreOK, Value: "true"}}
	add := func(name, value string) {
		if value != "" {
			p = append(p, protocol.Property{Name: name, Value: value})
		}
	}
	add(mq.PropertyTags, m.Tags)
	add(mq.PropertyKeys, m.Keys)
	if m.DelayLevel > 0 {
		add(mq.PropertyDelayLevel, fmt.Sprint(m.DelayLevel))
	}
	p = append(p, m.Properties...)
	for _, one := range p {
		if err := protocol.ValidateProperty(one); err != nil {
			return nil, fmt.Errorf("send to %s: %w", m.Topic, err)
		}
	}
	text := string(protocol.AppendProperties(nil, p))
	if len(text) > maxPropertiesBytes {
		return nil, fmt.Errorf("send to %s: the properties are %d bytes long: at most %d are allowed", m.Topic, len(text), maxPropertiesBytes)
	}
	i.mu.Lock()
	i.producers[m.Group] = struct{}{}
	i.mu.Unlock()
	m.Queue.Topic = m.Topic
	return &outgoing{
		topic: m.Topic, group: m.Group, body: m.Body, flag: m.Flag, properties: text, uniqueID: id,
		on: m.Queue, timeout: sendTimeout,
	}, nil
}
