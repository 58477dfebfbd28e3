package recorder

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// What counts as going wrong, so that a black box is saved by itself: these, and that the consumer
// has ended with an error or a panic. README lists the same.
const (
	// causeError is an entry of the event stream at level error: a listener that panicked, a body
	// that can not be read, messages that a broker lost, two members that believe to hold a lock,
	// members that subscribe to something else. Its where has the source of the entry too.
	causeError = "error"
	// causeStuck: a listener runs for longer than Box.StuckAfter, or than consumeTimeout where that
	// is less; or the first message that a queue holds is the same for so long, whatever it waits
	// for: its offset can not be committed, nor that of any behind it.
	causeStuck = "stuck"
	// causeFlow: flow control has put back all pulls of a queue for Box.StuckAfter, though its
	// messages move.
	causeFlow = "flow control"
	// causeLock: the broker's lock of a queue that is consumed in order was held, and is not any
	// more though the queue is still ours: it was refused, or not renewed in time.
	causeLock = "lock"
	// causeOffset: the committed offset of a queue goes back, or the next one to pull while it stays
	// ours, or the broker refuses it.
	causeOffset = "offset"
	// causeBroker: no address of a broker, or no name server, is reachable for lostFor.
	causeBroker = "broker"
	// causeInvariant: something does not hold that must hold whatever happens, see package invariant.
	causeInvariant = "invariant"
)

const (
	stuckAfter = time.Minute      // default of Box.StuckAfter
	lostFor    = 30 * time.Second // until a broker counts as lost for long
)

// trouble is something that went wrong. The same one is that of one cause and subject.
type trouble struct {
	cause string
	queue mq.MessageQueue
	where string // broker or source when it is about no queue
	what  string // in words, untrusted
}

// ailment is what makes one trouble the same as another.
type ailment struct {
	cause string
	queue mq.MessageQueue
	where string
}

func (t *trouble) ailment() ailment { return ailment{t.cause, t.queue, t.where} }

// doctor finds in snapshots what goes wrong. It tells of a trouble at each look that finds it.
type doctor struct {
	stuckAfter time.Duration
	seq        uint64
	queues     map[mq.MessageQueue]patient
	lost       map[string]time.Time // brokers and name servers, since when
	found      []trouble
}

// patient is what was seen of one of our queues.
type patient struct {
	first     int64 // message that it holds
	since     time.Time
	held      bool // its lock, once
	committed int64
	epoch     uint64
	next      int64
	illegal   uint64
}

func newDoctor(stuckAfter time.Duration) *doctor {
	return &doctor{stuckAfter: stuckAfter, queues: map[mq.MessageQueue]patient{}, lost: map[string]time.Time{}}
}

// look returns what is wrong now. Times are those of the snapshot. The slice is good until the next look.
func (d *doctor) look(s *snapshot.Snapshot) []trouble {
	d.found = d.found[:0]
	if s.Seq == d.seq || s.Source.State == snapshot.Stopping || s.Source.State == snapshot.Ended {
		return nil
	}
	d.seq = s.Seq
	limit := d.stuckAfter
	if t := s.Group.Limits.ConsumeTimeout; t > 0 {
		limit = min(limit, t)
	}
	if t := &s.Group.Threads; t.Oldest >= limit {
		d.tell(causeStuck, t.OldestOn, "a listener has offset %d for %v", t.OldestAt, t.Oldest.Round(time.Second))
	}
	for i := range s.Queues {
		d.queue(s, &s.Queues[i])
	}
	if len(d.queues) > len(s.Queues) {
		d.forget(s)
	}
	d.servers(s)
	return d.found
}

func (d *doctor) tell(cause string, q mq.MessageQueue, format string, args ...any) {
	d.found = append(d.found, trouble{cause: cause, queue: q, what: q.Path() + ": " + fmt.Sprintf(format, args...)})
}

// queue looks at a queue. What was seen of one is forgotten when another member has it.
func (d *doctor) queue(s *snapshot.Snapshot, q *snapshot.Queue) {
	if !q.Mine {
		delete(d.queues, q.ID)
		return
	}
	p, known := d.queues[q.ID]
	if !known {
		p = patient{first: -1, committed: -1, next: -1, illegal: q.Illegal}
	}
	if !d.moves(s, q, &p) {
		d.tell(causeStuck, q.ID, "offset %d is the first that it holds for %v, %d messages wait with it",
			p.first, s.At.Sub(p.since).Round(time.Second), q.Count.V)
	} else if stalled := stalledFor(s, q); stalled >= d.stuckAfter {
		d.tell(causeFlow, q.ID, "flow control (%s) has let no pull pass for %v, %d messages are cached",
			strings.TrimPrefix(string(q.Flow.Cause), "flow:"), stalled.Round(time.Second), q.Count.V)
	}
	d.lock(s, q, &p)
	d.offsets(q, &p)
	d.queues[q.ID] = p
}

