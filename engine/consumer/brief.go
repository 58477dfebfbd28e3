package consumer

import (
	"encoding/binary"
	"errors"
	"time"

	"mqscope/engine/internal/pack"
	"mqscope/engine/recording"
)

// kindBrief is the kind of records of what a busy consumer takes most: a pull that goes on from the
// one before, or that only time had passed. They say the same as one of kindTaken would, in a third
// of the bytes and of the time: which of the numbers are not zero, those, what of the hash is kept,
// and what was read.
const kindBrief = kindMessages + 1

// What the first number of a brief record says.
const (
	briefPulled = 1 << iota // it is a pull
	briefPass
	briefCommit
	briefBytes
	briefMax
	briefCount
	briefStored // those up to here make one byte
	briefBeyond
	briefSkipped
	briefFiltered
	briefMin
	briefEnd
)

// appendBrief appends t, of which a is the event, if there is one.
func appendBrief(dst []byte, a *pulledAgain, t *taken) []byte {
	kept := uint64(0)
	if t.Pass {
		kept |= briefPass
	}
	var fields [9]int64
	if a != nil {
		kept |= briefPulled
		fields = a.fields()
		for i, v := range fields {
			if v != 0 {
				kept |= briefCommit << i
			}
		}
	}
	dst = binary.AppendUvarint(dst, kept)
	if a != nil {
		dst = binary.AppendUvarint(dst, uint64(a.Queue))
		dst = binary.AppendVarint(dst, int64(a.Took))
		for _, v := range fields {
			if v != 0 {
				dst = binary.AppendVarint(dst, v)
			}
		}
	}
	dst = binary.LittleEndian.AppendUint16(dst, uint16(t.Did))
	return append(dst, t.Seen...)
}

// fields are those that may be zero, in the order of a brief record.
func (a *pulledAgain) fields() [9]int64 {
	return [...]int64{
		a.Commit, int64(a.Bytes), a.Max, int64(a.Count), int64(a.Stored), a.Beyond, a.Skipped, int64(a.Filtered), a.Min,
	}
}

func (a *pulledAgain) set(f [9]int64) {
	a.Commit, a.Bytes, a.Max, a.Count, a.Stored = f[0], int(f[1]), f[2], int(f[3]), time.Duration(f[4])
	a.Beyond, a.Skipped, a.Filtered, a.Min = f[5], f[6], int(f[7]), f[8]
}

var errBrief = errors.New("a brief record of it is malformed")

// readBrief is the other way round: a is the event, if it is a pull. What was read stays in payload.
func readBrief(payload []byte) (t taken, a pulledAgain, pulled bool, err error) {
	r := briefReader{payload, true}
	kept := r.unsigned()
	t.Pass = kept&briefPass != 0
	if kept >= briefEnd || kept&briefPulled == 0 && kept > briefPass {
		return t, a, false, errBrief
	}
	if pulled = kept&briefPulled != 0; pulled {
		a = pulledAgain{Queue: int(int32(r.unsigned())), Took: time.Duration(r.signed())}
		var fields [9]int64
		for i := range fields {
			if kept&(briefCommit<<i) != 0 {
				fields[i] = r.signed()
			}
		}
		a.set(fields)
	}
	if !r.ok || len(r.rest) < 2 {
		return t, a, false, errBrief
	}
	t.Did, t.Seen = uint64(binary.LittleEndian.Uint16(r.rest)), r.rest[2:]
	return t, a, pulled, nil
}

type briefReader struct {
	rest []byte
	ok   bool
}

func (r *briefReader) unsigned() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.skip(n)
	return v
}

func (r *briefReader) signed() int64 {
	v, n := binary.Varint(r.rest)
	r.skip(n)
	return v
}

func (r *briefReader) skip(n int) {
	if n <= 0 {
		r.ok, r.rest = false, nil
		return
	}
	r.rest = r.rest[n:]
}

// decodeTaken reads a record of what the loop took; p has the pulls before it. With errAgain it is
// whole but for its event.
func (p *pulls) decodeTaken(c *pack.Codec, rec recording.Record) (taken, error) {
	if rec.Kind != kindBrief {
		return p.decodeLong(c, rec.Payload)
	}
	t, a, pulled, err := readBrief(rec.Payload)
	if err == nil && pulled {
		t.Event, err = p.goneOn(&a)
	}
	return t, err
}

func (p *pulls) decodeLong(c *pack.Codec, payload []byte) (t taken, err error) {
	if _, err = c.Decode(payload, &t); err == nil {
		t.Event, err = p.whole(t.Event)
	}
	return t, err
}
