package viewtest

import (
	"math"
	"math/rand/v2"
	"time"

	"mqscope/engine/snapshot"
)

// lock is one that the broker granted this long ago, renewed every 20 seconds.
func (b *builder) lock(ago time.Duration) snapshot.Lock {
	at := b.at.Add(-ago)
	return snapshot.Lock{
		Used: true, BrokerSays: snapshot.LockMine, GrantedAt: at, ClientLease: 30 * time.Second, BrokerLease: time.Minute,
		RenewAt: at.Add(20 * time.Second), Believers: []string{"10.1.0.7@3312"},
	}
}

// lockAll makes the consumer of s an orderly one whose locks were renewed 11 seconds ago.
func lockAll(s *snapshot.Snapshot) *snapshot.Snapshot {
	b := &builder{at: s.At}
	s.Group.Orderly = true
	for i := range s.Queues {
		s.Queues[i].Lock = b.lock(11 * time.Second)
	}
	return s
}

// Orderly is a consumer with one lock of every kind.
func Orderly() *snapshot.Snapshot {
	s := lockAll(Normal())
	b := &builder{at: s.At}
	for i := range s.Queues {
		q := &s.Queues[i]
		l := &q.Lock
		switch {
		case q.ID.Topic == "order-created" && q.ID.QueueID == 4:
			*l = b.lock(27 * time.Second)
		case q.ID.Topic == "order-created" && q.ID.QueueID == 5:
			*l = b.lock(44 * time.Second)
			l.BrokerSays, l.RenewAt, l.TryUnlock = snapshot.LockRefused, time.Time{}, 2
			l.Believers = []string{"10.1.0.7@3312", "10.1.0.9@871"}
		case q.ID.Topic == "order-created" && q.ID.QueueID == 6:
			*l = snapshot.Lock{Used: true, ClientLease: 30 * time.Second, BrokerLease: time.Minute}
		case q.ID.Topic == "pay" && q.ID.QueueID == 1:
			l.TryUnlock = 3
		case q.ID.Topic == "pay" && q.ID.QueueID == 2:
			*l = b.lock(63 * time.Second)
			l.BrokerSays, l.Believers = snapshot.LockRefused, []string{"10.1.0.9@871"}
		}
	}
	return s
}

// LockCases are the situations of the Locks screen.
func LockCases() []ScreenCase {
	partial := Orderly()
	for i := range partial.Queues {
		if q := &partial.Queues[i]; q.ID.BrokerName == "broker-b" {
			q.Lock = snapshot.Lock{Used: true, ClientLease: 30 * time.Second, BrokerLease: time.Minute}
		}
	}
	calm := lockAll(Normal())
	skew := lockAll(Normal())
	for i := range skew.Queues {
		skew.Queues[i].Lock.GrantedAt = Now().Add(2500 * time.Millisecond)
	}
	twice := lockAll(Normal())
	twice.Queues[3].Lock.Believers = []string{"10.1.0.10@55", "10.1.0.11@9", "10.1.0.7@3312", "10.1.0.9@871"}
	others := Shared("order-created", 8)
	for i := range others.Queues {
		if q := &others.Queues[i]; q.Mine {
			q.Lock = (&builder{at: others.At}).lock(11 * time.Second)
		} else {
			q.Lock = snapshot.Lock{Used: true, ClientLease: 30 * time.Second, BrokerLease: time.Minute}
		}
	}
	return Screens(
		Case{Name: "normal", Snap: Orderly()},
		Case{Name: "calm", Snap: calm},
		Case{Name: "concurrent", Snap: Normal()},
		Case{Name: "empty", Snap: Empty()},
		Case{Name: "loading", Waited: time.Second},
		Case{Name: "partial", Snap: partial},
		Case{Name: "stale", Snap: lockAll(Stale())},
		Case{Name: "error", Snap: lockAll(Failing())},
		Case{Name: "huge", Snap: hugeLocks()},
		Case{Name: "cjk", Snap: lockAll(CJK())},
		Case{Name: "hostile", Snap: hostileLocks()},
		Case{Name: "clock-skew", Snap: skew},
		Case{Name: "two-owners", Snap: twice},
		Case{Name: "others", Snap: others},
	)
}

func hugeLocks() *snapshot.Snapshot {
	s := lockAll(Huge())
	for i := range s.Queues {
		l := &s.Queues[i].Lock
		switch i % 4 {
		case 0:
			l.TryUnlock = math.MaxInt32
		case 1:
			l.GrantedAt = s.At.Add(-900 * time.Hour)
			l.RenewAt = s.At.Add(-899 * time.Hour)
		case 2:
			l.ClientLease, l.BrokerLease, l.RenewAt = 400*time.Hour, 800*time.Hour, s.At.Add(90*time.Hour)
		}
	}
	return s
}

func hostileLocks() *snapshot.Snapshot {
	s := lockAll(Hostile())
	for i := range s.Queues {
		s.Queues[i].Lock.Believers = Payloads()[i : i+1+i%3]
	}
	return s
}

// ManyLocks are 4,096 queues of an orderly consumer.
func ManyLocks(seq uint64) *snapshot.Snapshot {
	s := lockAll(Many(4096, seq))
	s.At = s.At.Add(time.Duration(seq) * time.Second)
	b := &builder{at: s.At}
	rng := rand.New(rand.NewPCG(9, seq))
	for i := range s.Queues {
		s.Queues[i].Lock = b.lock(time.Duration(rng.IntN(40)) * time.Second)
	}
	return s
}

// locks gives queues locks of all kinds, and some that no consumer would have.
func (r *dice) locks(s *snapshot.Snapshot) {
	if r.n(4) == 0 {
		return
	}
	for i := range s.Queues {
		if r.n(5) == 0 {
			continue
		}
		l := snapshot.Lock{
			Used: true, BrokerSays: snapshot.LockWord(r.n(3)), GrantedAt: r.time(), RenewAt: r.time(), TryUnlock: r.small() * r.n(2),
			ClientLease: 30 * time.Second, BrokerLease: time.Minute,
		}
		if r.yes() {
			l.GrantedAt = s.At.Add(-time.Duration(r.n(70)-3) * time.Second)
			l.RenewAt = l.GrantedAt.Add(20 * time.Second)
		}
		if r.n(8) == 0 {
			l.ClientLease, l.BrokerLease = r.duration(), r.duration()
		}
		for range r.n(4) {
			l.Believers = append(l.Believers, r.text())
		}
		s.Queues[i].Lock = l
	}
}
