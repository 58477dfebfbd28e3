package step

import (
	"strconv"
	"time"

	"mqscope/engine/mq"
)

// Change is something that a person lets happen in a world. Its text is what ParseChange reads.
type Change interface {
	String() string
	change()
}

type (
	// DelayTask has the pull task of a queue wait for By from now on.
	DelayTask struct {
		Queue mq.MessageQueue
		By    time.Duration
	}
	// FailPull lets the next pull from a queue fail as a lost connection does.
	FailPull struct{ Queue mq.MessageQueue }
	// AnswerPull has the next pull from a queue answered with a status, in Java's words.
	AnswerPull struct {
		Queue  mq.MessageQueue
		Status string
	}
	// MemberJoins and MemberLeaves change the group.
	MemberJoins  struct{ Name string }
	MemberLeaves struct{ Name string }
	// ExpireLock lets the broker's lock of a queue run out now.
	ExpireLock struct{ Queue mq.MessageQueue }
	// ReleaseLock has the driven member give its lock of a queue back, as a person asks it to.
	ReleaseLock struct{ Queue mq.MessageQueue }
	// HangHandler keeps the next listener call for a queue from returning for a while.
	HangHandler struct {
		Queue mq.MessageQueue
		For   time.Duration
	}
	// FailHandler lets the next listener call for a queue fail.
	FailHandler struct{ Queue mq.MessageQueue }
	// AdvanceClock lets time pass at once: what was due meanwhile comes late.
	AdvanceClock struct{ By time.Duration }
	// PausePulls and ResumePulls are suspend and resume of a consumer.
	PausePulls  struct{}
	ResumePulls struct{}
	// SendMessages stores N messages in a queue, or in some queue of Topic when Queue is zero.
	SendMessages struct {
		Topic string
		Queue mq.MessageQueue
		N     int
	}
)

func (c DelayTask) String() string    { return "delay " + QueueText(c.Queue) + " " + c.By.String() }
func (c FailPull) String() string     { return "fail-pull " + QueueText(c.Queue) }
func (c AnswerPull) String() string   { return "answer " + QueueText(c.Queue) + " " + c.Status }
func (c MemberJoins) String() string  { return "join " + c.Name }
func (c MemberLeaves) String() string { return "leave " + c.Name }
func (c ExpireLock) String() string   { return "expire-lock " + QueueText(c.Queue) }
func (c ReleaseLock) String() string  { return "release-lock " + QueueText(c.Queue) }
func (c HangHandler) String() string  { return "hang " + QueueText(c.Queue) + " " + c.For.String() }
func (c FailHandler) String() string  { return "fail-handler " + QueueText(c.Queue) }
func (c AdvanceClock) String() string { return "advance " + c.By.String() }
func (PausePulls) String() string     { return "pause-pulls" }
func (ResumePulls) String() string    { return "resume-pulls" }
func (c SendMessages) String() string {
	to := c.Topic
	if to == "" || c.Queue != (mq.MessageQueue{}) {
		to = QueueText(c.Queue)
	}
	return "send " + to + " " + strconv.Itoa(c.N)
}

func (DelayTask) change()    {}
func (FailPull) change()     {}
func (AnswerPull) change()   {}
func (MemberJoins) change()  {}
func (MemberLeaves) change() {}
func (ExpireLock) change()   {}
func (ReleaseLock) change()  {}
func (HangHandler) change()  {}
func (FailHandler) change()  {}
func (AdvanceClock) change() {}
func (PausePulls) change()   {}
func (ResumePulls) change()  {}
func (SendMessages) change() {}

// resolved returns c with its queue written out.
func resolved(c Change, list []mq.MessageQueue) (Change, error) {
	var err error
	switch x := c.(type) {
	case DelayTask:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case FailPull:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case AnswerPull:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case ExpireLock:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case ReleaseLock:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case HangHandler:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case FailHandler:
		x.Queue, err = Resolve(x.Queue, list)
		return x, err
	case SendMessages:
		if x.Topic != "" && x.Queue == (mq.MessageQueue{}) {
			return x, nil
		}
		x.Queue, err = Resolve(x.Queue, list)
		x.Topic = x.Queue.Topic
		return x, err
	}
	return c, nil
}
