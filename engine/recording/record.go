package recording

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

const (
	// MaxPayload is how many bytes a record may have: enough for the largest message of a
	// broker at its defaults (4 MiB) with its properties.
	MaxPayload = maxRaw - 64

	maxRaw       = 5 << 20 // raw bytes of a block
	smallestItem = 5       // bytes of a record without payload
	prefixLen    = 15      // of a record's queued and hashed form
)

const flagCheckpoint = 1

// Record is one thing that was recorded.
type Record struct {
	Kind       uint16
	At         time.Time // to the nanosecond; years 1678 to 2262, others become the nearest
	Checkpoint bool      // a reader can begin here
	Payload    []byte
}

// item is a record as it is stored.
type item struct {
	flags   byte
	kind    uint16
	at      int64
	payload []byte
}

func (i item) record() Record {
	return Record{Kind: i.kind, At: timeOf(i.at), Checkpoint: i.flags&flagCheckpoint != 0, Payload: i.payload}
}

func (r Record) item() item {
	i := item{kind: r.Kind, at: nanoseconds(r.At), payload: r.Payload}
	if r.Checkpoint {
		i.flags = flagCheckpoint
	}
	return i
}

func timeOf(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// nanoseconds is t.UnixNano where that is defined, else the nearest that is.
func nanoseconds(t time.Time) int64 {
	s := t.Unix()
	switch {
	case s > math.MaxInt64/int64(time.Second)-1:
		return math.MaxInt64
	case s < math.MinInt64/int64(time.Second)+1:
		return math.MinInt64
	}
	return s*int64(time.Second) + int64(t.Nanosecond())
}

// appendPrefix appends what the chain hashes of a record, but for its payload.
func appendPrefix(dst []byte, i item) []byte {
	dst = append(dst, i.flags)
	dst = binary.LittleEndian.AppendUint16(dst, i.kind)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(i.at))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(i.payload)))
}

// takeQueued returns the first record of a queue, its prefix with the payload, and the rest.
// Only this program wrote the queue.
func takeQueued(queue []byte) (i item, whole, rest []byte) {
	n := prefixLen + int(binary.LittleEndian.Uint32(queue[11:]))
	whole, rest = queue[:n:n], queue[n:]
	return item{
		flags:   whole[0],
		kind:    binary.LittleEndian.Uint16(whole[1:]),
		at:      int64(binary.LittleEndian.Uint64(whole[3:])),
		payload: whole[prefixLen:],
	}, whole, rest
}

// appendItem appends a record as blocks have it, behind one of the time before.
func appendItem(dst []byte, i item, before int64) []byte {
	dst = append(dst, i.flags)
	dst = binary.LittleEndian.AppendUint16(dst, i.kind)
	dst = binary.AppendVarint(dst, i.at-before)
	dst = binary.AppendUvarint(dst, uint64(len(i.payload)))
	return append(dst, i.payload...)
}

var errItem = errors.New("a record of it is malformed")

// takeItem is the other way round: the first record of raw and what is behind it.
func takeItem(raw []byte, before int64) (i item, rest []byte, err error) {
	if len(raw) < smallestItem || raw[0]&^flagCheckpoint != 0 {
		return item{}, nil, errItem
	}
	i.flags, i.kind = raw[0], binary.LittleEndian.Uint16(raw[1:])
	raw = raw[3:]
	delta, n := binary.Varint(raw)
	if n <= 0 {
		return item{}, nil, errItem
	}
	raw = raw[n:]
	length, n := binary.Uvarint(raw)
	if n <= 0 || length > uint64(len(raw)-n) {
		return item{}, nil, errItem
	}
	raw = raw[n:]
	i.at = before + delta
	i.payload, rest = raw[:length:length], raw[length:]
	return i, rest, nil
}
