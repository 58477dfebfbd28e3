package store

import (
	"time"

	"mqscope/engine/mq"
)

// Delays are the messages that wait in the queues of SCHEDULE_TOPIC_XXXX, one queue per
// level, first in first out inside a level. How far each level was delivered survives a
// restart of the broker (Java: ScheduleMessageService).
type Delays struct {
	s      *Store
	levels []level
}

type level struct {
	delay     time.Duration
	queue     *Queue
	delivered int64 // offset of the next message to deliver
}

func newDelays(s *Store, durations []time.Duration) *Delays {
	d := &Delays{s: s}
	for i, delay := range durations {
		d.levels = append(d.levels, level{delay: delay, queue: s.Queue(mq.ScheduleTopic, int32(i))})
	}
	return d
}

// Queue returns the queue in which messages of a level wait, and the level that is really
// used: levels above the largest are that one. Level must be above 0.
func (d *Delays) Queue(n int) (q *Queue, used int) {
	n = min(n, len(d.levels))
	return d.levels[n-1].queue, n
}

// Levels is how many there are.
func (d *Delays) Levels() int { return len(d.levels) }

// DueAt is when a message of a level, stored at ms, is to be delivered (ms).
func (d *Delays) DueAt(n int, ms int64) int64 {
	n = min(n, len(d.levels))
	return ms + d.levels[n-1].delay.Milliseconds()
}

// Next tells when the next message of any level is due (ms); false when none waits.
func (d *Delays) Next() (ms int64, ok bool) {
	_, at := d.earliest()
	return at, at != noTime
}

// Due returns the record of the message that is due longest at ms, and takes it off its
// level. False means that nothing is due. A message whose record was dropped meanwhile is
// skipped: the owner was told when that happened.
func (d *Delays) Due(ms int64) (record []byte, ok bool) {
	for {
		l, at := d.earliest()
		if at == noTime || at > ms {
			return nil, false
		}
		record = d.s.log.record(l.queue.at(l.delivered).pos)
		l.delivered++
		if record != nil {
			return record, true
		}
	}
}

// Delivered is the offset of the next message that a level delivers; Waiting is how many do.
func (d *Delays) Delivered(n int) int64 { return d.levels[n-1].delivered }

// Waiting is how many messages of a level are not delivered yet.
func (d *Delays) Waiting(n int) int64 {
	l := &d.levels[n-1]
	return l.queue.next - max(l.delivered, l.queue.min)
}

// Rewind makes a level deliver its last n messages again, as a broker does that crashed
// before it wrote down how far it was.
func (d *Delays) Rewind(n int, messages int64) {
	l := &d.levels[n-1]
	l.delivered = max(l.queue.min, l.delivered-messages)
}

const noTime = 1<<63 - 1

func (d *Delays) earliest() (*level, int64) {
	var first *level
	at := int64(noTime)
	for i := range d.levels {
		l := &d.levels[i]
		l.delivered = max(l.delivered, l.queue.min)
		if l.delivered < l.queue.next {
			if due := l.queue.at(l.delivered).tag; due < at {
				first, at = l, due
			}
		}
	}
	return first, at
}
