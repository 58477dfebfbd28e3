package event

import (
	"time"

	"mqscope/engine/mq"
)

// Cause names why a pull is not done now. The text is what screens show.
type Cause string

// Causes of a "later", with the delay that DefaultMQPushConsumerImpl.pullMessage gives them.
const (
	CauseNone           Cause = ""
	CauseAssigned       Cause = "assigned"        // 500 ms after the queue was given to us
	CauseFlowCount      Cause = "flow:count"      // 50 ms
	CauseFlowSize       Cause = "flow:size"       // 50 ms
	CauseFlowSpan       Cause = "flow:span"       // 50 ms
	CauseFlowAll        Cause = "flow:all"        // 50 ms, all queues of a lite consumer together
	CausePaused         Cause = "paused"          // 1,000 ms
	CauseNotRunning     Cause = "not running"     // delay after an exception
	CauseNoSubscription Cause = "no subscription" // delay after an exception
	CauseException      Cause = "exception"       // delay after an exception, 1,000 ms
	CauseBrokerFlow     Cause = "broker flow"     // 20 ms, the broker answered FLOW_CONTROL (215)
	CauseInterval       Cause = "pull interval"   // the configured pullInterval
	CauseByHand         Cause = "by hand"         // a person made it wait
	CauseUnreadable     Cause = "unreadable"      // 30 s, the message at the next offset can not be decoded
)

// IsFlow tells whether c is local flow control.
func (c Cause) IsFlow() bool {
	return c == CauseFlowCount || c == CauseFlowSize || c == CauseFlowSpan || c == CauseFlowAll
}

// PutBack returns a pull request to the schedule: pull again from Next after Delay. A zero
// Delay means as soon as the requests that are due already had their turn
// (Java: executePullRequestLater and executePullRequestImmediately).
type PutBack struct {
	Queue mq.MessageQueue
	Epoch uint64
	Next  int64
	Delay time.Duration
	Cause Cause
}

// PullSent says that a request is at a broker, which may hold it for Hold.
type PullSent struct {
	Queue mq.MessageQueue
	Epoch uint64
	Hold  time.Duration
}

// RequestDied ends a pull request: its queue was dropped or its offset is illegal.
type RequestDied struct {
	Queue mq.MessageQueue
	Epoch uint64
}

// Postponed makes the request of Queue, if it waits, do so for By more: a person's doing.
type Postponed struct {
	Queue mq.MessageQueue
	By    time.Duration
}

// PullReleased gives the request of Queue, which a person held, its turn.
type PullReleased struct{ Queue mq.MessageQueue }

// Woken makes waiting requests due now: those of Queue (of every queue when it is zero) on
// BrokerName (any when empty) that wait for one of Causes (any when empty).
type Woken struct {
	Queue      mq.MessageQueue
	BrokerName string
	Causes     []Cause
	By         string // who woke them, for the record of decisions
}
