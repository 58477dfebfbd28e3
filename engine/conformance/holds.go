package conformance

import (
	"time"

	"mqscope/engine/protocol"
)

func holdChecks() []Check {
	return []Check{
		{"C22", "a held pull is answered within 100 ms of a send", wakeOnArrival},
		{"C23", "a held pull without a message is answered after its time", holdTimeout},
		{"C24", "a message of another tag releases a held pull at the next tick", wakeOnTick},
		{"C25", "a held pull of a deleted topic is answered with 17", holdDeleted},
		{"C26", "commitOffset of a pull is stored whatever the answer", piggyback},
		{"C27", "a pull that was held moves the pull offset, not the consume offset", heldCommit},
		{"X95", "several held pulls on one queue all wake", manyHeld},
	}
}

// held pulls with the flag to wait.
func heldHeader(group, topic string, offset int64, expression string) *protocol.PullMessageRequest {
	h := PullHeader(group, topic, 0, offset, expression)
	h.SysFlag |= flagSuspend
	return h
}

func wakeOnArrival(e *Env) {
	c, p := e.Client(), e.Client()
	topic := e.Topic(c, 1)
	got := c.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "A"))
	e.Sleep(3 * time.Second)
	start := time.Now()
	p.Send(topic, 0, "A", "x")
	pull := e.ReadPull(<-got)
	e.Within("waking", time.Since(start), 0, 100*time.Millisecond)
	e.wantCount("woken", pull, 1, 1)
}

func holdTimeout(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	start := time.Now()
	p := e.ReadPull(<-c.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "*")))
	e.Within("holding", time.Since(start), 15*time.Second, 20500*time.Millisecond)
	e.WantPull("end of holding", p, protocol.PullNotFound, "NO_MESSAGE_IN_QUEUE", 0)
}

func wakeOnTick(e *Env) {
	c, p := e.Client(), e.Client()
	topic := e.Topic(c, 1)
	p.Send(topic, 0, "A", "x")
	p.Settle(topic, 0, 1)
	got := c.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 1, "A"))
	e.Sleep(time.Second)
	start := time.Now()
	p.Send(topic, 0, "B", "x")
	pull := e.ReadPull(<-got)
	e.Within("the tick", time.Since(start), 0, 5500*time.Millisecond)
	e.WantPull("another tag", pull, protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 2)
}

func holdDeleted(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	got := c.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "*"))
	e.Sleep(500 * time.Millisecond)
	start := time.Now()
	c.Want(0, e.Broker(), protocol.DeleteTopicInBroker, &protocol.DeleteTopicRequest{Topic: topic}, nil)
	if p := e.ReadPull(<-got); p.Code != protocol.TopicNotExist {
		e.Errorf("%v %q, want 17", p.Code, p.Remark)
	}
	e.Within("the next wake", time.Since(start), 0, 20500*time.Millisecond)
}

func piggyback(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	h := PullHeader(group, topic, 0, 0, "*")
	h.SysFlag |= flagCommit
	h.CommitOffset = 7
	if p := c.Pull(h); p.Code != protocol.PullNotFound {
		e.Errorf("%v, want 19", p.Code)
	}
	code, offset := c.Committed(group, topic, 0)
	e.WantOffset("stored", code, offset, protocol.Success, 7)
}

func heldCommit(e *Env) {
	c, p := e.Client(), e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	got := c.Later(e.Broker(), protocol.PullMessage, heldHeader(group, topic, 0, "*"))
	e.Sleep(500 * time.Millisecond)
	if code := c.Commit(group, topic, 0, 0); code != protocol.Success {
		e.Errorf("commit: %v", code)
	}
	p.Send(topic, 0, "", "x")
	e.wantCount("woken", e.ReadPull(<-got), 1, 1)
	w := e.progress(c, group, topic)
	if w.ConsumerOffset != 0 || w.PullOffset != 1 || w.BrokerOffset != 1 {
		e.Errorf("%+v", w)
	}
}

func manyHeld(e *Env) {
	p := e.Client()
	topic := e.Topic(p, 1)
	a, b := e.Client(), e.Client()
	first := a.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "*"))
	second := b.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "A"))
	third := b.Later(e.Broker(), protocol.PullMessage, heldHeader(e.Name("G"), topic, 0, "B"))
	e.Sleep(500 * time.Millisecond)
	start := time.Now()
	p.Send(topic, 0, "A", "x")
	e.wantCount("all tags", e.ReadPull(<-first), 1, 1)
	e.wantCount("tag A", e.ReadPull(<-second), 1, 1)
	e.Within("waking two", time.Since(start), 0, 200*time.Millisecond)
	e.WantPull("tag B", e.ReadPull(<-third), protocol.PullRetryImmediately, "NO_MATCHED_MESSAGE", 1)
}
