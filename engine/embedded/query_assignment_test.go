package embedded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// assigned are the ids of the queues that the broker gives a client, and of which mode; nil
// when it has no list.
func (c *client) assigned(topic string) (ids []int32, mode string) {
	c.w.t.Helper()
	body := protocol.QueryAssignmentRequest{ClientID: c.id, ConsumerGroup: groupG, MessageModel: mq.Clustering, StrategyName: "AVG", Topic: topic}
	answer, err := protocol.DecodeQueryAssignmentResponse(c.want(protocol.Success, addrA, protocol.QueryAssignment, nil, body.Encode()).Body)
	if err != nil {
		c.w.t.Fatal(err)
	}
	for _, a := range answer.Assignments {
		ids, mode = append(ids, a.Queue.QueueID), a.Mode
	}
	return ids, mode
}

func TestWithoutServerLoadBalancingEachMemberIsGivenAllQueues(t *testing.T) {
	inBubble(t, embedded.Config{NoServerLoadBalancing: true}, func(w *world) {
		w.createTopic(topicT, 3)
		a, b := w.client("a"), w.client("b")
		for _, c := range []*client{a, b} { // though nobody is online
			if ids, mode := c.assigned(topicT); !cmp.Equal(ids, []int32{0, 1, 2}) || mode != protocol.ModePull {
				t.Errorf("%s is given %v, %s", c.id, ids, mode)
			}
		}
		a.heartbeat(sub(t, topicT, anything, 1))
		if ids, _ := b.assigned(topicT); len(ids) != 3 {
			t.Errorf("b is given %v beside a", ids)
		}
	})
}

func TestAStoppedBrokerForgetsMembersButNotRequestModes(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		w.createTopic(topicT, 2)
		c := w.client("c")
		c.heartbeat(sub(t, topicT, anything, 1))
		c.want(protocol.Success, addrA, protocol.SetMessageRequestMode, nil, protocol.SetMessageRequestModeRequest{
			ConsumerGroup: groupG, Topic: topicT, Mode: protocol.ModePop,
		}.Encode())
		if err := w.cluster.StopBroker(brokerA); err != nil {
			t.Fatal(err)
		}
		if err := w.cluster.StartBroker(brokerA); err != nil {
			t.Fatal(err)
		}
		c = w.client("d") // the connection of the other one is gone
		if ids, _ := c.assigned(topicT); ids != nil {
			t.Errorf("given %v by a broker that knows nobody", ids)
		}
		c.heartbeat(sub(t, topicT, anything, 1))
		if ids, mode := c.assigned(topicT); !cmp.Equal(ids, []int32{-1}) || mode != protocol.ModePop {
			t.Errorf("given %v, %s after the broker was restarted", ids, mode)
		}
	})
}

func TestAQueueThatMayNotBeReadIsNotAssigned(t *testing.T) {
	inBubble(t, embedded.Config{}, func(w *world) {
		c := w.client("c")
		c.want(protocol.Success, addrA, protocol.UpdateAndCreateTopic, &protocol.CreateTopicRequest{
			Topic: topicT, DefaultTopic: mq.AutoCreateTopic, ReadQueueNums: 2, WriteQueueNums: 2,
			Perm: protocol.PermWrite, TopicFilterType: "SINGLE_TAG",
		}, nil)
		c.heartbeat(sub(t, topicT, anything, 1))
		if ids, _ := c.assigned(topicT); ids != nil {
			t.Errorf("given %v of a topic that may only be written", ids)
		}
	})
}
