package rebalance

import (
	"testing"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

// TestALockReleasedByHandComesBackLater: the listener is done with the queue before the lock
// goes back, and the queue is not asked for again until a renewal interval has passed.
func TestALockReleasedByHandComesBackLater(t *testing.T) {
	again := LocksAnswered{Broker: "b", Queues: qs(2)[1:], Granted: qs(2)[1:], At: epoch.Add(25 * sec)}
	for _, c := range []struct {
		name   string
		script []step
	}{
		{"unlocked after the listener", []step{
			{9 * sec, released(1, 2), "unlock 1"},
			{9 * sec, freed(1), ""},
			{12 * sec, wanted(), "list t"}, // a pass does not take it back
			{12 * sec, listed(ours...), ""},
			{21 * sec, event.Tick{}, "lock 0"},
			{21 * sec, LocksAnswered{Broker: "b", Queues: qs(1), Granted: qs(1), At: epoch.Add(21 * sec)}, "held 0 since 21s"},
			{25 * sec, event.Tick{}, "lock 1"},
			{25 * sec, again, "read 1 #3 committed"},
			{25 * sec, found(1, 3, 200), "assign 1 #3 at 200 after 0s"},
		}},
		{"unlock lost", []step{
			{9 * sec, released(1, 2), "unlock 1"},
			{9 * sec, LocksFreed{Broker: "b", Queues: qs(2)[1:], Err: errBoom}, "warn b: 1 lock not given back, the next owners wait up to 1m0s: connection refused"},
			{19 * sec, event.Tick{}, ""},
			{21 * sec, event.Tick{}, "list t\n lock 0"},
			{25 * sec, event.Tick{}, "lock 1"},
		}},
		{"given to another member meanwhile", []step{
			{9 * sec, released(1, 2), "unlock 1"},
			{9 * sec, freed(1), ""},
			{12 * sec, wanted(), "list t"},
			{12 * sec, listed(us...), "info t: +0 -1 queues, AVG over 2 members\n announce t"},
			{21 * sec, event.Tick{}, "lock 0"},
			{25 * sec, event.Tick{}, ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lockOwning(t, 2)
			play(t, r, []step{
				{sec, event.Tick{}, "lock 0,1"},
				{sec, locked(2, sec, 0, 1), "held 0,1 since 1s"},
				{5 * sec, ReleaseLock{q(1)}, "info 1: lock is released by hand; asked for again in 20s\n revoke 1 #2 lock released by hand"},
				{6 * sec, ReleaseLock{q(1)}, "warn 1: lock not released: it is not held here now"},
			})
			play(t, r, c.script)
		})
	}
}

func TestOnlyAHeldLockIsReleased(t *testing.T) {
	play(t, owning(t, 1), []step{{sec, ReleaseLock{q(0)}, "warn 0: lock not released: this consumer uses no locks"}})
	play(t, lockOwning(t, 1), []step{{0, ReleaseLock{q(7)}, "warn 7: lock not released: it is not held here now"}})
}

// TestReleasedLocksWakeTheLoop: nothing else would ask for them again.
func TestReleasedLocksWakeTheLoop(t *testing.T) {
	r := lockOwning(t, 1)
	r.Step(epoch.Add(5*sec), ReleaseLock{q(0)})
	r.Step(epoch.Add(5*sec), released(0, 1))
	r.Step(epoch.Add(5*sec), freed(0))
	for at := 6 * sec; at <= 25*sec; at += time.Second {
		due, ok := r.NextDue()
		if !ok || due.After(epoch.Add(25*sec)) {
			t.Fatalf("at %v the next step is due %v (%v)", at, due, ok)
		}
		for _, a := range r.Step(epoch.Add(at), event.Tick{}) {
			if l, ok := a.(LockQueues); ok && l.Queues[0] == (mq.MessageQueue{Topic: "t", BrokerName: "b"}) && at < 25*sec {
				t.Fatalf("asked for again at %v", at)
			}
		}
	}
}
