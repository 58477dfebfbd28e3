package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"mqscope/engine/mq"
)

// codecCase is a compression type with its own way to compress.
type codecCase struct {
	name    string
	sysFlag int32
	deflate func(t testing.TB, plain []byte) []byte
}

func codecCases() []codecCase {
	flag := func(codec int32) int32 { return mq.CompressedFlag | codec<<mq.CompressionTypeShift }
	return []codecCase{
		{"ZLIB", flag(CompressionZLIB), zlibOf},
		{"ZLIB of old producers", flag(CompressionOld), zlibOf},
		{"LZ4", flag(CompressionLZ4), lz4Of},
		{"zstd", flag(CompressionZSTD), zstdOf},
	}
}

func zlibOf(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(plain)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func lz4Of(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := lz4.NewWriter(&b)
	_, err := w.Write(plain)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstdOf(t testing.TB, plain []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(plain, nil)
}

// text is n bytes that compress about as order events do.
func text(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `{"order":%d,"state":"paid","customer":"c-%d"}`, 1000+i*7, i*i)
	}
	return b.Bytes()[:n]
}

func TestInflateGivesBackWhatWasCompressed(t *testing.T) {
	for _, c := range codecCases() {
		for _, plain := range [][]byte{{}, []byte("h"), text(4096), text(1 << 20), noise("n", 70_000)} {
			t.Run(fmt.Sprintf("%s of %d bytes", c.name, len(plain)), func(t *testing.T) {
				var f Inflater
				for range 3 { // the second time with a reader from the pool
					got, err := f.Inflate(c.sysFlag, c.deflate(t, plain))
					if err != nil {
						t.Fatal(err)
					}
					if got == nil || !bytes.Equal(got, plain) {
						t.Fatalf("%d bytes came out", len(got))
					}
				}
			})
		}
	}
}

func TestInflateOfAStreamCutAtEveryByteIsAnError(t *testing.T) {
	for _, c := range codecCases() {
		t.Run(c.name, func(t *testing.T) {
			plain := text(3000)
			whole := c.deflate(t, plain)
			var f Inflater
			for n := range whole {
				if got, err := f.Inflate(c.sysFlag, whole[:n]); !errors.Is(err, ErrCorrupt) || got != nil {
					t.Fatalf("cut to %d of %d bytes: %d bytes out, error %v", n, len(whole), len(got), err)
				}
			}
			if got, err := f.Inflate(c.sysFlag, whole); err != nil || !bytes.Equal(got, plain) {
				t.Errorf("whole after so many cut ones: %v", err)
			}
		})
	}
}

func TestInflateStopsBombs(t *testing.T) {
	bomb := make([]byte, 8<<20)
	for _, c := range codecCases() {
		for _, tc := range []struct {
			name string
			f    *Inflater
			err  error
		}{
			{"the usual ratio stops it", &Inflater{}, ErrTooLarge},
			{"the limit on bytes stops it", &Inflater{MaxBytes: 1 << 20, MaxRatio: 1 << 20}, ErrTooLarge},
			{"one byte over the limit is over", &Inflater{MaxBytes: len(bomb) - 1, MaxRatio: 1 << 20}, ErrTooLarge},
			{"limits that allow it let it through", &Inflater{MaxBytes: len(bomb), MaxRatio: 1 << 20}, nil},
		} {
			t.Run(c.name+": "+tc.name, func(t *testing.T) {
				got, err := tc.f.Inflate(c.sysFlag, c.deflate(t, bomb))
				if !errors.Is(err, tc.err) || (err == nil) != (len(got) == len(bomb)) {
					t.Errorf("%d bytes out, error %v", len(got), err)
				}
			})
		}
	}
}

