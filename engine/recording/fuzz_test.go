package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecodeHeader: no header makes it panic, and one that is read is written the same.
func FuzzDecodeHeader(f *testing.F) {
	whole, err := header().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, whole []byte) {
		if len(whole) < headLen {
			return
		}
		if n, err := bodyLen(whole[:headLen]); err != nil || headLen+n != len(whole) {
			return
		}
		putCRC(whole)
		h, err := decodeHeader(whole)
		if err != nil {
			return
		}
		again, err := h.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeHeader(again)
		if diff := cmp.Diff(h, got); err != nil || diff != "" {
			t.Errorf("%v (-read +again):\n%s", err, diff)
		}
	})
}

// FuzzDecodeIndex: an index that is read is written the same, and leads nowhere outside.
func FuzzDecodeIndex(f *testing.F) {
	f.Add(appendIndex(nil, 7, []int64{100, 300, 500}), int64(100), int64(700))
	f.Add(append(appendIndex(nil, 7, []int64{100, 300, 500}), "a header"...), int64(100), int64(700))
	f.Fuzz(func(t *testing.T, src []byte, start, end int64) {
		if len(src) < indexLen || start < 0 {
			return
		}
		if again, ok := decodeIndex(src, 7, start, end); ok {
			if !bytes.Equal(src, append(appendIndex(nil, 7, again), headerBehind(src)...)) {
				t.Error("it is written otherwise")
			}
			for _, at := range again {
				if at < start || at > end-blockHeadLen {
					t.Errorf("a block at %d", at)
				}
			}
		}
		if tr, ok := decodeTrailer(src[len(src)-min(len(src), trailerLen):]); ok && !bytes.Equal(tr.append(nil), src[len(src)-trailerLen:]) {
			t.Error("the trailer is written otherwise")
		}
	})
}

// FuzzReadBlock has a head and stored bytes with all sums right, so that what is behind them is
// reached. Records that are read are as many as the head says, and are written the same.
func FuzzReadBlock(f *testing.F) {
	for _, o := range []Options{{}, {Uncompressed: true}} {
		data, _ := small(f, o)
		r := open(f, data)
		f.Add(data[r.last.at:r.last.at+blockHeadLen], data[r.last.at+blockHeadLen:r.last.end()])
	}
	empty, err := header().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, head, stored []byte) {
		if len(head) != blockHeadLen || len(stored) > maxRaw {
			return
		}
		data := append(bytes.Clone(empty), head...)
		seal(data[len(empty):], stored, idOf(empty))
		data = append(data, stored...)
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if r.last.records == 0 {
			return
		}
		r.SkipDamage(true)
		records, raw, before := uint32(0), []byte(nil), r.last.firstTime
		for {
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			records++
			raw = appendItem(raw, e.item(), before)
			before = e.item().at
		}
		if records != r.last.records || len(raw) > len(r.unpacked) {
			t.Errorf("%d records of %d bytes, the head says %d of %d", records, len(raw), r.last.records, r.last.raw)
		}
	})
}

// FuzzReader reads any file in every way: no panic, records in order, none that is too large.
// Sealed has all sums right, as in a file that was made to be hostile.
func FuzzReader(f *testing.F) {
	for _, o := range []Options{{}, {Uncompressed: true}} {
		data, _ := small(f, o)
		f.Add(data, uint64(7), false)
		f.Add(data[:len(data)/2], uint64(30), true)
		f.Add(append(bytes.Clone(data[:300]), data[350:]...), uint64(3), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, number uint64, sealed bool) {
		if len(data) > 1<<20 {
			return
		}
		if sealed {
			data = sealAll(bytes.Clone(data))
		}
		r, err := NewSalvage(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		r.SkipDamage(true)
		read := func() {
			last, some := uint64(0), false
			for {
				e, err := r.Next()
				if err == io.EOF {
					return
				}
				if _, ok := errors.AsType[*Damage](err); ok {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if some && e.Number <= last || len(e.Payload) > MaxPayload {
					t.Fatalf("record %d behind %d, %d bytes", e.Number, last, len(e.Payload))
				}
				last, some = e.Number, true
			}
		}
		read()
		if err := r.SeekRecord(number); err != nil {
			t.Fatal(err)
		}
		if e, err := r.Next(); err == nil && e.Number < number {
			t.Fatalf("sought %d, found %d", number, e.Number)
		}
		if n, err := r.SeekCheckpoint(number); err == nil {
			if e, err := r.Next(); err == nil && (n > number || e.Number == n && !e.Checkpoint) {
				t.Fatalf("checkpoint %d before %d: %+v", n, number, e)
			}
		}
		if err := r.SeekTime(timeOf(int64(number))); err != nil {
			t.Fatal(err)
		}
		read()
		if _, err := r.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// sealAll gives all heads in data the sums and the id that they have to have.
func sealAll(data []byte) []byte {
	var id uint64
	if len(data) > headLen {
		if n, err := bodyLen(data[:headLen]); err == nil && headLen+n <= len(data) {
			putCRC(data[:headLen+n])
			id = idOf(data[:headLen+n])
		}
	}
	for at := len(data) - blockHeadLen; at >= 0; at-- { // a sum has those behind it in it
		if string(data[at:at+len(blockMark)]) != blockMark {
			continue
		}
		head := data[at : at+blockHeadLen]
		n := binary.LittleEndian.Uint32(head[32:])
		n = min(n, uint32(len(data)-at-blockHeadLen))
		seal(head, data[at+blockHeadLen:at+blockHeadLen+int(n)], id)
	}
	return data
}
