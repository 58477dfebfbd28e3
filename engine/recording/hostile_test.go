package recording

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

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
