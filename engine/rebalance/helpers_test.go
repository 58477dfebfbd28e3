package rebalance

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

const me = "10.0.0.1@1"

var (
	epoch    = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	errBoom  = errors.New("connection refused")
	ours     = []string{me}
	us       = []string{me, "10.0.0.2@1"}
	othersIn = []string{"10.0.0.2@1", "10.0.0.3@1"}
)

// step is one event at a time after the start, and the actions that it must lead to, in
// words: see word.
type step struct {
	at   time.Duration
	e    event.Event
	want string // one action per line
}

func q(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "t", BrokerName: "b", QueueID: id}
}

func qs(n int32) []mq.MessageQueue {
	var queues []mq.MessageQueue
	for id := range n {
		queues = append(queues, q(id))
	}
	return queues
}

func wanted() event.Event { return event.RebalanceWanted{Why: "start"} }

func route(n int32) event.Event {
	return event.RouteChanged{Topic: "t", Queues: qs(n), Known: true}
}

func listed(members ...string) event.Event {
	return event.MembersListed{Topic: "t", Members: members}
}

func found(id int32, epoch uint64, offset int64) event.Event {
	return event.OffsetRead{Queue: q(id), Epoch: epoch, Source: event.CommittedOffset, Offset: offset, Found: true}
}

// ids are the ids of queues of topic t on broker b, with names where they are others.
func ids(queues []mq.MessageQueue) string {
	var words []string
	for _, q := range queues {
		words = append(words, strings.TrimPrefix(fmt.Sprintf("%s/%s/%d", q.Topic, q.BrokerName, q.QueueID), "t/b/"))
	}
	return strings.Join(words, ",")
}

// word says an action in a few words.
func word(a Action) string {
	name := func(q mq.MessageQueue) string {
		return strings.TrimPrefix(fmt.Sprintf("%s/%s/%d", q.Topic, q.BrokerName, q.QueueID), "t/b/")
	}
	switch a := a.(type) {
	case ListMembers:
		return "list " + a.Topic
	case QueryAssignment:
		return fmt.Sprintf("query %s %v", a.Topic, a.Timeout)
	case DrainPopRetry:
		return "drain " + a.Topic
	case ReadOffset:
		text := fmt.Sprintf("read %s #%d %v", name(a.Queue), a.Epoch, a.Source)
		if !a.Time.IsZero() {
			text += " " + a.Time.UTC().Format("15:04")
		}
		return text
	case Assign:
		return fmt.Sprintf("assign %s #%d at %d after %v", name(a.Queue), a.Epoch, a.Start, a.Delay)
	case Revoke:
		return fmt.Sprintf("revoke %s #%d %v", name(a.Queue), a.Epoch, a.Why)
	case Announce:
		return "announce " + a.Topic
	case LockQueues:
		return "lock " + ids(a.Queues)
	case UnlockQueues:
		return "unlock " + ids(a.Queues)
	case LocksHeld:
		return fmt.Sprintf("held %s since %v", ids(a.Queues), a.At.Sub(epoch))
	case LocksLost:
		return "lost " + ids(a.Queues)
	case Release:
		text := fmt.Sprintf("release %s #%d", name(a.Queue), a.Epoch)
		if a.Force {
			text += " now"
		}
		return text
	case event.Entry:
		where := a.Where
		if where == "" {
			where = name(a.Queue)
		}
		return fmt.Sprintf("%v %s: %s", a.Level, where, a.What)
	}
	return fmt.Sprintf("unknown action %#v", a)
}

func words(actions []Action) string {
	lines := make([]string, len(actions))
	for i, a := range actions {
		lines[i] = word(a)
	}
	return strings.Join(lines, "\n")
}

func dedent(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// play steps r through a script and compares the actions of each step.
func play(t *testing.T, r *Rebalance, script []step) {
	t.Helper()
	for i, s := range script {
		got := words(r.Step(epoch.Add(s.at), s.e))
		if diff := cmp.Diff(dedent(s.want), got); diff != "" {
			t.Fatalf("step %d, %T at %v (-want +got):\n%s", i+1, s.e, s.at, diff)
		}
	}
}

func newOne(change ...func(*Config)) *Rebalance {
	cfg := Config{Group: "g", ClientID: me, Topics: []string{"t"}}
	for _, c := range change {
		c(&cfg)
	}
	return New(cfg)
}

// owning returns a Rebalance that has n queues assigned at time 0, alone in the group, with
// epochs 1 to n; the next pass may start after a second.
func owning(t *testing.T, n int32, change ...func(*Config)) *Rebalance {
	t.Helper()
	r := newOne(change...)
	r.Step(epoch, route(n))
	r.Step(epoch, wanted())
	r.Step(epoch, listed(ours...))
	if r.cfg.Orderly {
		var all []int32
		for id := range n {
			all = append(all, id)
		}
		r.Step(epoch, locked(n, 0, all...))
	}
	for id := range n {
		r.Step(epoch, found(id, uint64(id)+1, 100))
	}
	if left := r.Resolving(); len(left) > 0 {
		t.Fatalf("not assigned: %v", left)
	}
	return r
}

func checkDue(t *testing.T, r *Rebalance, want time.Duration) {
	t.Helper()
	at, ok := r.NextDue()
	if !ok || !at.Equal(epoch.Add(want)) {
		t.Errorf("next due %v (%v), want after %v", at.Sub(epoch), ok, want)
	}
}
