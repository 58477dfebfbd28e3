package conformance

import (
	"slices"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func lockChecks() []Check {
	return []Check{
		{"C37", "queues are locked, refused and freed one by one", locking},
		{"C38", "a lock outlives its connection until 60 s after it was taken", lockExpires},
		{"C39", "a lock guards neither pulls nor commits", lockGuardsNothing},
		{"C42", "a send to the retry topic of a group with a lock goes to the dead letters", lockedRetry},
		{"X29", "locks: renewal, foreign unlock, unknown names", lockDetails},
		{"X30", "a renewed lock stays", lockRenewed},
	}
}

func (e *Env) wantLocked(what string, got []int32, want ...int32) {
	e.Helper()
	if !slices.Equal(got, want) {
		e.Errorf("%s: locked %v, want %v", what, got, want)
	}
}

func locking(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 3), e.Name("G")
	e.wantLocked("A", a.Lock(group, topic, 0, 1), 0, 1)
	e.wantLocked("B", b.Lock(group, topic, 1, 2), 2)
	a.Unlock(group, topic, 1)
	e.wantLocked("B again", b.Lock(group, topic, 1), 1)
}

func lockExpires(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	start := time.Now()
	e.wantLocked("A", a.Lock(group, topic, 0), 0)
	a.Stop()
	for len(b.Lock(group, topic, 0)) == 0 {
		if e.Sleep(5 * time.Second); time.Since(start) > 80*time.Second {
			break
		}
	}
	e.Within("the lock of a gone client", time.Since(start), 60*time.Second, 66*time.Second)
}

func lockGuardsNothing(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Send(topic, 0, "", "x")
	a.Settle(topic, 0, 1)
	a.Lock(group, topic, 0)
	e.wantCount("B's pull", b.Pull(PullHeader(group, topic, 0, 0, "*")), 1, 1)
	if code := b.Commit(group, topic, 0, 1); code != protocol.Success {
		e.Errorf("B's commit: %v", code)
	}
}

func lockedRetry(e *Env) {
	c := e.Client()
	topic, group := e.Topic(c, 1), e.Name("G")
	c.Heartbeat(group, e.Sub(topic, "*", 1))
	c.Lock(group, topic, 0)
	h := SendHeader(mq.RetryTopic(group), 0, protocol.Property{Name: mq.PropertyDelayLevel, Value: "3"})
	h.ReconsumeTimes = protocol.Some(int32(1))
	c.Want(0, e.Broker(), protocol.SendMessageV2, h, []byte("x"))
	c.PullUntil(group, mq.DeadLetterTopic(group), 0, 0, soon)
}

func lockDetails(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	e.wantLocked("A", a.Lock(group, topic, 0), 0)
	e.wantLocked("A renews", a.Lock(group, topic, 0), 0)
	b.Unlock(group, topic, 0)
	e.wantLocked("B after its own unlock", b.Lock(group, topic, 0))
	e.wantLocked("names that nobody knows", b.Lock(e.Name("G"), e.Name("none"), 99), 99)
}

func lockRenewed(e *Env) {
	a, b := e.Client(), e.Client()
	topic, group := e.Topic(a, 1), e.Name("G")
	a.Lock(group, topic, 0)
	e.Sleep(40 * time.Second)
	a.Lock(group, topic, 0)
	e.Sleep(30 * time.Second)
	e.wantLocked("B 70 s after the first and 30 s after the second lock", b.Lock(group, topic, 0))
}
