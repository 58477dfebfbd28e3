package script

import (
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
)

// queueKinds are the values of a queue and its task that can be expected, with their kinds.
func queueKinds() map[string]any {
	return map[string]any{
		"topic": "", "broker": "", "queue": 0, "owner": "", "mine": false, "state": "",
		"min": 0, "max": 0, "committed": 0, "next": 0, "count": 0, "bytes": 0, "span": 0, "lag": 0,
		"in_listener": 0, "flow": "", "put_backs": 0, "found": 0, "failures": 0, "lock": "",
		"task": 0, "task_state": "", "cause": "", "due": 0,
	}
}

// queueValues are those of one queue as a snapshot has them; what is not known is left out.
func queueValues(q *snapshot.Queue, now time.Time) map[string]any {
	v := map[string]any{
		"topic": q.ID.Topic, "broker": q.ID.BrokerName, "queue": int(q.ID.QueueID), "mine": q.Mine, "state": q.State.String(),
		"in_listener": q.InListener, "flow": string(q.Flow.Cause), "put_backs": int(q.Flow.PutBacks),
		"found": int(q.Found), "failures": int(q.Failures),
	}
	if q.Owner.OK() {
		v["owner"] = q.Owner.V
	}
	if q.Lock.Used {
		v["lock"] = q.Lock.BrokerSays.String()
	}
	known(v, "min", q.Min)
	known(v, "max", q.Max)
	known(v, "committed", q.Committed)
	known(v, "next", q.Next)
	known(v, "count", q.Count)
	known(v, "bytes", q.Bytes)
	known(v, "span", q.Span)
	known(v, "lag", q.Lag)
	taskValues(v, &q.Task, now)
	return v
}

func known[T int | int64](v map[string]any, name string, val snapshot.Val[T]) {
	if val.OK() {
		v[name] = int(val.V)
	}
}

func taskValues(v map[string]any, t *snapshot.Task, now time.Time) {
	v["task_state"], v["cause"] = t.State.String(), string(t.Cause)
	if t.ID != 0 {
		v["task"] = int(t.ID)
	}
	if t.State == snapshot.TaskDelayed {
		v["due"] = int(t.Due.Sub(now))
	}
}

// find is the queue of a snapshot that part stands for.
func find(s *snapshot.Snapshot, part mq.MessageQueue) (*snapshot.Queue, string) {
	list := make([]mq.MessageQueue, len(s.Queues))
	for i := range s.Queues {
		list[i] = s.Queues[i].ID
	}
	q, err := step.Resolve(part, list)
	if err != nil {
		return nil, err.Error()
	}
	for i := range s.Queues {
		if s.Queues[i].ID == q {
			return &s.Queues[i], ""
		}
	}
	return nil, "there is no queue " + step.QueueText(q)
}

// safe makes text that came from a network fit for a terminal: what could do something there is
// shown as ?.
func safe(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || printable(r) {
			return r
		}
		return '?'
	}, text)
}
