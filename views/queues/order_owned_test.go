package queues

import (
	"testing"

	"mqscope/engine/snapshot"
)

func TestQueuesOfOtherMembersStandLastByState(t *testing.T) {
	id := func(n int32) snapshot.MessageQueue {
		return snapshot.MessageQueue{Topic: "orders", BrokerName: "a", QueueID: n}
	}
	s := &snapshot.Snapshot{Queues: []snapshot.Queue{
		{ID: id(0), State: snapshot.NotOwned, Mark: snapshot.MarkUnknown},
		{ID: id(1), State: snapshot.Pulling, Mark: snapshot.MarkOK},
		{ID: id(2), State: snapshot.Pulling, Mark: snapshot.MarkBad},
		{ID: id(3), State: snapshot.Resolving, Mark: snapshot.MarkUnknown},
		{ID: id(4), State: snapshot.NotOwned, Mark: snapshot.MarkBad, Unread: true},
	}}
	for _, p := range []Params{{Sort: worstFirst}, {Sort: worstFirst, Desc: true}} {
		got := order(s, p, func(*snapshot.Queue) bool { return true })
		if last := got[len(got)-1]; last != 0 {
			t.Errorf("%+v: order %v, want the other member's queue last", p, got)
		}
		if p.Desc && got[0] == 1 || !p.Desc && got[0] != 1 && got[0] != 2 && got[0] != 4 {
			t.Errorf("%+v: order %v, want the queue that nobody reads among our own", p, got)
		}
	}
}
