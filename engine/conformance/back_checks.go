package conformance

import (
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func backChecks() []Check {
	return []Check{
		{"C40", "a message sent back comes again after 10 s with its history", sendBackOnce},
		{"C41", "used-up retries and a negative level go to the dead letters at once", sendBackDead},
		{"C43", "a delayed message waits in the schedule topic and comes on time", delayedSend},
		{"X40", "send back: unknown group, unknown record, old client", sendBackRefused},
		{"X41", "send back with a level, and a second round", sendBackTwice},
		{"X43", "delay levels: clamp and order", delayLevels},
	}
}

func sendBackOnce(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 1), e.Sub(mq.RetryTopic(group), "*", 1))
	sent := c.SendProps(topic, 0, "again", protocol.Property{Name: mq.PropertyTags, Value: "A"})
	m := c.PullUntil(group, topic, 0, 0, soon)
	start := time.Now()
	if code := c.SendBack(group, topic, m.PhysicalOffset(), 0, protocol.Opt[int32]{}); code != protocol.Success {
		e.Fatalf("send back: %v", code)
	}
	again := c.PullUntil(group, mq.RetryTopic(group), 0, 0, 12*time.Second)
	e.Within("level 3", time.Since(start), 10*time.Second-50*time.Millisecond, 10600*time.Millisecond)
	if again.ReconsumeTimes() != 1 || string(again.Body()) != "again" || !again.BornTime().Equal(m.BornTime()) {
		e.Errorf("reconsumed %d times, body %q, born %v", again.ReconsumeTimes(), again.Body(), again.BornTime())
	}
	e.WantProps(again, "TAGS=A", "RETRY_TOPIC="+topic, "ORIGIN_MESSAGE_ID="+sent.MsgID, "UNIQ_KEY="+sent.TransactionID,
		"DELAY=3", "WAIT=false", "REAL_TOPIC="+mq.RetryTopic(group), "REAL_QID=0")
}

func sendBackDead(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 1))
	c.Send(topic, 0, "", "x")
	physical := c.PullUntil(group, topic, 0, 0, soon).PhysicalOffset()
	if code := c.SendBack(group, topic, physical, 0, protocol.Some(int32(0))); code != protocol.Success {
		e.Errorf("no retries allowed: %v", code)
	}
	if code := c.SendBack(group, topic, physical, -1, protocol.Opt[int32]{}); code != protocol.Success {
		e.Errorf("negative level: %v", code)
	}
	if code := c.SendBack(group, "", physical, -1, protocol.Opt[int32]{}); code != protocol.SystemError {
		e.Errorf("negative level without originTopic: %v, want 1", code)
	}
	for i := range int64(2) {
		m := c.PullUntil(group, mq.DeadLetterTopic(group), 0, i, soon)
		e.WantProps(m, "DELAY=0", "RETRY_TOPIC="+topic)
	}
	e.wantRoute(c, mq.DeadLetterTopic(group), 1, 1, 6)
}

func delayedSend(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 4)
	start := time.Now()
	sent := c.SendProps(topic, 2, "late", protocol.Property{Name: mq.PropertyDelayLevel, Value: "1"})
	if sent.QueueID != 2 {
		e.Errorf("answered queue %d, want 2", sent.QueueID)
	}
	m := c.PullUntil(e.Name("G"), topic, 2, 0, 3*time.Second)
	e.Within("level 1", time.Since(start), time.Second-50*time.Millisecond, 1500*time.Millisecond)
	if m.OffsetID() == sent.MsgID {
		e.Errorf("the delivered record is the one that waited")
	}
	_, physical, err := protocol.ParseOffsetID(sent.MsgID)
	if err != nil {
		e.Fatalf("%v", err)
	}
	resp := c.Want(0, e.Broker(), protocol.ViewMessageByID, &protocol.ViewMessageRequest{Offset: physical}, nil)
	var b mq.Batch
	b.Reset(resp.Body, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil || b.Len() != 1 || b.At(0).StoredTopic() != mq.ScheduleTopic || b.At(0).QueueOffset() != sent.QueueOffset {
		e.Errorf("the record that the send named is not in %s (%v)", mq.ScheduleTopic, err)
	}
}

func sendBackRefused(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Send(topic, 0, "", "x")
	physical := c.PullUntil(group, topic, 0, 0, soon).PhysicalOffset()
	if code := c.SendBack("a.b", topic, physical, 0, protocol.Opt[int32]{}); code != protocol.SubscriptionGroupNotExist {
		e.Errorf("illegal group: %v, want 26", code)
	}
	if code := c.SendBack(group, topic, 1<<50, 0, protocol.Opt[int32]{}); code != protocol.SystemError {
		e.Errorf("no such record: %v, want 1", code)
	}
}

func sendBackTwice(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 1))
	sent := c.Send(topic, 0, "", "x")
	m := c.PullUntil(group, topic, 0, 0, soon)
	for round := range int32(2) {
		start := time.Now()
		if code := c.SendBack(group, topic, m.PhysicalOffset(), 1, protocol.Opt[int32]{}); code != protocol.Success {
			e.Fatalf("round %d: %v", round, code)
		}
		m = c.PullUntil(group, mq.RetryTopic(group), 0, int64(round), 5*time.Second)
		e.Within("level 1", time.Since(start), time.Second-50*time.Millisecond, 1600*time.Millisecond)
		if m.ReconsumeTimes() != round+1 {
			e.Errorf("round %d: reconsumed %d times", round, m.ReconsumeTimes())
		}
		e.WantProps(m, "RETRY_TOPIC="+topic, "ORIGIN_MESSAGE_ID="+sent.MsgID, "DELAY=1")
	}
}

func delayLevels(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	for _, body := range []string{"first", "second"} {
		c.SendProps(topic, 0, body, protocol.Property{Name: mq.PropertyDelayLevel, Value: "1"})
	}
	c.SendProps(topic, 0, "at once", protocol.Property{Name: mq.PropertyDelayLevel, Value: "0"})
	far := c.SendProps(topic, 0, "far", protocol.Property{Name: mq.PropertyDelayLevel, Value: "99"})
	group := e.Name("G")
	for i, body := range []string{"at once", "first", "second"} {
		if m := c.PullUntil(group, topic, 0, int64(i), 3*time.Second); string(m.Body()) != body {
			e.Errorf("message %d is %q, want %q", i, m.Body(), body)
		}
	}
	_, physical, _ := protocol.ParseOffsetID(far.MsgID)
	resp := c.Want(0, e.Broker(), protocol.ViewMessageByID, &protocol.ViewMessageRequest{Offset: physical}, nil)
	var b mq.Batch
	b.Reset(resp.Body, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil || b.Len() != 1 || b.At(0).QueueID() != 17 {
		e.Errorf("level 99 does not wait in the queue of level 18 (%v)", err)
	}
}
