package views

import (
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

func TestLockAt(t *testing.T) {
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	const sec = time.Second
	held := func(ago time.Duration, change func(*snapshot.Lock)) snapshot.Lock {
		l := snapshot.Lock{Used: true, BrokerSays: snapshot.LockMine, GrantedAt: now.Add(-ago), ClientLease: 30 * sec, BrokerLease: 60 * sec,
			RenewAt: now.Add(20*sec - ago), Believers: []string{"me"}}
		if change != nil {
			change(&l)
		}
		return l
	}
	other := snapshot.Queue{Lock: snapshot.Lock{Used: true}}
	if k := LockAt(&other, now).Kind; k != LockOther || k.Mark() != snapshot.MarkUnknown {
		t.Errorf("the lock of another member's queue is %s, mark %v", k.Word(), k.Mark())
	}
	tests := []struct {
		name           string
		lock           snapshot.Lock
		kind           LockKind
		mark           snapshot.Mark
		client, broker time.Duration
	}{
		{"a fresh grant is ours", held(11*sec, nil), LockMine, snapshot.MarkOK, 19 * sec, 49 * sec},
		{"a renewal that is just due is not late", held(20*sec, nil), LockMine, snapshot.MarkOK, 10 * sec, 40 * sec},
		{"one that should have come is late", held(27*sec, nil), LockLate, snapshot.MarkWatch, 3 * sec, 33 * sec},
		{"after the client's lease it has expired", held(30*sec, nil), LockExpired, snapshot.MarkBad, 0, 30 * sec},
		{"refused is worse than expired", held(44*sec, func(l *snapshot.Lock) { l.BrokerSays = snapshot.LockRefused }), LockRefused, snapshot.MarkBad, -14 * sec, 16 * sec},
		{"two believers are worst", held(44*sec, func(l *snapshot.Lock) { l.Believers = []string{"me", "you"} }), LockTwoOwners, snapshot.MarkBad, -14 * sec, 16 * sec},
		{"a grant in the future is a wrong clock", held(-2*sec, nil), LockSkew, snapshot.MarkWatch, 32 * sec, 62 * sec},
		{"half a second ahead is no wrong clock", held(-sec/2, nil), LockMine, snapshot.MarkOK, 30*sec + sec/2, 60*sec + sec/2},
		{"a queue that can not be given up", held(sec, func(l *snapshot.Lock) { l.TryUnlock = 2 }), LockUnlocking, snapshot.MarkWatch, 29 * sec, 59 * sec},
		{"never asked is not known", snapshot.Lock{Used: true}, LockUnknown, snapshot.MarkUnknown, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := LockAt(&snapshot.Queue{Mine: true, State: snapshot.Pulling, Lock: tt.lock}, now)
			if l.Kind != tt.kind || l.Kind.Mark() != tt.mark {
				t.Errorf("it is %s, mark %v; want %s, %v", l.Kind.Word(), l.Kind.Mark(), tt.kind.Word(), tt.mark)
			}
			if l.Client != tt.client || l.Broker != tt.broker {
				t.Errorf("leases %v and %v, want %v and %v", l.Client, l.Broker, tt.client, tt.broker)
			}
		})
	}
}

func TestEveryKindOfLockHasAWordOfItsOwn(t *testing.T) {
	seen := map[Lit]bool{}
	for k := range LockKinds {
		if w := k.Word(); w == "" || seen[w] {
			t.Errorf("%q stands for two kinds", w)
		}
		seen[k.Word()] = true
	}
}
