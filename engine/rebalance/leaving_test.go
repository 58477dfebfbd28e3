package rebalance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func TestTheLockIsGivenBackWhenNobodyWorksOnTheQueue(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []step // after a pass at 5 s that gives queue 1 to another member
	}{
		{"after the listener", []step{
			{9 * sec, released(1, 2), "unlock 1"},
			{9 * sec, freed(1), ""},
			{9 * sec, released(1, 2), ""},
		}},
		{"after the listener of this assignment, not of an older one", []step{
			{9 * sec, released(1, 1), ""},
			{9 * sec, released(0, 2), ""},
			{9 * sec, released(1, 2), "unlock 1"},
		}},
		{"kept when the queue comes back meanwhile", []step{
			{6 * sec, wanted(), "release 1 #2\n list t"},
			{6 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
			{9 * sec, released(1, 2), "lock 1"},
			{9 * sec, LocksAnswered{Broker: "b", Queues: qs(2)[1:], Granted: qs(2)[1:], At: epoch.Add(9 * sec)}, "read 1 #3 committed"},
			{9 * sec, found(1, 3, 200), "assign 1 #3 at 200 after 0s"},
		}},
		{"given back when the queue came back and went again", []step{
			{6 * sec, wanted(), "release 1 #2\n list t"},
			{6 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
			{7 * sec, wanted(), "release 1 #2\n list t"},
			{7 * sec, listed(us...), "info t: +0 -1 queues, AVG over 2 members\n announce t"},
			{9 * sec, released(1, 2), "unlock 1"},
		}},
		{"asked for again only after the unlock was answered", []step{
			{6 * sec, released(1, 2), "unlock 1"},
			{6 * sec, wanted(), "list t"},
			{6 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
			{6500 * time.Millisecond, freed(1), "lock 1"},
		}},
		{"renewed as long as the listener works", []step{
			{21 * sec, event.Tick{}, "lock 0,1"},
			{21 * sec, locked(2, 21*sec, 0, 1), "held 0,1 since 21s"},
			{24 * sec, released(1, 2), "unlock 1"},
		}},
		{"not at all when it was lost", []step{
			{21 * sec, event.Tick{}, "lock 0,1"},
			{21 * sec, locked(2, 21*sec, 0), "held 0 since 21s\n lost 1"},
			{24 * sec, released(1, 2), ""},
		}},
		{"after twenty seconds in any case", []step{
			{21 * sec, event.Tick{}, "lock 0,1"},
			{24 * sec, event.Tick{}, ""},
			{25 * sec, event.Tick{}, `
				release 1 #2
				list t
				err 1: listener still has messages 20s after the queue was given up: the lock is given back all the same, another member may overlap
				release 1 #2 now`},
			{25 * sec, listed(us...), ""},
			{25 * sec, released(1, 2), ""}, // the renewal must be answered first
			{25 * sec, locked(2, 21*sec, 0, 1), "unlock 1\n held 0 since 21s"},
			{26 * sec, freed(1), ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := lockOwning(t, 2)
			play(t, r, []step{
				{sec, event.Tick{}, "lock 0,1"},
				{sec, locked(2, sec, 0, 1), "held 0,1 since 1s"},
				{5 * sec, wanted(), "list t"},
				{5 * sec, listed(us...), "revoke 1 #2 rebalance\n info t: +0 -1 queues, AVG over 2 members\n announce t"},
			})
			play(t, r, c.script)
		})
	}
}

func TestTheLockOfAQueueThatWasNeverAssignedIsGivenBack(t *testing.T) {
	other := listed("10.0.0.0@0", "10.0.0.1@0", me) // queue 0 is not ours with two before us
	for _, c := range []struct {
		name   string
		script []step // from the first pass on
	}{
		{"held while the offset is read", []step{
			{0, locked(1, 0, 0), "read 0 #1 committed"},
			{sec, wanted(), "list t\n lock 0"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
			{sec, locked(1, sec, 0), "unlock 0"},
		}},
		{"held while the offset is not known", []step{
			{0, locked(1, 0, 0), "read 0 #1 committed"},
			{0, event.OffsetRead{Queue: q(0), Epoch: 1, Err: errBoom}, "warn 0: start offset unknown (committed): connection refused: not pulled, asked again"},
			{500 * time.Millisecond, wanted(), ""},
			{sec, event.Tick{}, "list t\n lock 0"},
			{sec, locked(1, sec, 0), ""},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t\n unlock 0"},
		}},
		{"granted after the queue was taken away", []step{
			{sec, wanted(), "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
			{sec, locked(1, 0, 0), "unlock 0"},
			{sec, freed(0), ""},
		}},
		{"refused after the queue was taken away", []step{
			{sec, wanted(), "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
			{sec, locked(1, 0), ""},
		}},
		{"perhaps granted, the answer was lost", []step{
			{sec, wanted(), "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
			{sec, lockFailed(1), "unlock 0"},
		}},
		{"perhaps granted before, the answer was lost", []step{
			{0, lockFailed(1), "warn 0: waits for the lock: connection refused"},
			{sec, event.Tick{}, "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t\n unlock 0"},
		}},
		{"never granted", []step{
			{0, locked(1, 0), "info 0: waits for the lock, which another member has; the broker does not tell which"},
			{sec, event.Tick{}, "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
		}},
		{"asked for still when the queue comes back", []step{
			{sec, wanted(), "list t"},
			{sec, other, "info t: +0 -1 queues, AVG over 3 members\n announce t"},
			{2 * sec, wanted(), "list t"},
			{2 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
			{2 * sec, locked(1, 0, 0), "read 0 #1 committed"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newOne(orderly)
			play(t, r, []step{
				{0, route(1), ""},
				{0, wanted(), "list t"},
				{0, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t\n lock 0"},
			})
			play(t, r, c.script)
		})
	}
}

func TestAnUnlockThatIsLostIsTold(t *testing.T) {
	r := lockOwning(t, 1)
	play(t, r, []step{
		{500 * time.Millisecond, event.RouteChanged{Topic: "t", Known: true}, ""},
		{sec, event.Tick{}, "revoke 0 #1 rebalance\n info t: +0 -1 queues, AVG over 1 member\n announce t\n lock 0"},
		{sec, locked(1, sec, 0), "held 0 since 1s"},
		{sec, released(0, 1), "unlock 0"},
		{2 * sec, LocksFreed{Broker: "b", Queues: qs(1), Err: errBoom}, "warn b: 1 lock not given back, the next owners wait up to 1m0s: connection refused"},
		// The unlock may still arrive: a lock granted before it would be gone with it.
		{3 * sec, route(1), "list t"},
		{3 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
		{11 * sec, event.Tick{}, ""},
		{12 * sec, event.Tick{}, "lock 0"},
	})
}

func TestAnUnlockWithoutAnswerDoesNotBlockTheQueueForEver(t *testing.T) {
	r := lockOwning(t, 2)
	play(t, r, []step{
		{sec, wanted(), "list t\n lock 0,1"},
		{sec, locked(2, sec, 0, 1), "held 0,1 since 1s"},
		{sec, listed(us...), "revoke 1 #2 rebalance\n info t: +0 -1 queues, AVG over 2 members\n announce t"},
		{sec, released(1, 2), "unlock 1"},
		{2 * sec, wanted(), "list t"},
		{2 * sec, listed(ours...), "info t: +1 -0 queues, AVG over 1 member\n announce t"},
		{22 * sec, event.Tick{}, "list t\n lock 0"},
		{22 * sec, LocksAnswered{Broker: "b", Queues: qs(1), Granted: qs(1), At: epoch.Add(22 * sec)}, "held 0 since 22s"},
		{22 * sec, listed(ours...), ""},
		{42 * sec, event.Tick{}, "list t\n lock 0"}, // taken for lost
		{42 * sec, LocksAnswered{Broker: "b", Queues: qs(1), Granted: qs(1), At: epoch.Add(42 * sec)}, "held 0 since 42s"},
		{42 * sec, listed(ours...), ""},
		{52 * sec, event.Tick{}, "lock 1"},
	})
}

func TestTheEndGivesEveryLockBack(t *testing.T) {
	r := newOne(orderly, func(c *Config) { c.Topics = []string{"t", "u"} })
	at := func(broker string, id int32) mq.MessageQueue {
		return mq.MessageQueue{Topic: "u", BrokerName: broker, QueueID: id}
	}
	theirs := []mq.MessageQueue{at("a", 0), at("c", 0)}
	play(t, r, []step{
		{0, route(4), ""},
		{0, event.RouteChanged{Topic: "u", Known: true, Queues: theirs}, ""},
		{0, wanted(), "list t\n list u"},
		{0, event.MembersListed{Topic: "u", Members: ours}, "info u: +2 -0 queues, AVG over 1 member\n announce u\n lock u/a/0\n lock u/c/0"},
		{0, LocksAnswered{Broker: "a", Queues: theirs[:1], Granted: theirs[:1], At: epoch}, "read u/a/0 #1 committed"},
		{0, listed(ours...), "info t: +4 -0 queues, AVG over 1 member\n announce t\n lock 0,1,2,3"},
		{0, locked(4, 0, 0, 1, 2), "read 0 #2 committed\n read 1 #3 committed\n read 2 #4 committed\n info 3: waits for the lock, which another member has; the broker does not tell which"},
		{0, found(0, 2, 1), "assign 0 #2 at 1 after 0s"},
		{0, found(1, 3, 1), "assign 1 #3 at 1 after 0s"},
		{0, found(2, 4, 1), "assign 2 #4 at 1 after 0s"},
		{sec, event.Tick{}, "list t\n list u\n lock u/a/0\n lock 0,1,2"},
		{sec, locked(3, sec, 0, 1, 2), "held 0,1,2 since 1s"},
		// 2 is with its listener still when the consumer ends, the lock of 3 was never granted.
		{sec, listed(us...), "revoke 2 #4 rebalance\n info t: +0 -2 queues, AVG over 2 members\n announce t"},
	})
	// Held, asked for, or with a listener that still works: all may be locked.
	got := words(r.Step(epoch.Add(sec), Stopped{}))
	want := dedent(`
		revoke 0 #2 shutdown
		revoke 1 #3 shutdown
		unlock u/a/0
		unlock 0,1,2
		unlock u/c/0`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	if got := r.Step(epoch.Add(2*sec), locked(3, 0, 0, 1, 2)); got != nil {
		t.Errorf("after the end: %v", words(got))
	}
	if due, ok := r.NextDue(); ok {
		t.Errorf("due at %v after the end", due)
	}
}

func TestTriesToGiveAQueueUpAreRemindedOfInEachPass(t *testing.T) {
	r := lockOwning(t, 2)
	play(t, r, []step{
		{sec, wanted(), "list t\n lock 0,1"},
		{sec, listed(us...), "revoke 1 #2 rebalance\n info t: +0 -1 queues, AVG over 2 members\n announce t"},
		{sec, locked(2, sec, 0, 1), "held 0,1 since 1s"},
		{3 * sec, wanted(), "release 1 #2\n list t"},
		{3 * sec, listed(us...), ""},
		{5 * sec, wanted(), "release 1 #2\n list t"},
	})
}