// moves tells whether the first message that q holds is another one now and then. While a person
// moves pulls by hand it may stand.
func (d *doctor) moves(s *snapshot.Snapshot, q *snapshot.Queue, p *patient) bool {
	first := int64(-1)
	if q.CachedMin.OK() && q.Count.OK() && q.Count.V > 0 && !s.Sched.Stepping {
		first = q.CachedMin.V
	}
	if first != p.first || q.Epoch != p.epoch {
		p.first, p.since = first, s.At
	}
	return first < 0 || s.At.Sub(p.since) < d.stuckAfter
}

// stalledFor is for how long flow control has held all pulls of q: in an episode of it some may pass.
func stalledFor(s *snapshot.Snapshot, q *snapshot.Queue) time.Duration {
	if q.Flow.Cause == "" || s.Sched.Stepping || s.Mode.Paused {
		return 0
	}
	stands := s.At.Sub(q.Flow.Since)
	if q.LastFound.OK() {
		stands = min(stands, s.At.Sub(q.LastFound.V))
	}
	return stands
}

func (d *doctor) lock(s *snapshot.Snapshot, q *snapshot.Queue, p *patient) {
	l := &q.Lock
	if !l.Used {
		return
	}
	late := l.ClientLease > 0 && s.At.Sub(l.GrantedAt) > l.ClientLease
	switch {
	case l.BrokerSays == snapshot.LockMine && !late:
		p.held = true
	case p.held && l.BrokerSays == snapshot.LockMine:
		d.tell(causeLock, q.ID, "its lock was not renewed for %v", s.At.Sub(l.GrantedAt).Round(time.Second))
	case p.held:
		d.tell(causeLock, q.ID, "its lock is lost, the broker refuses it")
	}
}

func (d *doctor) offsets(q *snapshot.Queue, p *patient) {
	if q.Committed.OK() {
		if q.Committed.V < p.committed {
			d.tell(causeOffset, q.ID, "its committed offset went back from %d to %d", p.committed, q.Committed.V)
		}
		p.committed = max(p.committed, q.Committed.V)
	}
	if q.Next.OK() {
		if q.Epoch == p.epoch && q.Next.V < p.next {
			d.tell(causeOffset, q.ID, "its next offset to pull went back from %d to %d", p.next, q.Next.V)
		}
		p.epoch, p.next = q.Epoch, q.Next.V
	}
	if q.Illegal > p.illegal {
		p.illegal = q.Illegal
		d.tell(causeOffset, q.ID, "the broker refused its offset as illegal, it goes on elsewhere")
	}
}

// forget lets go of queues that are not there any more.
func (d *doctor) forget(s *snapshot.Snapshot) {
	there := make(map[mq.MessageQueue]bool, len(s.Queues))
	for i := range s.Queues {
		there[s.Queues[i].ID] = true
	}
	for q := range d.queues {
		if !there[q] {
			delete(d.queues, q)
		}
	}
}

// servers looks for brokers, each with all its addresses, and name servers that can not be reached.
func (d *doctor) servers(s *snapshot.Snapshot) {
	there := map[string]bool{}
	for rest := s.Cluster.Brokers; len(rest) > 0; {
		name, up, why, n := rest[0].Name, false, "", 0
		for n < len(rest) && rest[n].Name == name {
			up, why = up || rest[n].Up, cmp.Or(why, rest[n].Err)
			n++
		}
		rest = rest[n:]
		d.server(s.At, there, "broker "+name, up, why)
	}
	up, why := false, ""
	for _, n := range s.Cluster.NameServers {
		up, why = up || n.Up, cmp.Or(why, n.Err)
	}
	d.server(s.At, there, "any name server", up, why)
	for name := range d.lost {
		if !there[name] {
			delete(d.lost, name)
		}
	}
}

// server looks at one of them. One that nobody dialled yet is not lost.
func (d *doctor) server(now time.Time, there map[string]bool, name string, up bool, why string) {
	if up || why == "" {
		return
	}
	there[name] = true
	if _, ok := d.lost[name]; !ok {
		d.lost[name] = now
	}
	if gone := now.Sub(d.lost[name]); gone >= lostFor {
		d.found = append(d.found, trouble{
			cause: causeBroker, where: name, what: fmt.Sprintf("no connection to %s for %v: %s", name, gone.Round(time.Second), why),
		})
	}
}
