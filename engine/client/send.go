package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

const (
	// sendFailures is how many failures end a send: the second try goes to another broker
	// where there is one. Answers of SYSTEM_BUSY are counted apart.
	sendFailures = 2
	sendBusies   = 4
	// busyPause is how long a broker that is busy is left alone.
	busyPause = 500 * time.Millisecond
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

// send tries until the message is stored or the tries are used up.
func (i *Instance) send(ctx context.Context, o *outgoing) (SendResult, error) {
	if err := i.await(ctx); err != nil {
		return SendResult{}, fmt.Errorf("send to %s: %w", o.topic, err)
	}
	began := i.clock.Now()
	queues, err := i.sendable(ctx, o)
	if err != nil {
		return SendResult{}, fmt.Errorf("send to %s: %w", o.topic, err)
	}
	tried := map[string]bool{}
	var errs []error
	uncertain := false
	for failures, busies := 0, 0; ; {
		q, wait := i.choose(queues, tried)
		if err = clock.Sleep(ctx, i.clock, wait); err == nil {
			var r SendResult
			if r, err = i.sendTo(ctx, q, o); err == nil {
				r.Attempts, r.Took = len(errs)+1, i.clock.Now().Sub(began)
				return r, nil
			}
		}
		errs = append(errs, err)
		tried[q.BrokerName] = true
		c := Classify(err)
		uncertain = uncertain || c.Uncertain()
		if c == Busy {
			busies++
			i.leaveAlone(q.BrokerName)
		} else {
			failures++
		}
		other := !allTried(queues, tried)
		if i.over(ctx) != nil || failures >= sendFailures || busies >= sendBusies || !c.Retry() && !(c.Elsewhere() && other) {
			break
		}
	}
	err = joined(errs)
	if uncertain {
		err = fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	}
	return SendResult{}, fmt.Errorf("send to %s: %w", o.topic, err)
}

// sendTo makes one try.
func (i *Instance) sendTo(ctx context.Context, q mq.MessageQueue, o *outgoing) (SendResult, error) {
	b, ok := i.find(q.BrokerName, mq.MasterID, true)
	if !ok {
		i.wantRoutes(o.topic)
		return SendResult{}, i.noBroker(q.BrokerName)
	}
	h := protocol.SendMessageRequestV2{
		ProducerGroup: o.group, Topic: o.topic, DefaultTopic: mq.AutoCreateTopic, DefaultTopicQueueNums: newTopicQueues,
		QueueID: q.QueueID, SysFlag: o.sysFlag, BornTimestamp: i.clock.Now().UnixMilli(), Flag: o.flag,
		Properties: o.properties, ReconsumeTimes: o.reconsumeTimes, MaxReconsumeTimes: o.maxReconsume,
		UnitMode: protocol.Some(false), Batch: protocol.Some(false),
	}
	h.BName = q.BrokerName
	cmd, err := i.call(ctx, b.Addr, request(protocol.SendMessageV2, &h, o.body), o.timeout)
	if err != nil {
		return SendResult{}, err
	}
	if !protocol.Stored(protocol.ResponseCode(cmd.Code)) {
		return SendResult{}, answered(cmd, b.Addr)
	}
	return sendResult(cmd, q, o.uniqueID), nil
}

// sendResult reads the answer to a message that is stored: what it lacks is no failure.
func sendResult(cmd *remoting.Command, q mq.MessageQueue, uniqueID string) SendResult {
	r := SendResult{Queue: q, QueueOffset: -1, UniqueID: uniqueID}
	switch protocol.ResponseCode(cmd.Code) {
	case protocol.FlushDiskTimeout:
		r.Status = FlushDiskTimeout
	case protocol.SlaveNotAvailable:
		r.Status = SlaveNotAvailable
	case protocol.FlushSlaveTimeout:
		r.Status = FlushSlaveTimeout
	}
	var h protocol.SendMessageResponse
	if protocol.Decode(cmd.Fields, &h) == nil {
		r.Queue.QueueID, r.QueueOffset, r.OffsetID = h.QueueID, h.QueueOffset, h.MsgID
	}
	return r
}

// sendable returns the queues that a message may go to.
func (i *Instance) sendable(ctx context.Context, o *outgoing) ([]mq.MessageQueue, error) {
	i.noteAsked([]string{o.topic})
	if o.on.BrokerName != "" {
		_, err := i.locate(ctx, o.on, mq.MasterID, true)
		return []mq.MessageQueue{o.on}, err
	}
	if q := i.writable(o.topic); len(q) > 0 {
		return q, nil
	}
	err := i.learn(ctx, o.topic)
	switch {
	case err == nil:
		if q := i.writable(o.topic); len(q) > 0 {
			return q, nil
		}
		return nil, fmt.Errorf("%w: it lacks write permission, or its masters are down", ErrNotWritable)
	case !errors.Is(err, ErrNoRoute):
		return nil, err
	case o.fallback != nil:
		var queues []mq.MessageQueue
		for _, name := range o.fallback() {
			// A negative queue id lets the broker choose.
			queues = append(queues, mq.MessageQueue{Topic: o.topic, BrokerName: name, QueueID: -1})
		}
		if len(queues) > 0 {
			return queues, nil
		}
		return nil, err
	}
	return i.creatable(ctx, o.topic, err)
}

// creatable returns the queues that a topic without a route will have on the brokers that
// create topics by themselves: those in the route of TBW102 (Java:
// MQClientInstance.updateTopicRouteInfoFromNameServer with isDefault).
func (i *Instance) creatable(ctx context.Context, topic string, missing error) ([]mq.MessageQueue, error) {
	if err := i.learn(ctx, mq.AutoCreateTopic); err != nil {
		if errors.Is(err, ErrNoRoute) {
			return nil, fmt.Errorf("%w; the cluster creates no topics by itself: create it first", missing)
		}
		return nil, err
	}
	var queues []mq.MessageQueue
	for _, q := range i.writable(mq.AutoCreateTopic) {
		if q.QueueID < newTopicQueues {
			q.Topic = topic
			queues = append(queues, q)
		}
	}
	if len(queues) == 0 {
		return nil, fmt.Errorf("%w: no broker that creates topics may be written", ErrNotWritable)
	}
	return queues, nil
}

func (i *Instance) writable(topic string) []mq.MessageQueue {
	i.mu.Lock()
	defer i.mu.Unlock()
	t, ok := i.table.Topic(topic)
	if !ok {
		return nil
	}
	return t.Writable()
}

// choose picks the next queue in turn: of a broker that is up and was not tried before if
// there is one, of a lost, busy or tried one otherwise. wait is how long a busy broker is to
// be left alone still.
func (i *Instance) choose(queues []mq.MessageQueue, tried map[string]bool) (q mq.MessageQueue, wait time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	t := i.topic(queues[0].Topic)
	if t.sendSeq == 0 {
		t.sendSeq = 1 + i.rng.IntN(len(queues))
	}
	t.sendSeq++
	now := i.clock.Now()
	best := -1
	for n := range queues {
		one := queues[(t.sendSeq+n)%len(queues)]
		score, hold := i.sendScore(one.BrokerName, tried[one.BrokerName], now)
		if best < 0 || score < best {
			q, wait, best = one, hold, score
		}
		if best == 0 {
			break
		}
	}
	return q, wait
}

// sendScore is how much speaks against sending to a broker. i.mu is held.
func (i *Instance) sendScore(broker string, tried bool, now time.Time) (score int, hold time.Duration) {
	if tried {
		score = 3
	}
	f, ok := i.table.Find(broker, mq.MasterID, true)
	if !ok {
		return score + 4, 0
	}
	l := i.links[f.Addr]
	if l == nil {
		return score, 0
	}
	if l.lost {
		score++
	}
	if hold = l.holdSends.Sub(now); hold > 0 {
		return score + 2, hold
	}
	return score, 0
}

// leaveAlone notes that a broker said it is busy.
func (i *Instance) leaveAlone(broker string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if f, ok := i.table.Find(broker, mq.MasterID, true); ok {
		i.link(f.Addr).holdSends = i.clock.Now().Add(busyPause)
	}
}

func allTried(queues []mq.MessageQueue, tried map[string]bool) bool {
	for _, q := range queues {
		if !tried[q.BrokerName] {
			return false
		}
	}
	return true
}
