package consumer

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"mqscope/engine/event"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// Take has the loop do what it did with a record, which is the number-th; event says that it was an
// event, and not a part of the next one.
func (r *Remake) Take(rec recording.Record, number uint64) (event bool, err error) {
	defer func() { err = r.fault(recover(), err) }()
	switch rec.Kind {
	case kindLook:
		return false, r.look(rec)
	case kindTold:
		r.expected = append(r.expected, noEntry)
		_, err := r.codec.Decode(rec.Payload, &r.expected[len(r.expected)-1])
		return false, err
	case kindTaken, kindBrief:
		r.taken, err = r.loop.in.pulls.decodeTaken(r.codec, rec)
		switch {
		case errors.Is(err, errAgain):
			r.depart(number, err.Error())
		case err != nil:
			return false, err
		}
		r.again(rec.At.Local(), r.taken)
		r.compare(number)
		return true, nil
	case kindCheckpoint:
		return false, r.check(rec, number)
	}
	return false, nil
}

var noEntry event.Entry

// look keeps what the loop is to see at its next event.
func (r *Remake) look(rec recording.Record) error {
	in := r.loop.in
	if len(in.fresh) == mostLooks {
		return fmt.Errorf("more than %d things to be seen at one event", mostLooks)
	}
	var l look
	if _, err := r.codec.Decode(rec.Payload, &l); err != nil {
		return err
	}
	in.fresh = append(in.fresh, l)
	return nil
}

// mostLooks bounds what a recording may have the loop see at one event: some for each queue.
const mostLooks = 1 << 20

// Newest is the number of the newest entry of the event stream.
func (r *Remake) Newest() uint64 { return r.loop.journal.seq }

// Moment says what the last event was; ok is false where only time had passed.
func (r *Remake) Moment(number uint64) (m snapshot.Moment, ok bool) {
	l := List{id: r.cfg.ClientID, group: r.cfg.Group}
	m, ok = l.moment(r.taken.Event, r.loop.in.entries)
	m.Event, m.At = number, r.loop.in.at
	return m, ok
}

// again has the loop take what it took.
func (r *Remake) again(at time.Time, t taken) {
	l := r.loop
	r.now = at
	in := l.in
	in.at, in.taken, in.entries = at, t, in.entries[:0]
	in.steps.play(&t)
	if t.Event != nil {
		l.step(at, t.Event)
	}
	if !t.Pass {
		return
	}
	if t.Event != nil {
		r.now = in.due(at)
	}
	l.tick(r.now)
	l.publish(r.now)
}

// compare notes the first event at which the loop has not done what was recorded.
func (r *Remake) compare(number uint64) {
	in, t := r.loop.in, &r.taken
	why := ""
	switch {
	case in.failed != nil:
		why = in.failed.Error()
	case in.steps.left() || len(in.fresh) > 0:
		why = "the loop did not look at all that it looked at when it was recorded"
	default:
		why = differ(r.expected, in.entries)
	}
	if why == "" && keptOf(in.did) != t.Did && in.did != t.Did && !r.edited {
		why = "the loop did something else than when it was recorded"
	}
	in.failed, in.fresh, r.expected = nil, in.fresh[:0], r.expected[:0]
	if why != "" {
		r.depart(number, fmt.Sprintf("%s (%T)", why, t.Event))
	}
	in.did = t.Did
}

func differ(want, got []event.Entry) string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("recorded was %q, which is not told now", want[i].What)
		case i >= len(want):
			return fmt.Sprintf("told is %q, which was not recorded", got[i].What)
		case !want[i].SameAs(got[i]):
			return fmt.Sprintf("told is %q, recorded was %q", got[i].What, want[i].What)
		}
	}
	return ""
}

func (r *Remake) depart(number uint64, why string) {
	if r.departed == "" {
		r.departed, r.at = fmt.Sprintf("event %d: %s", number, why), number
	}
}

// check compares the loop with a checkpoint that it has come to.
func (r *Remake) check(rec recording.Record, number uint64) error {
	s := saved{}
	if _, err := r.codec.Decode(rec.Payload, &s); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r.loop.journal.view() // as making it did
	if hash := r.loop.hash(); !r.edited && !bytes.Equal(hash, s.Hash) {
		r.depart(number, "what the consumer knew is not what was recorded")
	}
	for _, q := range s.Readings { // newer than what was read last: who begins here has them too
		if o := r.loop.queues[q.Queue]; o != nil {
			o.pq.last = &q.readings
		}
	}
	r.loop.in.did = s.Did // which began anew where recording did
	r.loop.in.pulls.forget()
	return nil
}

// fault makes an error of what went wrong in the loop: the recording is not one of its.
func (r *Remake) fault(panicked any, err error) error {
	if panicked != nil {
		return fmt.Errorf("the recording has what no consumer does: %v", panicked)
	}
	return err
}
