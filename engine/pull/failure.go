package pull

import (
	"fmt"
	"time"

	"mqscope/engine/decision"
	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// Response codes that the words or the delay depend on (Java: ResponseCode).
const (
	codeSystemBusy            = 2
	codeNoPermission          = 16
	codeTopicNotExist         = 17
	codeSubscriptionNotExist  = 24
	codeSubscriptionNotLatest = 25
	codeGroupNotExist         = 26
	codeFlowControl           = 215
)

// failed follows a pull that brought no result (Java: PullCallback.onException): the request
// waits. It is told once when failures begin or change, not for each pull.
func (a *answer) failed() {
	q, d := a.queue, a.done
	q.failures++
	then := a.staying()
	if d.Code == codeFlowControl {
		then.Why = event.CauseBrokerFlow
		if q.flows++; q.flows == 1 {
			then.Delay = a.cfg.BrokerFlowDelay
		}
	} else {
		q.flows = 0
	}
	level := event.Warn
	if mq.IsRetryTopic(d.Queue.Topic) {
		// Brokers make retry topics when they are first needed.
		level = event.Debug
	}
	why := a.failure()
	a.record(decision.PullFailed, false, [6]int64{d.Offset, int64(d.Code), int64(q.failures)}, why, then)
	a.tell(trouble(fmt.Sprint("code ", d.Code)), level, why)
	if d.Code == 0 {
		// No answer: the recommendation of a slave ends, the master knows better.
		q.suggest = mq.MasterID
	}
	a.back(d.Offset, then.Delay, then.Why)
}

// recovered ends a run of failures.
func (a *answer) recovered() {
	q := a.queue
	if q.failures == 0 {
		return
	}
	a.record(decision.PullRecovered, false, [6]int64{int64(q.failures)}, "", decision.Then{})
	if q.failures > 1 {
		a.actions = append(a.actions, newEntry(a.now, event.Info, a.done.Queue, fmt.Sprintf("pulls again after %d failures", q.failures)))
	}
	q.failures, q.flows, q.trouble = 0, 0, noTrouble
}

// failure says in words why the pull failed, and what will help where that is known.
func (a *answer) failure() string {
	switch a.done.Code {
	case codeFlowControl:
		return "the broker limits pulls (FLOW_CONTROL)"
	case codeSystemBusy:
		return "the broker is busy (SYSTEM_BUSY): pulled again later"
	case codeSubscriptionNotLatest:
		return "the broker knows an older subscription: the next heartbeat brings this one"
	case codeSubscriptionNotExist, codeGroupNotExist:
		return "the broker does not know the group's subscription: the next heartbeat brings it"
	case codeTopicNotExist:
		return "the broker does not have the topic: was it deleted?"
	case codeNoPermission:
		return "the broker does not permit reading: is the topic or the group switched off?"
	}
	if a.done.Err == nil {
		return fmt.Sprintf("pull failed, response code %d", a.done.Code)
	}
	return "pull failed: " + a.done.Err.Error()
}

// tell returns what to say about t, nothing when that was the last thing said of the queue.
func (q *queue) tell(t trouble, now time.Time, level event.Level, id mq.MessageQueue, words string) (event.Entry, bool) {
	if q.trouble == t {
		return event.Entry{}, false
	}
	q.trouble = t
	return newEntry(now, level, id, words), true
}

func newEntry(now time.Time, level event.Level, id mq.MessageQueue, words string) event.Entry {
	return event.Entry{At: now, Level: level, Source: "pull", Queue: id, What: words, Count: 1}
}
