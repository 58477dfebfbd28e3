package recording

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"testing"
	"time"
)

// small is a file of a few blocks with both codecs' worth of everything in it.
func small(t testing.TB, o Options) ([]byte, []Record) {
	records := some(24, 9)
	return write(t, header(), records, 5, o), records
}

func TestCutAtEveryByteItOpensToTheLastWholeBlock(t *testing.T) {
	for _, o := range []Options{{}, {Uncompressed: true}} {
		data, records := small(t, o)
		whole := open(t, data)
		ends := map[int64]uint64{whole.start: 0}
		for pos := whole.start; pos < whole.end; {
			b, err := whole.blockAt(pos, whole.end)
			if err != nil {
				t.Fatal(err)
			}
			pos = b.end()
			ends[pos] = b.next()
		}
		var wantNext uint64
		var wantEnd int64
		for n := range len(data) {
			r, err := NewReader(bytes.NewReader(data[:n]), int64(n))
			if int64(n) < whole.start {
				if _, empty := errors.AsType[*EmptyError](err); !empty {
					t.Fatalf("%d bytes: %v", n, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if next, ok := ends[int64(n)]; ok {
				wantNext, wantEnd = next, int64(n)
			}
			wantRecords(t, all(t, r), records[:wantNext], 0)
			i := r.Info()
			if i.Next != wantNext || i.End != Unknown || r.end != wantEnd {
				t.Fatalf("%d bytes: %+v, want record %d", n, i, wantNext)
			}
			if (i.Cut != nil) != (int64(n) > wantEnd) {
				t.Fatalf("%d bytes: cut %v", n, i.Cut)
			}
			if i.Cut != nil && (i.Cut.Offset != wantEnd || i.Cut.Bytes != int64(n)-wantEnd || i.Cut.Record != wantNext) {
				t.Fatalf("%d bytes: %v", n, i.Cut)
			}
		}
	}
}

// honest checks that a reader of a changed file hands out nothing that was not in it: each entry
// is the record of its number, in order, with gaps where some are missing.
func honest(t *testing.T, r *Reader, records []Record, what string) (read int) {
	t.Helper()
	r.SkipDamage(true)
	expected := r.Header().First
	for {
		e, err := r.Next()
		if err == io.EOF {
			return read
		}
		if d, ok := errors.AsType[*Damage](err); ok {
			if d.Reason == "" {
				t.Fatalf("%s: damage without a reason: %+v", what, d)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if e.Number >= uint64(len(records)) || e.Number < expected || !same(e.Record, records[e.Number]) {
			t.Fatalf("%s: invented record %d: %+v", what, e.Number, e)
		}
		if (e.Gap != nil) != (e.Number != expected) || e.Gap != nil && e.Gap.Missing != e.Number-expected {
			t.Fatalf("%s: record %d comes behind %d with gap %v", what, e.Number, expected, e.Gap)
		}
		expected = e.Number + 1
		read++
	}
}

func TestEachFlippedBitIsFoundOrDoesNotMatter(t *testing.T) {
	for _, o := range []Options{{}, {Uncompressed: true}} {
		data, records := small(t, o)
		first := open(t, data).start
		for bit := range len(data) * 8 {
			data[bit/8] ^= 1 << (bit % 8)
			r, err := NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				t.Fatalf("bit %d: %v", bit, err)
			}
			if d := r.Info().Head; (d != nil) != (int64(bit/8) < first) || d != nil && (d.Bytes != first || r.Header().Group != "orders") {
				t.Fatalf("bit %d: %+v, %v", bit, r.Header(), d)
			}
			// A bit is in one block, or in the index that is not needed.
			if n := honest(t, r, records, "bit "+string(rune('0'+bit%8))); n < len(records)-5 {
				t.Fatalf("bit %d of byte %d: %d of %d records are left", bit%8, bit/8, n, len(records))
			}
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// A file that was not closed has no copy of its header.
func TestADamagedHeaderWithoutACopyIsSalvaged(t *testing.T) {
	data, records := small(t, Options{})
	r := open(t, data)
	data = data[:r.end]
	for bit := range int(r.start) * 8 {
		data[bit/8] ^= 1 << (bit % 8)
		if _, err := NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
			t.Fatalf("bit %d of the header is not missed", bit)
		}
		r, err := NewSalvage(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("bit %d: %v", bit, err)
		}
		if n := honest(t, r, records, "header"); n != len(records) {
			t.Fatalf("bit %d: %d of %d records are left", bit, n, len(records))
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
}

// The copy of another file's header is not taken for this one's.
func TestACopyOfAnotherHeaderIsNotRead(t *testing.T) {
	data, records := small(t, Options{})
	other := header()
	other.Group = "broken" // as long as orders
	foreign := write(t, other, records, 5, Options{})
	tail := len(data) - trailerLen - int(open(t, data).start)
	if len(foreign) != len(data) {
		t.Fatalf("%d bytes, the other %d", len(foreign), len(data))
	}
	copy(data[tail:len(data)-trailerLen], foreign[tail:])
	if r := open(t, data); r.Header().Group != "orders" {
		t.Fatalf("%+v", r.Header())
	}
	data[30] ^= 1
	if r, err := NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		t.Fatalf("read as %+v", r.Header())
	}
}

func TestDamageSaysWhereItIs(t *testing.T) {
	data, records := small(t, Options{})
	r := open(t, data)
	b, err := r.locate(func(b *block) bool { return b.next() <= 12 })
	if err != nil {
		t.Fatal(err)
	}
	data[b.at+blockHeadLen+3] ^= 1
	r = open(t, data)
	got := 0
	for err = nil; err == nil; got++ {
		_, err = r.Next()
	}
	_, again := r.Next()
	d, ok := errors.AsType[*Damage](err)
	if !ok || again.Error() != err.Error() || d.Offset != b.at || d.Record != b.first || got != int(b.first)+1 || !d.After.Equal(records[b.first-1].At) {
		t.Fatalf("%v, then %v after %d records; the block is %+v", err, again, got, b)
	}
	r.SkipDamage(true)
	e, err := r.Next()
	if err != nil || e.Number != b.next() || e.Gap == nil || e.Gap.Missing != uint64(b.records) || e.Gap.Bytes != b.end()-b.at {
		t.Errorf("behind it: %+v, %v", e, err)
	}
	rep, err := r.Verify(t.Context())
	if err != nil || rep.Whole() || len(rep.Damages) != 1 || !rep.Chained || rep.Records != uint64(len(records))-uint64(b.records) {
		t.Errorf("verify: %+v, %v", rep, err)
	}
	if e, err := r.Next(); err != nil || e.Number != b.next()+1 {
		t.Errorf("verifying has moved the reader: %+v, %v", e, err)
	}
}

func TestBytesTakenOutOfTheMiddleAreAGap(t *testing.T) {
	data, records := small(t, Options{})
	for _, n := range []int{1, 70, 128, 300} {
		b := open(t, data).start + 150
		shorter := append(bytes.Clone(data[:b]), data[b+int64(n):]...)
		r := open(t, shorter)
		read := honest(t, r, records, "shorter")
		if n == 1 && read != len(records)-5 || read < 10 || read >= len(records) {
			t.Errorf("%d bytes less: %d records", n, read)
		}
		if err := r.SeekRecord(6); err != nil {
			t.Fatal(err)
		}
		if e, err := r.Next(); n == 1 && (err != nil || e.Number != 6) {
			t.Errorf("sought 6, found %d, %v", e.Number, err)
		}
	}
}

func TestABlockOfAnotherFileIsNoneOfThisOne(t *testing.T) {
	a, records := small(t, Options{Uncompressed: true})
	other := header()
	other.Cluster = "west"
	b := write(t, other, records, 5, Options{Uncompressed: true})
	if len(a) != len(b) {
		t.Fatal("want files of the same size")
	}
	r := open(t, a)
	one, _ := r.locate(func(b *block) bool { return b.next() <= 6 })
	copy(a[one.at:one.end()], b[one.at:one.end()])
	r = open(t, a)
	if n := honest(t, r, records, "foreign"); n != len(records)-int(one.records) {
		t.Errorf("%d records", n)
	}
}

func TestADroppedBlockIsMissed(t *testing.T) {
	data, records := small(t, Options{})
	one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 6 })
	data = append(data[:one.at:one.at], data[one.end():]...)
	r := open(t, data)
	rep, err := r.Verify(t.Context())
	if err != nil || rep.Whole() || len(rep.Damages) != 1 || rep.Damages[0].Missing != uint64(one.records) {
		t.Errorf("%+v, %v", rep, err)
	}
	if n := honest(t, r, records, "dropped"); n != len(records)-int(one.records) {
		t.Errorf("%d records", n)
	}
}

func TestAChangedRecordBreaksTheChain(t *testing.T) {
	data, _ := small(t, Options{Uncompressed: true})
	one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 6 })
	head := data[one.at:]
	stored := data[one.at+blockHeadLen : one.end()]
	stored[len(stored)-1] ^= 1
	one.sum = crc32.Checksum(stored, castagnoli())
	one.put(head)
	rep, err := open(t, data).Verify(t.Context())
	if err != nil || rep.Chained || rep.Broken != one.first || rep.Whole() {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestDamageIsSaidInWords(t *testing.T) {
	d := Damage{Offset: 4096, Bytes: 17, Record: 12, Missing: 5, After: start().Truncate(time.Second), Reason: "why"}
	if got, want := d.Error(), "damaged at byte 4096 for 17 bytes, record 12, 5 records missing, behind 2026-03-01T12:00:00Z: why"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := (&Damage{Cut: true, Reason: "why"}).Error(), "cut at byte 0, record 0: why"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestABlockThatComesTwiceIsReadOnce(t *testing.T) {
	data, records := small(t, Options{})
	one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 6 })
	twice := append(bytes.Clone(data[:one.end()]), data[one.at:]...)
	r := open(t, twice)
	r.SkipDamage(true)
	gaps := 0
	for n := range records {
		e, err := r.Next()
		if err != nil || e.Number != uint64(n) || !same(e.Record, records[n]) {
			t.Fatalf("%d: %+v, %v", n, e, err)
		}
		if e.Gap != nil {
			gaps++
			if e.Gap.Missing != 0 || e.Gap.Bytes != one.end()-one.at {
				t.Errorf("gap %v", e.Gap)
			}
		}
	}
	if gaps != 1 {
		t.Errorf("%d gaps", gaps)
	}
}

func TestABlockIsFoundWhereverItIs(t *testing.T) {
	data, _ := small(t, Options{})
	r := open(t, data)
	whole := data[r.last.at:r.last.end()]
	for _, at := range []int{0, 1, findStep - 129, findStep - 128, findStep - 127, findStep - 8, findStep - 1, findStep, findStep + 1, 2*findStep - 200, 2*findStep - 127, 2 * findStep} {
		padded := append(append(make([]byte, at), whole...), make([]byte, 500)...)
		r.src, r.size = bytes.NewReader(padded), int64(len(padded))
		if b, ok := r.find(0, 0, r.size); !ok || b.at != int64(at) {
			t.Errorf("at %d: found %v at %d", at, ok, b.at)
		}
	}
}
