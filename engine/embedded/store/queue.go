package store

// blockEntries is how many index entries are kept in one piece.
const blockEntries = 256

// entryBytes is what one index entry takes in memory.
const entryBytes = 24

// entry says where a message of a queue lies (Java: an entry of ConsumeQueue).
type entry struct {
	pos  int64 // physical offset
	tag  int64 // hash of TAGS, or the delivery time (ms) in a delay queue
	size int32
}

// Queue is the index of one queue of one topic: offsets from Min to Max.
type Queue struct {
	Topic string
	ID    int32

	blocks [][]entry
	head   int // entries of blocks[0] that are gone
	min    int64
	next   int64
	bytes  *int64 // where the memory of the index is counted
}

// Min is the smallest offset that can be read, Max the next one to be written; they are
// equal when the queue has nothing.
func (q *Queue) Min() int64 { return q.min }

// Max is the offset that the next message will get.
func (q *Queue) Max() int64 { return q.next }

func (q *Queue) at(offset int64) *entry {
	i := q.head + int(offset-q.min)
	return &q.blocks[i/blockEntries][i%blockEntries]
}

func (q *Queue) add(e entry) {
	n := len(q.blocks)
	if n == 0 || len(q.blocks[n-1]) == blockEntries {
		size := blockEntries
		if n == 0 {
			size = 8 // most queues of a test stay small
		}
		q.blocks = append(q.blocks, make([]entry, 0, size))
		*q.bytes += int64(size) * entryBytes
		n++
	}
	last := q.blocks[n-1]
	before := cap(last)
	if len(last) == before {
		grown := make([]entry, len(last), min(2*before, blockEntries))
		copy(grown, last)
		last = grown
		*q.bytes += int64(cap(last)-before) * entryBytes
	}
	q.blocks[n-1] = append(last, e)
	q.next++
}

// trim forgets all entries below offset and returns how many that were.
func (q *Queue) trim(offset int64) int64 {
	gone := min(offset, q.next) - q.min
	if gone <= 0 {
		return 0
	}
	q.min += gone
	q.head += int(gone)
	for len(q.blocks) > 0 && q.head >= len(q.blocks[0]) {
		q.head -= len(q.blocks[0])
		*q.bytes -= int64(cap(q.blocks[0])) * entryBytes
		q.blocks[0] = nil
		q.blocks = q.blocks[1:]
	}
	return gone
}

// truncate forgets all entries from offset on.
func (q *Queue) truncate(offset int64) int64 {
	offset = max(offset, q.min)
	gone := q.next - offset
	if gone <= 0 {
		return 0
	}
	q.next = offset
	keep := q.head + int(offset-q.min)
	for i := len(q.blocks) - 1; i >= 0; i-- {
		if from := i * blockEntries; from >= keep {
			*q.bytes -= int64(cap(q.blocks[i])) * entryBytes
			q.blocks = q.blocks[:i]
		} else {
			q.blocks[i] = q.blocks[i][:min(len(q.blocks[i]), keep-from)]
			break
		}
	}
	if len(q.blocks) == 0 {
		q.head = 0
	}
	return gone
}

// free gives back the memory of the index.
func (q *Queue) free() {
	for _, b := range q.blocks {
		*q.bytes -= int64(cap(b)) * entryBytes
	}
	q.blocks, q.head, q.min = nil, 0, q.next
}