func TestInflateLetsSmallBodiesThroughWhateverTheirRatio(t *testing.T) {
	plain := make([]byte, freeInflateBytes)
	for _, c := range codecCases() {
		var f Inflater
		if got, err := f.Inflate(c.sysFlag, c.deflate(t, plain)); err != nil || len(got) != len(plain) {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
	}
}

func TestInflateRefusesUnknownTypesAndForeignBytes(t *testing.T) {
	var f Inflater
	for codec := int32(4); codec < 8; codec++ {
		if got, err := f.Inflate(mq.CompressedFlag|codec<<mq.CompressionTypeShift, []byte("x")); !errors.Is(err, ErrUnknownCodec) || got != nil {
			t.Errorf("type %d: %q, %v", codec, got, err)
		}
	}
	for _, c := range codecCases() {
		for _, junk := range [][]byte{[]byte("hi"), []byte(strings.Repeat("plain text ", 50)), make([]byte, 64), noise("x", 500)} {
			if got, err := f.Inflate(c.sysFlag, junk); !errors.Is(err, ErrCorrupt) || got != nil {
				t.Errorf("%s of %d bytes: %d bytes out, %v", c.name, len(junk), len(got), err)
			}
		}
	}
}

func TestInflateIgnoresBytesBehindAZlibStream(t *testing.T) {
	var f Inflater
	got, err := f.Inflate(mq.CompressedFlag, append(zlibOf(t, []byte("hi")), "tail"...))
	if err != nil || string(got) != "hi" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestInflateIsSafeForManyGoroutines(t *testing.T) {
	var f Inflater
	var group sync.WaitGroup
	for _, c := range codecCases() {
		plain := text(20_000)
		packed := c.deflate(t, plain)
		for range 4 {
			group.Go(func() {
				for range 20 {
					if got, err := f.Inflate(c.sysFlag, packed); err != nil || !bytes.Equal(got, plain) {
						t.Errorf("%s: %v", c.name, err)
					}
					if _, err := f.Inflate(c.sysFlag, packed[:len(packed)/2]); err == nil {
						t.Errorf("%s: half of it was read", c.name)
					}
				}
			})
		}
	}
	group.Wait()
}

// batchOf stores the bodies with the given flags as one pull body.
func batchOf(t testing.TB, sysFlag int32, bodies ...[]byte) *mq.Batch {
	t.Helper()
	var data []byte
	for i, body := range bodies {
		m := sheetMessage()
		m.Body, m.SysFlag, m.QueueOffset = body, sysFlag, int64(i)
		var err error
		if data, err = AppendMessage(data, &m); err != nil {
			t.Fatal(err)
		}
	}
	b := new(mq.Batch)
	b.Reset(data, nil)
	if err := IndexMessages(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestInflateBatchNeverShowsCompressedBytesAsBody(t *testing.T) {
	plain := text(5000)
	for _, c := range codecCases() {
		t.Run(c.name, func(t *testing.T) {
			packed := c.deflate(t, plain)
			b := batchOf(t, c.sysFlag, packed, packed[:len(packed)-5], packed)
			new(Inflater).InflateBatch(b)
			for _, i := range []int{0, 2} {
				if m := b.At(i); m.BodyError() != nil || !bytes.Equal(m.Body(), plain) {
					t.Errorf("message %d: %v", i, m.BodyError())
				}
			}
			bad := b.At(1)
			if bad.Body() != nil || !errors.Is(bad.BodyError(), ErrCorrupt) {
				t.Errorf("the cut one shows %d bytes, error %v", len(bad.Body()), bad.BodyError())
			}
			if !bytes.Equal(bad.StoredBody(), packed[:len(packed)-5]) {
				t.Error("what is stored can still be seen")
			}
		})
	}
}

func TestInflateBatchHasALimitForAllItsBodies(t *testing.T) {
	packed := zlibOf(t, text(1000))
	b := batchOf(t, mq.CompressedFlag, packed, packed, packed)
	(&Inflater{MaxBatchBytes: 2500}).InflateBatch(b)
	for i, want := range []error{nil, nil, ErrTooLarge} {
		if got := b.At(i).BodyError(); !errors.Is(got, want) || got == nil && len(b.At(i).Body()) != 1000 {
			t.Errorf("message %d: %v", i, got)
		}
	}
}

func TestInflateBatchCostsNothingWithoutCompression(t *testing.T) {
	b := batchOf(t, 0, text(128), text(128), nil)
	var f Inflater
	if n := testing.AllocsPerRun(100, func() { f.InflateBatch(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if string(b.At(0).Body()) != string(text(128)) || b.At(2).BodyError() != nil {
		t.Error("plain bodies changed")
	}
}

func FuzzInflate(f *testing.F) {
	for i, c := range codecCases() {
		f.Add(uint8(i), c.deflate(f, []byte("hi")))
		f.Add(uint8(i), c.deflate(f, text(2000)))
		f.Add(uint8(i), c.deflate(f, make([]byte, 1<<16)))
	}
	for _, v := range vectors[struct{ Name, Record string }](f, "messages.jsonl") {
		if strings.Contains(v.Name, "compress") && v.Record != "" {
			record := unhex(f, v.Record)
			f.Add(uint8(0), record[88:len(record)-11])
		}
	}
	inflater := &Inflater{MaxBytes: 1 << 18}
	f.Fuzz(func(t *testing.T, codec uint8, src []byte) {
		sysFlag := mq.CompressedFlag | int32(codec%8)<<mq.CompressionTypeShift
		got, err := inflater.Inflate(sysFlag, src)
		if (got == nil) != (err != nil) {
			t.Fatalf("%d bytes and error %v", len(got), err)
		}
		if len(got) > inflater.MaxBytes {
			t.Fatalf("%d bytes came out", len(got))
		}
	})
}

func BenchmarkInflate(b *testing.B) {
	plain := text(16 << 10)
	for _, c := range codecCases() {
		if c.name == "ZLIB of old producers" {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			packed := c.deflate(b, plain)
			var f Inflater
			b.SetBytes(int64(len(plain)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Inflate(c.sysFlag, packed); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
