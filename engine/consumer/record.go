package consumer

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
)

// Kinds of the records of a recording of a push consumer.
const (
	kindTypes      = 1 + iota // what the payloads of the others are like
	kindTaken                 // an event that the loop took
	kindLook                  // what the loop saw, on its way to the next kindTaken
	kindTold                  // an entry that the loop told, while at the next kindTaken
	kindCheckpoint            // the whole state of the loop
)

const (
	// A checkpoint is made when so many events were taken since the last one, or so much time has
	// passed: a jump takes up what lies between two of them. One that took its time is made the more
	// seldom, whatever is taken.
	checkpointEvents = 8_000
	checkpointBytes  = 8 << 20 // of messages
	checkpointEvery  = 10 * time.Second
	checkpointShare  = 200 // of the time that it took
	// entriesInCheckpoint are those that a jump to it has.
	entriesInCheckpoint = 500
)

// recordTo asks the loop to record itself.
type recordTo struct {
	to Tape `pack:"-"`
}

// Record has what the loop takes from now on recorded to t, nil ends that. What has gone wrong
// with it, t knows; the consumer goes on in any case. What NewRemake needs to know of
// the consumer, Setup tells.
func (p *Push) Record(t Tape) { p.loop.inbox.post(recordTo{t}) }

// recorder is what the loop keeps to record itself.
type recorder struct {
	events int // since the last checkpoint
	// The next checkpoint is not made before earliest, and made at next.
	earliest, next time.Time
}

// recordNow begins or ends recording.
func (l *loop) recordNow(now time.Time, to Tape) {
	in := l.in
	in.recording.Store(false)
	in.to = nil
	if to == nil {
		return
	}
	in.begin(now)
	in.to, in.at = to, in.here
	in.looks, in.hashes, in.did = map[string]look{}, map[string]uint64{}, 0
	in.taken = taken{}
	in.steps.begin()
	in.append(kindTypes, in.at, []byte(typesOf()), false)
	for _, o := range l.queues {
		o.pq.lockAt, o.pq.locked = o.pq.Queue.LockedAt()
		o.pq.lockAt = in.asNow(o.pq.lockAt)
	}
	in.prime(func() { l.still(in.at) })
	in.recording.Store(true)
	l.tellsAsNow()
	l.recorder = recorder{}
	l.checkpoint(in.at)
}

// guard ends a recording that can not go on because of a fault of the program: the consumer does.
func (in *inputs) guard() {
	if v := recover(); v != nil {
		in.recording.Store(false)
		in.to.Fail(fmt.Errorf("what was to be recorded can not be: %v", v))
	}
}

func (in *inputs) append(kind uint16, at time.Time, payload []byte, checkpoint bool) {
	in.to.Append(recording.Record{Kind: kind, At: at, Payload: payload, Checkpoint: checkpoint})
}

// told records an entry that the loop adds to the event stream, under the number of the entry there
// that counts it.
func (in *inputs) told(e event.Entry) {
	in.actText(actEntry, e.What)
	if in.remakes() && !in.looking {
		in.entries = append(in.entries, e)
	}
	if in.records() {
		defer in.guard()
		e.At = e.At.Round(0)
		in.scratch = codec().Append(in.scratch[:0], &e)
		in.append(kindTold, in.at, in.scratch, false)
	}
}

// recorded ends a record; pass says that the loop has looked for what is due as well.
func (l *loop) recorded(now time.Time, pass bool) {
	in := l.in
	if !in.records() {
		return
	}
	defer in.guard()
	in.did = keptOf(in.did)
	in.taken.Did, in.taken.Pass = in.did, pass
	kind := in.packTaken()
	in.append(kind, in.at, in.scratch, false)
	l.recorder.events++
	if in.to.Err() != nil {
		l.recordNow(now, nil)
		return
	}
	if rec := &l.recorder; pass && !now.Before(rec.earliest) && (rec.events >= checkpointEvents || !now.Before(rec.next) || l.messageBytes() >= checkpointBytes) {
		l.checkpoint(now)
	}
}

// packTaken puts what was taken into scratch, as a record of that kind.
func (in *inputs) packTaken() (kind uint16) {
	t := &in.taken
	t.Seen = in.steps.b
	d, pulled := t.Event.(event.PullDone)
	if pulled {
		if a, ok := in.pulls.short(&d, in.slot); ok {
			in.scratch = appendBrief(in.scratch[:0], &a, t)
			return kindBrief
		}
	}
	if t.Event == nil {
		in.scratch = appendBrief(in.scratch[:0], nil, t)
		return kindBrief
	}
	in.scratch = codec().Append(in.scratch[:0], t)
	return kindTaken
}

// messageBytes are those of the messages recorded since the last checkpoint.
func (l *loop) messageBytes() int64 {
	if t := l.messages.Load(); t != nil {
		return t.bytes.Load()
	}
	return 0
}

// saved is a checkpoint.
type saved struct {
	State    *loop  // in place
	Hash     []byte // of State
	Did      uint64
	Journal  journalSaved
	Readings []queueReadings
	Looks    []look
	Pulls    []event.PullDone // a recorded one has none
	Driven   bool
}

type queueReadings struct {
	Queue mq.MessageQueue
	readings
}

type journalSaved struct {
	Entries []event.Entry // the last ones
	Seq     uint64
	Dropped uint64
}

// hash is that of the state of the loop: a remake that comes to the same has the same.
func (l *loop) hash() []byte {
	l.in.scratch = codec().Append(l.in.scratch[:0], l)
	sum := sha256.Sum256(l.in.scratch)
	return sum[:]
}

// whole is the loop, but for its event stream.
func (l *loop) whole() saved {
	s := saved{State: l, Did: l.in.did, Driven: l.drive.on(), Pulls: l.in.pulls.last}
	for _, q := range l.order {
		s.Readings = append(s.Readings, queueReadings{q, l.queues[q].pq.readAll()})
	}
	for _, v := range l.in.looks {
		s.Looks = append(s.Looks, v)
	}
	slices.SortFunc(s.Looks, func(a, b look) int { return strings.Compare(a.Key, b.Key) })
	return s
}

// checkpoint records the whole loop, between two of its passes.
func (l *loop) checkpoint(now time.Time) {
	defer l.in.guard()
	began := clock.System{}.Now()
	in := l.in
	in.pulls.forget() // who begins here has none
	s := l.whole()
	s.Hash, s.Journal = l.hash(), l.journal.save()
	in.scratch = codec().Append(in.scratch[:0], &s)
	in.append(kindCheckpoint, now, in.scratch, true)
	for i, q := range l.order {
		l.queues[q].pq.last = &s.Readings[i].readings
	}
	took := clock.System{}.Now().Sub(began)
	if t := l.messages.Load(); t != nil {
		t.bytes.Store(0)
		t.tellLeft()
	}
	l.recorder = recorder{earliest: now.Add(checkpointShare * took), next: now.Add(checkpointEvery)}
}

// save returns the end of the event stream. The open entry is closed, as a snapshot does.
func (j *journal) save() journalSaved {
	j.view()
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := j.end()
	s := journalSaved{Seq: j.seq, Dropped: j.seq - uint64(len(entries))}
	for _, e := range entries {
		e.At = e.At.Round(0)
		s.Entries = append(s.Entries, e)
	}
	return s
}

// end is the last entries, as many as a checkpoint has.
func (j *journal) end() []event.Entry { return j.entries[max(0, len(j.entries)-entriesInCheckpoint):] }
