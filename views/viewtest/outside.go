package viewtest

import "mqscope/engine/snapshot"

// outside makes of some snapshots what they would be when their group was seen from outside.
func (r *dice) outside(s *snapshot.Snapshot) {
	if r.n(3) > 0 {
		return
	}
	s.Source.Kind = snapshot.Recorded
	s.Mode.Driving, s.Mode.ReadOnly = false, true
	s.Replay = snapshot.Replay{Known: true, Inferred: true, Client: r.maybe(), Event: uint64(r.small())}
	s.Group.Kind = snapshot.ConsumerKind(r.n(7))
	s.Counters.Acked, s.Counters.Deferred = uint64(r.small()), uint64(r.small())
	for i := range s.Queues {
		q := &s.Queues[i]
		q.Inferred, q.State = true, snapshot.QueueState(r.n(7))
		q.Acked, q.Deferred = uint64(r.small()), uint64(r.small())
		if q.Lock.Used && r.yes() {
			q.Lock.BrokerSays, q.Lock.Since, q.Lock.Renewals = snapshot.LockWord(r.n(5)), r.time(), r.small()
			q.Lock.ClientLease, q.Lock.BrokerLease = 0, 0
		}
		w := s.Windows[q.ID]
		for i := range w.Runs {
			w.Runs[i].State = snapshot.MessageState(r.n(6))
		}
	}
}
