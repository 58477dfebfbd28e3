package client

import (
	"context"
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
)

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
	cmd, err := i.callBroker(ctx, b.Addr, request(protocol.SendMessageV2, &h, o.body), o.timeout)
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
