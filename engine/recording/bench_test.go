package recording

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// nowhere is a disk that takes everything.
type nowhere struct{ Disk }

func (nowhere) Create(string) (File, error) { return nothing{}, nil }

type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error)      { return 0, io.EOF }
func (nothing) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nothing) Truncate(int64) error                   { return nil }
func (nothing) Size() (int64, error)                   { return 0, nil }
func (nothing) Sync() error                            { return nil }
func (nothing) Close() error                           { return nil }

// messages are records like those of a consumer: a few words that are the same in all, and bytes
// that are not.
func messages(size int) []Record {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := make([]Record, 1024)
	for i := range all {
		p := fmt.Appendf(nil, "TopicOrders\x00broker-a\x00%08d\x00TAGS\x01paid\x02KEYS\x01order-%d\x02", i, rnd.IntN(1e6))
		for len(p) < size {
			p = append(p, "abcdefghijklmnop"[rnd.IntN(16)])
		}
		all[i] = Record{Kind: uint16(i % 5), At: start().Add(time.Duration(i) * time.Microsecond), Payload: p[:size]}
	}
	return all
}

// BenchmarkAppend is a record all the way into the file, as fast as the writer can take them: what
// is appended, and all that the recording does for it, on all cores.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{64, 256, 1024} {
		for _, packed := range []bool{true, false} {
			for _, disk := range []FS{Disk{}, nowhere{}} {
				name := fmt.Sprintf("%dB/packed=%v/disk=%T", size, packed, disk)
				b.Run(name, func(b *testing.B) { benchmarkAppend(b, disk, messages(size), packed) })
			}
		}
	}
}

func benchmarkAppend(b *testing.B, disk FS, records []Record, packed bool) {
	path := filepath.Join(b.TempDir(), "x.mqrec")
	w, err := Create(path, header(), Options{FS: disk, Uncompressed: !packed})
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.Run(context.Background()) }()
	b.SetBytes(int64(len(records[0].Payload)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w.Append(records[n%len(records)])
		if n++; n%4096 == 0 { // never further behind than a part of the queue
			if err := w.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	<-ended
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkAppendOnly is what the engine pays: the record's way into the queue.
func BenchmarkAppendOnly(b *testing.B) {
	o, err := Options{FS: nowhere{}}.filled()
	if err != nil {
		b.Fatal(err)
	}
	f, err := newFile(nowhere{}, "x", Header{}, o)
	if err != nil {
		b.Fatal(err)
	}
	w := newWriter(f, o)
	r := messages(256)[0]
	for b.Loop() {
		if len(w.queue) > 1<<20 {
			w.queue = w.queue[:0]
		}
		w.Append(r)
	}
}

// BenchmarkRead is a record out of a file that is in memory.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{64, 256} {
		for _, verify := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dB/chain=%v", size, verify), func(b *testing.B) {
				records := messages(size)
				for len(records) < 200_000 {
					records = append(records, records[:1024]...)
				}
				data := write(b, header(), records, len(records), Options{})
				r := open(b, data)
				b.SetBytes(int64(size))
				n := 0
				for b.Loop() {
					if verify {
						if n%len(records) == 0 {
							if rep, err := r.Verify(b.Context()); err != nil || !rep.Whole() {
								b.Fatal(rep, err)
							}
						}
						n++
						continue
					}
					if _, err := r.Next(); err == io.EOF {
						r.rewind()
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}

// sparse is a file that leaves out pages of zeros.
type sparse struct{ File }

func (s sparse) WriteAt(p []byte, at int64) (int, error) {
	const page = 4096
	for n := 0; n < len(p); {
		end := min(len(p), n+page-int(at+int64(n))%page)
		for _, c := range p[n:end] {
			if c != 0 {
				if m, err := s.File.WriteAt(p[n:end], at+int64(n)); err != nil {
					return n + m, err
				}
				break
			}
		}
		n = end
	}
	return len(p), s.Truncate(at + int64(len(p)))
}

type sparseDisk struct{ Disk }

func (sparseDisk) Create(path string) (File, error) {
	f, err := Disk{}.Create(path)
	return sparse{f}, err
}

// gigabyte makes a recording of 1 GiB, almost all of it zeros: 128 KiB a block, 32 records each, a
// checkpoint every 100 blocks.
func gigabyte(b *testing.B) (path string, records int) {
	path = filepath.Join(b.TempDir(), "large.mqrec")
	o, err := Options{FS: sparseDisk{}, Uncompressed: true}.filled()
	if err != nil {
		b.Fatal(err)
	}
	w, err := newFile(o.FS, path, header(), o)
	if err != nil {
		b.Fatal(err)
	}
	zeros := make([]byte, 4080)
	for ; w.at < 1<<30; records++ {
		addTo(b, w, Record{At: start().Add(time.Duration(records) * time.Millisecond), Checkpoint: records%3200 == 0, Payload: zeros})
	}
	if err := w.flush(); err != nil {
		b.Fatal(err)
	}
	if err := w.close(Closed, false); err != nil {
		b.Fatal(err)
	}
	return path, records
}

func BenchmarkSeekInAGigabyte(b *testing.B) {
	if testing.Short() {
		b.Skip("makes a file of 1 GiB, though mostly of holes")
	}
	path, records := gigabyte(b)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		return info.Size()
	}
	b.Run("open", func(b *testing.B) { openAndClose(b, path) })
	r, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, seek := range map[string]func(n int) error{
		"record":     func(n int) error { return r.SeekRecord(uint64(n)) },
		"time":       func(n int) error { return r.SeekTime(start().Add(time.Duration(n) * time.Millisecond)) },
		"checkpoint": func(n int) error { _, err := r.SeekCheckpoint(uint64(n)); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := seek(rnd.IntN(records)); err != nil {
					b.Fatal(err)
				}
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if err := os.Truncate(path, size()-1); err != nil {
		b.Fatal(err)
	}
	b.Run("open without index", func(b *testing.B) { openAndClose(b, path) })
}

func openAndClose(b *testing.B, path string) {
	for b.Loop() {
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
