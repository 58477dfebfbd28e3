package queues

import (
	"fmt"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Terms are the beginnings of terms that a filter understands, for completion.
func Terms() []string {
	return []string{
		"topic:", "broker:", "owner:me", "owner:", "mark:bad", "mark:warn", "mark:watch", "mark:ok", "mark:unknown", "mark:stale",
		"flow:count", "flow:size", "flow:span", "flow:none", "state:pulling", "state:resolving", "state:paused", "state:dropped", "state:other", "state:popping", "state:nobody",
		"task:ready", "task:delayed", "task:running", "task:parked", "task:none",
		"lag>1k", "lag:?", "cached>100", "bytes>1MiB", "in>10", "out<1",
	}
}

// predicate tells whether a queue passes.
type predicate func(*snapshot.Queue) bool

// compile turns a filter into one predicate.
func compile(text string, s *snapshot.Snapshot) (predicate, error) {
	return views.Compile(text, func(t views.Term) (func(*snapshot.Queue) bool, error) { return compileTerm(t, s) })
}

func compileTerm(t views.Term, s *snapshot.Snapshot) (predicate, error) {
	short := views.ShortBrokers(s)
	if t.Op != "" && t.Op != ":" {
		return numberTerm(t)
	}
	switch t.Key {
	case "":
		return func(q *snapshot.Queue) bool {
			return t.MatchFuzzy(views.RawName(q.ID)) || t.MatchFuzzy(shortName(q.ID, short))
		}, nil
	case "topic":
		return func(q *snapshot.Queue) bool { return t.MatchText(q.ID.Topic) }, nil
	case "broker":
		is := t.Broker(s)
		return func(q *snapshot.Queue) bool { return is(q.ID.BrokerName) }, nil
	case "owner":
		return func(q *snapshot.Queue) bool {
			return q.Mine && t.Value == "me" || q.Owner.OK() && t.MatchText(q.Owner.V) || t.Value == "?" && !q.Owner.OK()
		}, nil
	case "flow":
		return func(q *snapshot.Queue) bool {
			if q.Flow.Cause == "" {
				return t.Value == "none" || t.Value == "-"
			}
			return t.MatchText(string(q.Flow.Cause))
		}, nil
	case "state":
		return func(q *snapshot.Queue) bool { return t.MatchText(q.State.String()) }, nil
	case "task":
		return func(q *snapshot.Queue) bool { return t.MatchText(q.Task.State.String()) }, nil
	case "mark":
		m, ok := t.Mark()
		if !ok {
			return nil, fmt.Errorf("mark:%s is none of ok, watch, warn, bad, stale, unknown", t.Value)
		}
		return func(q *snapshot.Queue) bool { return q.Mark == m }, nil
	}
	if _, ok := numberOf(t.Key); ok {
		return numberTerm(t)
	}
	return nil, fmt.Errorf("%s: is no term here", t.Key)
}

// numberOf says which reading a term compares. known is false for an unknown reading, which
// passes no comparison.
func numberOf(key string) (func(*snapshot.Queue) (v float64, known bool), bool) {
	switch key {
	case "lag":
		return func(q *snapshot.Queue) (float64, bool) { return float64(q.Lag.V), q.Lag.OK() }, true
	case "cached", "count":
		return func(q *snapshot.Queue) (float64, bool) { return float64(q.Count.V), q.Count.OK() }, true
	case "bytes":
		return func(q *snapshot.Queue) (float64, bool) { return float64(q.Bytes.V), q.Bytes.OK() }, true
	case "span":
		return func(q *snapshot.Queue) (float64, bool) { return float64(q.Span.V), q.Span.OK() }, true
	case "in":
		return func(q *snapshot.Queue) (float64, bool) { return q.InRate.V, q.InRate.OK() }, true
	case "out":
		return func(q *snapshot.Queue) (float64, bool) { return q.OutRate.V, q.OutRate.OK() }, true
	case "q", "id":
		return func(q *snapshot.Queue) (float64, bool) { return float64(q.ID.QueueID), true }, true
	}
	return nil, false
}

func numberTerm(t views.Term) (predicate, error) {
	read, ok := numberOf(t.Key)
	if !ok {
		return nil, fmt.Errorf("%s is no number here: use lag, cached, bytes, span, in, out, q", t.Key)
	}
	if t.Value == "?" {
		return func(q *snapshot.Queue) bool { _, known := read(q); return !known }, nil
	}
	n, err := t.Number()
	if err != nil {
		return nil, err
	}
	return func(q *snapshot.Queue) bool {
		v, known := read(q)
		return known && n.Holds(v)
	}, nil
}

func shortName(q snapshot.MessageQueue, short views.ShortNames) string {
	q.BrokerName = short.Of(q.BrokerName)
	return views.RawName(q)
}
