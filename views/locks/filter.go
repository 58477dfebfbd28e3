package locks

import (
	"fmt"
	"slices"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Terms are the beginnings of terms that a filter understands, for completion.
func Terms() []string {
	return []string{
		"topic:", "broker:", "owner:", "lock:mine", "lock:refused", "lock:unknown", "lock:late", "lock:expired", "lock:two",
		"lock:skew", "lock:unlocking", "lock:others", "lock:held", "lock:free", "mark:bad", "mark:watch", "mark:ok", "mark:unknown",
	}
}

// predicate tells whether the lock of a queue passes, as it reads now.
type predicate func(*snapshot.Queue, views.Lock) bool

// is tells whether k can be said of a lock, although something worse may be, too.
func is(k views.LockKind, r views.Lock) bool {
	switch k {
	case views.LockRefused:
		return r.Says == snapshot.LockRefused
	case views.LockMine:
		return r.Says == snapshot.LockMine
	case views.LockExpired:
		return r.Over()
	case views.LockLate:
		return r.Late()
	case views.LockUnlocking:
		return r.Tries > 0
	}
	return r.Kind == k
}

// compile turns a filter into predicates. Terms it does not understand are reported and left
// out, so that a half-typed filter still filters.
func compile(text string, s *snapshot.Snapshot) (tests []predicate, bad error) {
	for _, t := range views.ParseFilter(text) {
		p, err := compileTerm(t, s)
		if err != nil {
			bad = err
			continue
		}
		if t.Not {
			inner := p
			p = func(q *snapshot.Queue, r views.Lock) bool { return !inner(q, r) }
		}
		tests = append(tests, p)
	}
	return tests, bad
}

func compileTerm(t views.Term, s *snapshot.Snapshot) (predicate, error) {
	short := views.ShortBrokers(s)
	switch t.Key {
	case "":
		return func(q *snapshot.Queue, _ views.Lock) bool { return t.MatchFuzzy(views.RawName(q.ID)) }, nil
	case "topic":
		return func(q *snapshot.Queue, _ views.Lock) bool { return t.MatchText(q.ID.Topic) }, nil
	case "broker":
		return func(q *snapshot.Queue, _ views.Lock) bool {
			return t.MatchText(q.ID.BrokerName) || t.Value == short.Of(q.ID.BrokerName)
		}, nil
	case "owner":
		return func(_ *snapshot.Queue, r views.Lock) bool { return slices.ContainsFunc(r.Believers, t.MatchText) }, nil
	case "lock":
		for k := range views.LockKinds {
			if t.Value != "" && strings.Contains(string(k.Word()), strings.ToLower(t.Value)) {
				return func(_ *snapshot.Queue, r views.Lock) bool { return is(k, r) }, nil
			}
		}
		return nil, fmt.Errorf("lock:%s is none of mine, refused, unknown, late, expired, two, skew, unlocking, others", t.Value)
	case "mark":
		for m := snapshot.MarkOK; m <= snapshot.MarkUnknown; m++ {
			if t.Value != "" && strings.HasPrefix(string(views.MarkWord(m)), strings.ToLower(t.Value)) || slices.Contains(views.MarkSigns(m), t.Value) {
				return func(_ *snapshot.Queue, r views.Lock) bool { return r.Kind.Mark() == m }, nil
			}
		}
		return nil, fmt.Errorf("mark:%s is none of ok, watch, bad, unknown", t.Value)
	}
	return nil, fmt.Errorf("%s: is no term here, use topic, broker, owner, lock, mark", t.Key)
}
