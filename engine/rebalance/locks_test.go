package rebalance

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const sec = time.Second

func orderly(c *Config) { c.Orderly = true }

// locked answers a question for the locks of queues 0 to n-1, asked at at; granted are those
// that we hold now.
func locked(n int32, at time.Duration, granted ...int32) event.Event {
	e := LocksAnswered{Broker: "b", Queues: qs(n), At: epoch.Add(at)}
	for _, id := range granted {
		e.Granted = append(e.Granted, q(id))
	}
	return e
}

func lockFailed(n int32) event.Event { return LocksAnswered{Broker: "b", Queues: qs(n), Err: errBoom} }

func freed(list ...int32) event.Event {
	e := LocksFreed{Broker: "b"}
	for _, id := range list {
		e.Queues = append(e.Queues, q(id))
	}
	return e
}

func released(id int32, epoch uint64) event.Event { return Released{Queue: q(id), Epoch: epoch} }

// lockOwning returns an orderly Rebalance that has n queues assigned at time 0, their locks
// asked for then, with epochs 1 to n. The first renewal is due after 1 s.
func lockOwning(t *testing.T, n int32, change ...func(*Config)) *Rebalance {
	t.Helper()
	return owning(t, n, append(change, orderly)...)
}

// lockAsking is a Rebalance that just asked for the lock of the one queue that it got.
func lockAsking(t *testing.T) *Rebalance {
	t.Helper()
	r := newOne(orderly)
	play(t, r, []step{
		{0, route(1), ""},
		{0, wanted(), "list t"},
		{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n lock 0"},
	})
	return r
}

func TestANewQueueNeedsTheLockFirst(t *testing.T) {
	r := newOne(orderly)
	play(t, r, []step{
		{0, route(3), ""},
		{0, wanted(), "list t"},
		{0, listed(ours...), "info t: +3 -0 queues, AVG over 1 member\n announce t\n lock 0,1,2"},
		// The offset is read with the lock in hand; nothing is dispatched late.
		{0, locked(3, 0, 0, 2), `
			read 0 #1 committed
			read 2 #2 committed
			info 1: waits for the lock, which another member has; the broker does not tell which`},
		{0, found(0, 1, 5), "assign 0 #1 at 5 after 0s"},
		{0, found(2, 2, 6), "assign 2 #2 at 6 after 0s"},
	})
	if diff := cmp.Diff([]mq.MessageQueue{q(1)}, r.Resolving()); diff != "" {
		t.Errorf("not assigned (-want +got):\n%s", diff)
	}
	// Asked again 500 ms later, at the earliest a second after the last pass.
	checkDue(t, r, sec)
	play(t, r, []step{
		{sec, event.Tick{}, "list t\n lock 0,2"}, // and the first renewal
		{sec, listed(ours...), "lock 1"},
		{sec, LocksAnswered{Broker: "b", Queues: []mq.MessageQueue{q(1)}, At: epoch.Add(sec)}, ""}, // told before
		{sec, LocksAnswered{Broker: "b", Queues: []mq.MessageQueue{q(0), q(2)}, Granted: []mq.MessageQueue{q(0), q(2)}, At: epoch.Add(sec)}, "held 0,2 since 1s"},
		{1900 * time.Millisecond, event.Tick{}, ""},
		{2 * sec, event.Tick{}, "list t"},
		{2 * sec, listed(ours...), "lock 1"},
		{2 * sec, LocksAnswered{Broker: "b", Queues: []mq.MessageQueue{q(1)}, Granted: []mq.MessageQueue{q(1)}, At: epoch.Add(2 * sec)}, "read 1 #3 committed"},
		{2 * sec, found(1, 3, 7), "assign 1 #3 at 7 after 0s"},
	})
	// All is well: the next pass comes with the interval, the next renewal a second before it.
	checkDue(t, r, 21*sec)
}

func TestALockThatCannotBeAskedForIsNotGranted(t *testing.T) {
	r := lockAsking(t)
	play(t, r, []step{
		{0, lockFailed(1), "warn 0: waits for the lock: connection refused"},
		{sec, event.Tick{}, "list t"},
		{sec, listed(ours...), "lock 0"},
		{sec, lockFailed(1), ""},
		{2 * sec, event.Tick{}, "list t"},
		{2 * sec, listed(ours...), "lock 0"},
		{2 * sec, locked(1, 2*sec, 0), "read 0 #1 committed"},
	})
}

func TestBroadcastingNeedsNoLock(t *testing.T) {
	r := newOne(orderly, func(c *Config) { c.Model = mq.Broadcasting })
	play(t, r, []step{
		{0, route(1), ""},
		{0, wanted(), "info t: +1 -0 queues, all queues, BROADCASTING\n announce t\n read 0 #1 committed"},
		{0, found(0, 1, 5), "assign 0 #1 at 5 after 0s"},
		{time.Minute, event.Tick{}, ""},
	})
	if r.Lock(q(0)).Used {
		t.Error("a broadcasting consumer has a lock")
	}
}

func TestS4LocksAreRenewedTogether(t *testing.T) {
	r := lockOwning(t, 3)
	checkDue(t, r, sec)
	play(t, r, []step{
		{sec, event.Tick{}, "lock 0,1,2"},
		{sec, locked(3, sec, 0, 1, 2), "held 0,1,2 since 1s"},
		{20 * sec, event.Tick{}, "list t"},
		{20 * sec, listed(ours...), ""},
		{21 * sec, event.Tick{}, "lock 0,1,2"},
		// Granted, refused: each queue by itself.
		{21 * sec, locked(3, 21*sec, 0, 2), `
			warn 1: lock refused, another member has the queue: nothing is pulled, handed over or committed until it is back
			held 0,2 since 21s
			lost 1`},
		{24 * sec, event.Tick{}, "lock 1"}, // in trouble: asked again soon
		{24 * sec, LocksAnswered{Broker: "b", Queues: []mq.MessageQueue{q(1)}, At: epoch.Add(24 * sec)}, "lost 1"},
		{27 * sec, event.Tick{}, "lock 1"},
		{27 * sec, LocksAnswered{Broker: "b", Queues: []mq.MessageQueue{q(1)}, Err: errBoom}, "warn 1: lock not renewed, trusted until 30s old: connection refused"},
		{40 * sec, event.Tick{}, "list t\n lock 1"},
	})
}

func TestAnErrorAtARenewalChangesNothing(t *testing.T) {
	r := lockOwning(t, 2)
	want := r.Lock(q(0))
	play(t, r, []step{
		{sec, event.Tick{}, "lock 0,1"},
		{2 * sec, lockFailed(2), `
			warn b: locks of 2 queues not renewed, trusted until 30s old: connection refused`},
	})
	got := r.Lock(q(0))
	want.RenewAt = epoch.Add(5 * sec) // but is asked again soon
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lock (-want +got):\n%s", diff)
	}
	play(t, r, []step{
		{5 * sec, event.Tick{}, "lock 0,1"},
		{6 * sec, lockFailed(2), ""},
		{9 * sec, event.Tick{}, "lock 0,1"},
		{9 * sec, locked(2, 9*sec, 0, 1), "held 0,1 since 9s"},
		{20 * sec, event.Tick{}, "list t"},
		{20 * sec, listed(ours...), ""},
	})
	checkDue(t, r, 21*sec) // the usual rhythm again
}

