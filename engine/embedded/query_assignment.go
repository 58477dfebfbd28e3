package embedded

import (
	"slices"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Contract: QUERY_ASSIGNMENT (400). Body QueryAssignmentRequest: always 0. With BROADCASTING
// all queues of the topic; with CLUSTERING the client's share, by AVG or AVG_BY_CIRCLE, of the
// sorted queues among the sorted client ids of the group here, and all queues when
// Config.NoServerLoadBalancing is set. No list at all when there is no route, nobody of the
// group is online here, or the strategy is another one; an empty one for a client that is not
// in the group. Each queue has the mode that 401 stored, else PULL. Left out: logical queues,
// defaultMessageRequestMode, and a route that is 30 s old.
func (b *Broker) queryAssignment(r *Request) {
	q, err := protocol.DecodeQueryAssignmentRequest(r.Cmd.Body)
	if err != nil {
		r.fail(protocol.SystemError, err.Error())
		return
	}
	mode, ok := b.modes[groupAndTopic{q.ConsumerGroup, q.Topic}]
	if !ok {
		mode = protocol.SetMessageRequestModeRequest{Mode: protocol.ModePull}
	}
	var answer protocol.QueryAssignmentResponse
	if queues, known := b.allot(&q, mode); known {
		answer.Assignments = []protocol.MessageQueueAssignment{}
		for _, queue := range queues {
			answer.Assignments = append(answer.Assignments, protocol.MessageQueueAssignment{Queue: queue, Mode: mode.Mode})
		}
	}
	r.ok(nil, answer.Encode())
}

// allot returns the queues of a client (Java: QueryAssignmentProcessor.doLoadBalance).
func (b *Broker) allot(q *protocol.QueryAssignmentRequest, mode protocol.SetMessageRequestModeRequest) (mine []mq.MessageQueue, known bool) {
	queues := b.state.NameServer.readable(q.Topic)
	switch {
	case len(queues) == 0:
		return nil, false
	case q.MessageModel == mq.Broadcasting, b.cfg.NoServerLoadBalancing && q.MessageModel == mq.Clustering:
		return queues, true
	case q.MessageModel != mq.Clustering || b.consumers[q.ConsumerGroup] == nil:
		return nil, false
	}
	var members []string
	for _, m := range b.consumers[q.ConsumerGroup].members {
		members = append(members, m.clientID)
	}
	slices.SortFunc(members, mq.CompareJava)
	share := map[string]func(queues []mq.MessageQueue, members, index int) []mq.MessageQueue{
		"AVG": shareAveragely, "AVG_BY_CIRCLE": shareByCircle,
	}[q.StrategyName]
	if share == nil {
		return nil, false
	}
	at := slices.Index(members, q.ClientID)
	if mode.Mode == protocol.ModePop {
		return shareToPop(share, queues, len(members), at, int(mode.PopShareQueueNum)), true
	}
	if at < 0 {
		return nil, true
	}
	return share(queues, len(members), at), true
}

// shareAveragely and shareByCircle are what the member at an index gets (Java:
// AllocateMessageQueueAveragely and …ByCircle).
func shareAveragely(queues []mq.MessageQueue, members, index int) []mq.MessageQueue {
	size, rest := len(queues)/members, len(queues)%members
	from := index*size + min(index, rest)
	if index < rest {
		size++
	}
	return queues[from : from+size]
}

func shareByCircle(queues []mq.MessageQueue, members, index int) (mine []mq.MessageQueue) {
	for i := index; i < len(queues); i += members {
		mine = append(mine, queues[i])
	}
	return mine
}

// shareToPop is shared among several: by default everybody pops every broker as a whole, whose
// queue id is -1; with a number, each also pops what so many members after it have (Java:
// QueryAssignmentProcessor.allocate4Pop).
func shareToPop(share func([]mq.MessageQueue, int, int) []mq.MessageQueue, queues []mq.MessageQueue, members, index, others int) (mine []mq.MessageQueue) {
	switch {
	case others <= 0 || others >= members-1:
		for _, q := range queues {
			mine = append(mine, mq.MessageQueue{Topic: q.Topic, BrokerName: q.BrokerName, QueueID: -1})
		}
		return slices.Compact(mine)
	case index < 0:
		return nil
	case members > len(queues):
		return []mq.MessageQueue{queues[index%len(queues)]}
	}
	for i := range others + 1 {
		mine = append(mine, share(queues, members, (index+i)%members)...)
	}
	return mine
}

// readable returns the queues of a topic that may be read, sorted.
func (n *NameServer) readable(topic string) []mq.MessageQueue {
	var queues []mq.MessageQueue
	route, _ := n.Route(topic)
	for _, d := range route.QueueDatas {
		if d.Perm&protocol.PermRead == 0 {
			continue
		}
		for id := range d.ReadQueueNums {
			queues = append(queues, mq.MessageQueue{Topic: topic, BrokerName: d.BrokerName, QueueID: id})
		}
	}
	slices.SortFunc(queues, mq.MessageQueue.Compare)
	return queues
}

// Contract: SET_MESSAGE_REQUEST_MODE (401). Body SetMessageRequestModeRequest: 0 and the mode
// is kept for group and topic, also when the broker stops; 16 for a retry topic, 17 for an
// unknown topic, 26 for a group that may not exist.
func (b *Broker) setMessageRequestMode(r *Request) {
	body, err := protocol.DecodeSetMessageRequestModeRequest(r.Cmd.Body)
	switch {
	case err != nil:
		r.fail(protocol.SystemError, err.Error())
	case mq.IsRetryTopic(body.Topic):
		r.fail(protocol.NoPermission, "retry topic is not allowed to set mode")
	case b.topics[body.Topic] == nil:
		r.failf(protocol.TopicNotExist, "topic[%s] not exist", body.Topic)
	case b.findGroup(body.ConsumerGroup) == nil:
		r.fail(protocol.SubscriptionGroupNotExist, "subscription group does not exist")
	default:
		b.modes[groupAndTopic{body.ConsumerGroup, body.Topic}] = body
		r.ok(nil, nil)
	}
}
