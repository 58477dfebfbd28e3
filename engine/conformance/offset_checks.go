package conformance

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func offsetChecks() []Check {
	return []Check{
		{"C28", "a new group is told 0 for a young queue with messages, 22 for an empty one", queryNewGroup},
		{"C29", "a commit of a group never seen is refused with 26", commitUnseen},
		{"C30", "commits are not checked and may go back", commitAnything},
		{"C47", "a reset is stored at once, hides commits, and is given out once", resetOffline},
		{"C48", "a reset wakes no held pull", resetHeld},
		{"C49", "offsets by time: lower and upper bound", searchByTime},
		{"C56", "a topic made again starts at 0, and its offsets are gone", topicMadeAgain},
		{"X22", "setZeroIfNotFound=false keeps a new group from being told 0", zeroIfNotFound},
		{"X23", "offset lookups of something unknown", unknownOffsets},
		{"X94", "negative and out-of-range commits", oddCommits},
	}
}

func queryNewGroup(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 2), e.Name("G")
	c.Send(topic, 0, "", "x")
	c.Settle(topic, 0, 1)
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("queue with a message", code, offset, protocol.Success, 0)
	code, offset = c.Committed(group, topic, 1)
	e.WantOffset("empty queue", code, offset, protocol.QueryNotFound, 0)
}

func commitUnseen(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	if code := c.Commit(group, topic, 0, 1); code != protocol.SubscriptionGroupNotExist {
		e.Errorf("unseen group: %v, want 26", code)
	}
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	if code := c.Commit(group, topic, 0, 1); code != protocol.Success {
		e.Errorf("after a pull: %v, want 0", code)
	}
	if code := c.Commit(group, e.Name("none"), 0, 1); code != protocol.TopicNotExist {
		e.Errorf("unknown topic: %v, want 17", code)
	}
}

func commitAnything(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 10, noTag)
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	for _, offset := range []int64{1000, 3} {
		if code := c.Commit(group, topic, 0, offset); code != protocol.Success {
			e.Errorf("commit %d: %v", offset, code)
		}
	}
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("last commit", code, offset, protocol.Success, 3)
}

func (e *Env) reset(c *Client, group, topic string, ms int64) {
	e.Helper()
	c.Want(0, e.Broker(), protocol.InvokeBrokerToResetOffset, &protocol.ResetOffsetRequest{
		Topic: topic, Group: group, QueueID: -1, Timestamp: ms, Force: true,
	}, nil)
}

func resetOffline(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 10, noTag)
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	c.Commit(group, topic, 0, 10)
	e.reset(c, group, topic, 0)
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("after the reset", code, offset, protocol.Success, 0)
	if code := c.Commit(group, topic, 0, 9); code != protocol.Success {
		e.Errorf("commit while the reset waits: %v, want 0", code)
	}
	code, offset = c.Committed(group, topic, 0)
	e.WantOffset("a commit while the reset waits", code, offset, protocol.Success, 0)
	e.WantPull("the next pull", c.Pull(PullHeader(group, topic, 0, 10, "*")), protocol.PullOffsetMoved, "OFFSET_RESET", 0)
	e.wantCount("the pull after it", c.Pull(PullHeader(group, topic, 0, 0, "*")), 10, 10)
	c.Commit(group, topic, 0, 1)
	code, offset = c.Committed(group, topic, 0)
	e.WantOffset("a commit after the reset", code, offset, protocol.Success, 1)
}

func resetHeld(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 3, noTag)
	got := c.Later(e.Broker(), protocol.PullMessage, heldHeader(group, topic, 3, "*"))
	e.Sleep(500 * time.Millisecond)
	start := time.Now()
	e.reset(c, group, topic, 0)
	e.WantPull("the held pull", e.ReadPull(<-got), protocol.PullOffsetMoved, "OFFSET_RESET", 0)
	e.Within("the held pull", time.Since(start), 100*time.Millisecond, 20500*time.Millisecond)
	if n := len(c.Got); n != 0 {
		e.Errorf("%d requests were pushed to the client", n)
	}
}