func TestALockThatWasAwayMakesTheQueueBeginAnew(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []step
	}{
		{"refused once", []step{
			{sec, event.Tick{}, "lock 0"},
			{sec, locked(1, sec), "warn 0: lock refused, another member has the queue: nothing is pulled, handed over or committed until it is back\n lost 0"},
			{4 * sec, event.Tick{}, "lock 0"},
			{4 * sec, locked(1, 4*sec, 0), `
				warn 0: lock is back, another member may have had the queue meanwhile: begins anew from the committed offset
				revoke 0 #1 rebalance`},
			{10 * sec, released(0, 1), "lock 0"}, // the listener was waited for
			{10 * sec, locked(1, 10*sec, 0), "read 0 #2 committed"},
			{10 * sec, found(0, 2, 300), "assign 0 #2 at 300 after 0s"},
		}},
		{"longer without renewal than the broker keeps it", []step{
			{sec, event.Tick{}, "lock 0"},
			{2 * sec, lockFailed(1), "warn 0: lock not renewed, trusted until 30s old: connection refused"},
			{61 * sec, event.Tick{}, "list t\n lock 0"},
			{61 * sec, listed(ours...), ""},
			{61 * sec, locked(1, 61*sec, 0), `
				warn 0: lock is back, another member may have had the queue meanwhile: begins anew from the committed offset
				revoke 0 #1 rebalance`},
		}},
		{"but not when the broker kept it for us", []step{
			{sec, event.Tick{}, "lock 0"},
			{2 * sec, lockFailed(1), "warn 0: lock not renewed, trusted until 30s old: connection refused"},
			{59 * sec, event.Tick{}, "list t\n lock 0"},
			{59 * sec, listed(ours...), ""},
			{59 * sec, locked(1, 59*sec, 0), "held 0 since 59s"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) { play(t, lockOwning(t, 1), c.script) })
	}
}

