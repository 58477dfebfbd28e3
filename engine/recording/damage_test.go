package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
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
			if int64(bit/8) < first {
				if err == nil {
					t.Fatalf("bit %d of the header is not missed", bit)
				}
				r, err = NewSalvage(bytes.NewReader(data), int64(len(data)))
			}
			if err != nil {
				t.Fatalf("bit %d: %v", bit, err)
			}
			// A bit is in one block, or in the index that is not needed.
			if n := honest(t, r, records, "bit "+string(rune('0'+bit%8))); n < len(records)-5 {
				t.Fatalf("bit %d of byte %d: %d of %d records are left", bit%8, bit/8, n, len(records))
			}
			data[bit/8] ^= 1 << (bit % 8)
		}
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

// claim changes a block's head and gives it the CRC that it then has to have.
func claim(data []byte, b block, change func(head []byte)) {
	head := data[b.at : b.at+blockHeadLen]
	change(head)
	binary.LittleEndian.PutUint32(head[124:], crc32.Checksum(head[:124], castagnoli()))
}

func TestClaimsAreNotBelieved(t *testing.T) {
	le := binary.LittleEndian
	for name, change := range map[string]func([]byte){
		"huge stored":         func(h []byte) { le.PutUint32(h[32:], 0xffffffff) },
		"huge raw":            func(h []byte) { le.PutUint32(h[36:], 0xffffffff) },
		"both huge":           func(h []byte) { le.PutUint32(h[32:], maxRaw); le.PutUint32(h[36:], maxRaw) },
		"raw a little larger": func(h []byte) { le.PutUint32(h[36:], le.Uint32(h[36:])+1) },
		"no bytes":            func(h []byte) { le.PutUint32(h[32:], 0); le.PutUint32(h[36:], 0) },
		"no records":          func(h []byte) { le.PutUint32(h[24:], 0) },
		"more records":        func(h []byte) { le.PutUint32(h[24:], le.Uint32(h[24:])+1) },
		"fewer records":       func(h []byte) { le.PutUint32(h[24:], le.Uint32(h[24:])-1) },
		"billions of records": func(h []byte) { le.PutUint32(h[24:], 0xffffffff) },
		"number overflows":    func(h []byte) { le.PutUint64(h[16:], 1<<63) },
		"unknown codec":       func(h []byte) { h[28] = 7 },
		"unknown flag":        func(h []byte) { h[29] |= 0x80 },
		"a checkpoint":        func(h []byte) { h[29] ^= blockCheckpoint },
		"first time":          func(h []byte) { h[40]++ },
		"last time":           func(h []byte) { h[48]++ },
		"last time before":    func(h []byte) { le.PutUint64(h[48:], le.Uint64(h[48:])-1) },
		"latest too early":    func(h []byte) { le.PutUint64(h[56:], 0) },
		"checkpoint before":   func(h []byte) { le.PutUint64(h[64:], 1<<63) },
		"later use":           func(h []byte) { h[108] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			data, records := small(t, Options{})
			one, _ := open(t, data).locate(func(b *block) bool { return b.next() <= 6 })
			claim(data, one, change)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := honest(t, open(t, data), records, name)
			runtime.ReadMemStats(&after)
			if n != len(records)-int(one.records) {
				t.Errorf("%d records", n)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
				t.Errorf("took %d bytes", grown)
			}
		})
	}
}

// TestABombIsNotUnpacked gives a block few bytes that would become 64 MiB.
func TestABombIsNotUnpacked(t *testing.T) {
	data, records := small(t, Options{})
	r := open(t, data)
	disk := newDisk()
	o, _ := Options{}.filled()
	w, err := newFile(disk, "bomb", header(), o)
	if err != nil {
		t.Fatal(err)
	}
	bomb := w.enc.EncodeAll(make([]byte, 64<<20), nil)
	b := r.last
	b.at, b.stored, b.raw, b.sum = r.end, uint32(len(bomb)), maxRaw, crc32.Checksum(bomb, castagnoli())
	b.first += uint64(b.records)
	head := make([]byte, blockHeadLen)
	b.put(head)
	data = append(append(data[:r.end:r.end], head...), bomb...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r = open(t, data)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("took %d bytes", grown)
	}
	wantRecords(t, all(t, r), records, 0)
	if r.Info().Cut == nil || r.Info().Cut.Offset != b.at {
		t.Errorf("info %+v", r.Info())
	}
}

