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

// row is a queue and its lock, as it reads now.
type row struct {
	q    *snapshot.Queue
	lock views.Lock
}

// predicate tells whether the lock of a queue passes.
type predicate func(*row) bool

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

// compile turns a filter into one predicate.
func compile(text string, s *snapshot.Snapshot) (predicate, error) {
	return views.Compile(text, func(t views.Term) (func(*row) bool, error) { return compileTerm(t, s) })
}

func compileTerm(t views.Term, s *snapshot.Snapshot) (predicate, error) {
	switch t.Key {
	case "":
		return func(r *row) bool { return t.MatchFuzzy(views.RawName(r.q.ID)) }, nil
	case "topic":
		return func(r *row) bool { return t.MatchText(r.q.ID.Topic) }, nil
	case "broker":
		named := t.Broker(s)
		return func(r *row) bool { return named(r.q.ID.BrokerName) }, nil
	case "owner":
		return func(r *row) bool { return slices.ContainsFunc(r.lock.Believers, t.MatchText) }, nil
	case "lock":
		for k := range views.LockKinds {
			if t.Value != "" && strings.Contains(string(k.Word()), strings.ToLower(t.Value)) {
				return func(r *row) bool { return is(k, r.lock) }, nil
			}
		}
		return nil, fmt.Errorf("lock:%s is none of mine, refused, unknown, late, expired, two, skew, unlocking, others", t.Value)
	case "mark":
		if m, ok := t.Mark(); ok {
			return func(r *row) bool { return r.lock.Kind.Mark() == m }, nil
		}
		return nil, fmt.Errorf("mark:%s is none of ok, watch, bad, unknown", t.Value)
	}
	return nil, fmt.Errorf("%s: is no term here, use topic, broker, owner, lock, mark", t.Key)
}