func TestALateGrantCountsFromWhenItWasAskedFor(t *testing.T) {
	r := lockAsking(t)
	play(t, r, []step{
		{20 * sec, event.Tick{}, "list t"},
		{20 * sec, listed(ours...), ""}, // still asking
		{31 * sec, locked(1, 0, 0), ""},
		{31500 * time.Millisecond, event.Tick{}, "list t"},
		{31500 * time.Millisecond, listed(ours...), "lock 0"},
		{31500 * time.Millisecond, locked(1, 31500*time.Millisecond, 0), "read 0 #1 committed"},
		// The answer to the offset question takes so long that the lock is too old again.
		{62 * sec, found(0, 1, 5), "list t\n lock 0"},
		{62 * sec, locked(1, 62*sec, 0), "read 0 #2 committed"},
		{62 * sec, found(0, 2, 5), "assign 0 #2 at 5 after 0s"},
	})
	r = lockOwning(t, 1)
	play(t, r, []step{
		{sec, event.Tick{}, "lock 0"},
		{40 * sec, locked(1, sec, 0), "list t\n lock 0\n held 0 since 1s"}, // for the consumer to see that it is too old
	})
	if view := r.Lock(q(0)); !view.GrantedAt.Equal(epoch.Add(sec)) {
		t.Errorf("lock %+v", view)
	}
}

func TestALostLockQuestionIsAskedAgain(t *testing.T) {
	r := lockAsking(t)
	play(t, r, []step{
		{20 * sec, event.Tick{}, "list t"},
		{20 * sec, listed(ours...), ""},
		{40 * sec, event.Tick{}, "list t"},
		{40 * sec, listed(ours...), "lock 0"},
		{40 * sec, locked(1, 40*sec, 0), "read 0 #1 committed"},
		{40 * sec, locked(1, 0, 0), ""}, // the first answer, after all
	})
}

func TestALockLostBeforeTheAssignmentIsWaitedFor(t *testing.T) {
	r := lockAsking(t)
	play(t, r, []step{
		{0, locked(1, 0, 0), "read 0 #1 committed"},
		{sec, event.Tick{}, "lock 0"},
		{sec, locked(1, sec), "info 0: waits for the lock, which another member has; the broker does not tell which"},
		{sec, found(0, 1, 5), ""}, // read while another member has it
		{1500 * time.Millisecond, event.Tick{}, "list t"},
		{1500 * time.Millisecond, listed(ours...), "lock 0"},
		{1500 * time.Millisecond, locked(1, 1500*time.Millisecond, 0), "read 0 #2 committed"},
		{1500 * time.Millisecond, found(0, 2, 6), "assign 0 #2 at 6 after 0s"},
	})
}