func TestAFileMadeToBeReadOverAndOverEnds(t *testing.T) {
	r := open(t, write(t, header(), some(1, 0), 1, Options{}))
	data := make([]byte, r.start, r.start+3<<20)
	copy(data, write(t, header(), nil, 1, Options{}))
	head := make([]byte, blockHeadLen)
	for n := range 2000 { // each claims 1 MiB of the heads behind it, with a wrong sum
		b := block{id: r.id, first: uint64(n), records: 1, stored: 1 << 20, raw: 1 << 20}
		b.put(head)
		data = append(data, head...)
	}
	data = append(data, make([]byte, 1<<20)...)
	good := some(5001, 0)
	h := header()
	w := open(t, write(t, h, good[:1], 1, Options{}))
	b := w.last
	b.first = 5000
	b.put(head)
	stored := make([]byte, b.stored)
	if err := w.readAt(stored, b.at+blockHeadLen); err != nil {
		t.Fatal(err)
	}
	good[5000] = good[0]
	for _, data := range [][]byte{data, append(append(bytes.Clone(data), head...), stored...)} {
		count := &countingReader{ReaderAt: bytes.NewReader(data)}
		r, err := NewReader(count, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		honest(t, r, good, "loop")
		if count.n > 30<<20 {
			t.Errorf("read %d bytes of a file of %d", count.n, len(data))
		}
	}
}

type countingReader struct {
	io.ReaderAt
	n int
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	c.n += len(p)
	return c.ReaderAt.ReadAt(p, at)
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

// seal gives a head the sums and the id that it has to have in front of stored.
func seal(head, stored []byte, id uint64) {
	le := binary.LittleEndian
	copy(head, blockMark)
	le.PutUint64(head[8:], id)
	le.PutUint32(head[32:], uint32(len(stored)))
	le.PutUint32(head[104:], crc32.Checksum(stored, castagnoli()))
	le.PutUint32(head[124:], crc32.Checksum(head[:124], castagnoli()))
}

func TestALatestTimeThatIsNotTheLatest(t *testing.T) {
	records := some(3, 0)
	records[1].At = start().Add(time.Hour)
	data := write(t, header(), records, 3, Options{})
	b := open(t, data).last
	claim(data, b, func(head []byte) {
		binary.LittleEndian.PutUint64(head[56:], uint64(records[2].At.UnixNano()))
	})
	if n := honest(t, open(t, data), records, "latest"); n != 0 {
		t.Errorf("%d records of a block that is not what its head says", n)
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

func TestRecordsThatAreMalformed(t *testing.T) {
	good := appendItem(nil, item{kind: 7, at: 5, payload: []byte("abc")}, 3)
	if i, rest, err := takeItem(good, 3); err != nil || len(rest) != 0 || i.at != 5 || string(i.payload) != "abc" {
		t.Errorf("%+v, %v", i, err)
	}
	for n := range good {
		if _, _, err := takeItem(good[:n], 3); err == nil {
			t.Errorf("%d bytes of %d are a record", n, len(good))
		}
	}
	for name, raw := range map[string][]byte{
		"a huge length":    {0, 7, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a'},
		"a longer length":  {0, 7, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"a longer time":    {0, 7, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0},
		"one byte missing": {0, 7, 0, 4, 2, 'a'},
		"an unknown flag":  {2, 7, 0, 4, 0},
	} {
		if i, _, err := takeItem(raw, 3); err == nil {
			t.Errorf("%s: %+v", name, i)
		}
	}
}

// TestTheLargestBlocksFitInto16MiB reads a file on disk whose every block is as large as can be.
func TestTheLargestBlocksFitInto16MiB(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.mqrec")
	rnd := rand.NewChaCha8([32]byte{})
	half := make([]byte, MaxPayload)
	_, _ = rnd.Read(half[:MaxPayload/2])
	dense := make([]byte, MaxPayload)
	_, _ = rnd.Read(dense)
	w, err := Create(path, header(), Options{QueueBytes: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.Append(Record{At: start(), Payload: half})
		w.Append(Record{At: start(), Payload: dense})
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, half, dense = nil, nil, nil
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n := 0; ; n++ {
		e, err := r.Next()
		if err == io.EOF && n > 2 {
			break
		}
		if err != nil || len(e.Payload) != MaxPayload {
			t.Fatalf("record %d: %v", n, err)
		}
		if now := heap(); now > before+16<<20 {
			t.Fatalf("record %d: %d bytes are held", n, now-before)
		}
	}
}
