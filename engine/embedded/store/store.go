package store

import (
	"errors"
	"slices"
	"time"

	"mqscope/engine/protocol"
)

// Limits of Config.MaxBytes.
const (
	DefaultMaxBytes = 256 << 20
	LeastMaxBytes   = 1 << 20
	leastSegment    = 64 << 10
	largestSegment  = 4 << 20
	segmentsAtLeast = 16
)

// ErrFull says that a message is larger than half of the memory of the whole store.
var ErrFull = errors.New("message does not fit into the store: raise its memory limit")

// Config says how much a store may hold.
type Config struct {
	// MaxBytes bounds the memory of messages and indexes of all queues together: at least
	// LeastMaxBytes, default DefaultMaxBytes. At least the newest segment is always kept.
	MaxBytes int64
	// Delays are the delay levels, the first one is level 1. See protocol.ParseDelayLevels.
	Delays []time.Duration
	// OnDrop is told which messages went to keep MaxBytes. It must not call the store.
	OnDrop func([]Dropped)
}

// Dropped says that the messages of a queue from offset From up to, not including, To are gone.
type Dropped struct {
	Topic    string
	QueueID  int32
	From, To int64
}

// Store is all that one broker keeps. It is not safe for use by several goroutines.
type Store struct {
	Delays  *Delays
	Commits Offsets // consume offsets

	maxBytes   int64
	onDrop     func([]Dropped)
	log        commitLog
	indexBytes int64
	queues     map[queueKey]*Queue
	order      []*Queue // of creation
	dropped    int64
}

type queueKey struct {
	topic string
	id    int32
}

// New returns an empty store.
func New(cfg Config) *Store {
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = DefaultMaxBytes
	}
	s := &Store{
		maxBytes: max(cfg.MaxBytes, LeastMaxBytes),
		onDrop:   cfg.OnDrop,
		queues:   map[queueKey]*Queue{},
	}
	s.log.segmentBytes = int(min(max(s.maxBytes/segmentsAtLeast, leastSegment), largestSegment))
	s.Delays = newDelays(s, cfg.Delays)
	return s
}

// Queue returns a queue and makes it if there is none.
func (s *Store) Queue(topic string, id int32) *Queue {
	k := queueKey{topic, id}
	q := s.queues[k]
	if q == nil {
		q = &Queue{Topic: topic, ID: id, bytes: &s.indexBytes}
		s.queues[k] = q
		s.order = append(s.order, q)
	}
	return q
}

// Lookup returns a queue, nil if nothing was ever stored in it. A nil Queue may be given to
// the methods of Store that read: it is empty and begins at 0.
func (s *Store) Lookup(topic string, id int32) *Queue { return s.queues[queueKey{topic, id}] }

// Place says where a message was stored.
type Place struct {
	QueueOffset    int64
	PhysicalOffset int64
	Size           int
}

// Append stores m at the end of q with the given tag code, and writes queue and offsets
// into m. An error means that nothing was stored.
func (s *Store) Append(q *Queue, m *protocol.StoredMessage, tag int64) (Place, error) {
	size := recordSize(m, len(q.Topic))
	if int64(size) > s.maxBytes/2 {
		return Place{}, ErrFull
	}
	g := s.log.room(size)
	m.Topic, m.QueueID, m.QueueOffset, m.PhysicalOffset = q.Topic, q.ID, q.next, g.end()
	buf, err := protocol.AppendMessage(g.buf, m)
	if err != nil {
		return Place{}, err
	}
	p := Place{QueueOffset: q.next, PhysicalOffset: g.end(), Size: len(buf) - len(g.buf)}
	g.buf = buf
	q.add(entry{pos: p.PhysicalOffset, tag: tag, size: int32(p.Size)})
	if s.Bytes() > s.maxBytes {
		s.evict()
	}
	return p, nil
}

// recordSize is how many bytes m takes at most.
func recordSize(m *protocol.StoredMessage, topic int) int {
	return minRecord + 1 + 2*extraV6 + len(m.Body) + topic + len(m.Properties)
}

// Bytes is the memory in use, Count how many messages can be read, Dropped how many went
// for want of memory.
func (s *Store) Bytes() int64 { return s.log.bytes + s.indexBytes }

// Count is how many messages are in all queues.
func (s *Store) Count() int64 {
	var n int64
	for _, q := range s.order {
		n += q.next - q.min
	}
	return n
}

// Dropped is how many messages went to keep the memory bound.
func (s *Store) Dropped() int64 { return s.dropped }

// LogRange is the physical offsets of the oldest byte kept and of the next byte to come.
func (s *Store) LogRange() (start, end int64) { return s.log.start(), s.log.end() }

// evict drops whole segments until the bound holds.
func (s *Store) evict() {
	var gone []Dropped
	for s.Bytes() > s.maxBytes && s.log.dropOldest() {
		start := s.log.start()
		for _, q := range s.order {
			from := q.min
			if n := q.trim(q.firstFrom(start)); n > 0 {
				gone = addDropped(gone, Dropped{q.Topic, q.ID, from, q.min})
				s.dropped += n
			}
		}
	}
	if s.onDrop != nil && len(gone) > 0 {
		s.onDrop(gone)
	}
}

func addDropped(gone []Dropped, d Dropped) []Dropped {
	for i := range gone {
		if gone[i].Topic == d.Topic && gone[i].QueueID == d.QueueID {
			gone[i].To = d.To
			return gone
		}
	}
	return append(gone, d)
}

// Record returns the record that begins at a physical offset, nil if there is none.
func (s *Store) Record(physical int64) []byte { return s.log.record(physical) }

// RecordAt returns the record at an offset of a queue, nil if it has none.
func (s *Store) RecordAt(q *Queue, offset int64) []byte {
	if q == nil || offset < q.min || offset >= q.next {
		return nil
	}
	return s.log.record(q.at(offset).pos)
}

// Entry returns what the index holds for an offset.
func (s *Store) Entry(q *Queue, offset int64) (physical int64, size int32, tag int64, ok bool) {
	if q == nil || offset < q.min || offset >= q.next {
		return 0, 0, 0, false
	}
	e := q.at(offset)
	return e.pos, e.size, e.tag, true
}

// Bounds returns a queue's offsets, 0 and 0 for nil.
func Bounds(q *Queue) (lo, hi int64) {
	if q == nil {
		return 0, 0
	}
	return q.min, q.next
}

// DeleteTopic forgets the queues of a topic and the offsets stored for it; when it is made
// again its queues begin at 0. Records stay in the log until they are the oldest.
func (s *Store) DeleteTopic(topic string) {
	s.order = slices.DeleteFunc(s.order, func(q *Queue) bool {
		if q.Topic != topic {
			return false
		}
		q.free()
		delete(s.queues, queueKey{topic, q.ID})
		return true
	})
	s.Commits.DeleteTopic(topic)
}

// Trim moves a queue's smallest offset up to offset, as expiry of old files does.
func (s *Store) Trim(q *Queue, offset int64) int64 { return q.trim(offset) }

// Truncate moves a queue's next offset down to offset, as a machine crash does that loses
// the newest messages.
func (s *Store) Truncate(q *Queue, offset int64) int64 { return q.truncate(offset) }

// Queues lists the queues of a topic in which something was stored, in the order of their
// making.
func (s *Store) Queues(topic string) []*Queue {
	var list []*Queue
	for _, q := range s.order {
		if q.Topic == topic {
			list = append(list, q)
		}
	}
	return list
}