func TestARepairedQueueKeepsItsLock(t *testing.T) {
	r := lockOwning(t, 1)
	play(t, r, []step{
		{10 * sec, Dropped{Queue: q(0)}, "read 0 #2 committed\n lock 0"}, // the renewal was due
		{10 * sec, found(0, 2, 50), "assign 0 #2 at 50 after 0s"},
		{10 * sec, locked(1, 10*sec, 0), "held 0 since 10s"},
		{50 * sec, Dropped{Queue: q(0)}, "list t\n lock 0"}, // now it is too old
		{50 * sec, locked(1, 50*sec, 0), "read 0 #3 committed"},
	})
}

func TestP23RenewalMustComeBeforeTheEndOfTheLock(t *testing.T) {
	for _, c := range []struct {
		name               string
		interval, lifetime time.Duration
		wrong              string
	}{
		{"the defaults", 0, 0, ""},
		{"just long enough", 20 * sec, 60 * sec, ""},
		{"renewed too rarely", 20 * sec, 3 * sec, "LockLifetime is 3s and LockInterval 20s"},
		{"a default does not fit", 0, 30 * sec, "LockLifetime is 30s and LockInterval 20s"},
		{"just too short", 20 * sec, 59 * sec, "at least three times"},
		{"negative", -1, 0, "LockInterval is -1ns"},
	} {
		err := Config{LockInterval: c.interval, LockLifetime: c.lifetime}.Validate()
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLockPicture(t *testing.T) {
	r := lockOwning(t, 2)
	check := func(what string, id int32, want snapshot.Lock, waits bool) {
		t.Helper()
		want.Used, want.ClientLease, want.BrokerLease = true, 30*sec, 60*sec
		if diff := cmp.Diff(want, r.Lock(q(id))); diff != "" {
			t.Errorf("%s: lock (-want +got):\n%s", what, diff)
		}
		if got := r.WaitsForLock(q(id)); got != waits {
			t.Errorf("%s: waits for its lock: %t", what, got)
		}
	}
	check("granted", 0, snapshot.Lock{BrokerSays: snapshot.LockMine, GrantedAt: epoch, RenewAt: epoch.Add(sec)}, false)
	r.Step(epoch.Add(sec), event.Tick{})
	r.Step(epoch.Add(sec), locked(2, sec, 0))
	check("refused", 1, snapshot.Lock{BrokerSays: snapshot.LockRefused, GrantedAt: epoch, RenewAt: epoch.Add(4 * sec)}, false)
	check("not ours", 9, snapshot.Lock{}, false)

	r.Step(epoch.Add(2*sec), wanted())
	r.Step(epoch.Add(2*sec), listed("10.0.0.0@0", me)) // queue 0 goes
	check("being given up", 0, snapshot.Lock{BrokerSays: snapshot.LockMine, GrantedAt: epoch.Add(sec), RenewAt: epoch.Add(21 * sec)}, false)
	r.Step(epoch.Add(2*sec), released(0, 1))
	check("given back", 0, snapshot.Lock{BrokerSays: snapshot.LockMine, GrantedAt: epoch.Add(sec)}, false)

	r.Step(epoch.Add(3*sec), route(4)) // 2 and 3 are ours
	r.Step(epoch.Add(3*sec), listed("10.0.0.0@0", me))
	check("asked for", 2, snapshot.Lock{RenewAt: epoch.Add(21 * sec)}, true)
	r.Step(epoch.Add(3*sec), LocksAnswered{Broker: "b", Queues: qs(4)[2:], At: epoch.Add(3 * sec)})
	check("refused at first", 2, snapshot.Lock{BrokerSays: snapshot.LockRefused, RenewAt: epoch.Add(4 * sec)}, true)
}