func searchByTime(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	var stored []int64
	for i := range 3 {
		c.Send(topic, 0, "", "x")
		m := c.PullUntil(e.Name("G"), topic, 0, int64(i), time.Second)
		stored = append(stored, m.StoreTime().UnixMilli())
		e.Sleep(50 * time.Millisecond)
	}
	for _, test := range []struct {
		name     string
		at       int64
		boundary string
		want     int64
	}{
		{"lower between two", stored[0] + 10, "LOWER", 1},
		{"lower before all", stored[0] - 1000, "", 0},
		{"lower after all", stored[2] + 1000, "LOWER", 3},
		{"lower at one", stored[1], "LOWER", 1},
		{"upper between two", stored[1] + 10, "UPPER", 1},
		{"upper before all", stored[0] - 1000, "upper", 0},
		{"upper after all", stored[2] + 1000, "UPPER", 2},
	} {
		code, offset := c.offsetOf(protocol.SearchOffsetByTimestamp, &protocol.SearchOffsetRequest{Topic: topic, Timestamp: test.at, BoundaryType: test.boundary})
		e.WantOffset(test.name, code, offset, protocol.Success, test.want)
	}
}

func topicMadeAgain(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	e.fill(c, topic, 10, noTag)
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	c.Commit(group, topic, 0, 5)
	c.Want(0, e.Broker(), protocol.DeleteTopicInBroker, &protocol.DeleteTopicRequest{Topic: topic}, nil)
	if p := c.Pull(PullHeader(group, topic, 0, 5, "*")); p.Code != protocol.TopicNotExist {
		e.Errorf("deleted: %v, want 17", p.Code)
	}
	e.SetQueues(c, topic, 1, 1, 6)
	e.fill(c, topic, 3, noTag)
	e.WantPull("the old offset", c.Pull(PullHeader(group, topic, 0, 5, "*")), protocol.PullOffsetMoved, "OFFSET_OVERFLOW_BADLY", 3)
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("the stored offset", code, offset, protocol.Success, 0)
}

func zeroIfNotFound(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	c.Send(topic, 0, "", "x")
	c.Settle(topic, 0, 1)
	code, offset := c.offsetOf(protocol.QueryConsumerOffset, &protocol.QueryConsumerOffsetRequest{
		ConsumerGroup: e.Name("G"), Topic: topic, SetZeroIfNotFound: protocol.Some(false),
	})
	e.WantOffset("setZeroIfNotFound=false", code, offset, protocol.QueryNotFound, 0)
}

func unknownOffsets(e *Env) {
	c, topic := e.Client(), e.Name("none")
	code, offset := c.offsetOf(protocol.GetMaxOffset, &protocol.GetMaxOffsetRequest{Topic: topic})
	e.WantOffset("max", code, offset, protocol.Success, 0)
	code, offset = c.offsetOf(protocol.GetMinOffset, &protocol.GetMinOffsetRequest{Topic: topic})
	e.WantOffset("min", code, offset, protocol.Success, 0)
	code, offset = c.offsetOf(protocol.SearchOffsetByTimestamp, &protocol.SearchOffsetRequest{Topic: topic, Timestamp: 1})
	e.WantOffset("by time", code, offset, protocol.Success, 0)
	code, offset = c.Committed(e.Name("G"), topic, 0)
	e.WantOffset("stored", code, offset, protocol.QueryNotFound, 0)
	var earliest protocol.GetEarliestMsgStoreTimeResponse
	c.Decode(c.Want(0, e.Broker(), protocol.GetEarliestMsgStoreTime, &protocol.GetEarliestMsgStoreTimeRequest{Topic: topic}, nil), &earliest)
	if earliest.Timestamp != -1 {
		e.Errorf("earliest store time %d, want -1", earliest.Timestamp)
	}
}

func oddCommits(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Pull(PullHeader(group, topic, 0, 0, "*"))
	if code := c.Commit(group, topic, 77, 5); code != protocol.Success {
		e.Errorf("queue 77: %v, want 0", code)
	}
	code, offset := c.Committed(group, topic, 77)
	e.WantOffset("queue 77", code, offset, protocol.Success, 5)
	if code := c.Commit(group, topic, 0, -5); code != protocol.Success {
		e.Errorf("negative: %v, want 0", code)
	}
	code, offset = c.Committed(group, topic, 0)
	e.WantOffset("a negative offset counts as none", code, offset, protocol.QueryNotFound, 0)
}

// progress asks for the consume stats of queue 0.
func (e *Env) progress(c *Client, group, topic string) protocol.OffsetWrapper {
	e.Helper()
	stats, err := protocol.DecodeConsumeStats(c.Want(0, e.Broker(), protocol.GetConsumeStats, &protocol.GetConsumeStatsRequest{ConsumerGroup: group, Topic: topic}, nil).Body)
	if err != nil {
		e.Fatalf("consume stats: %v", err)
	}
	return stats.OffsetTable[mq.MessageQueue{Topic: topic, BrokerName: e.broker.BrokerName}]
}
