package protocol

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// sheetRecord is a stored message whose bytes Java's codec has confirmed.
const sheetRecord = "00000077daa320a758932aac00000003" + "00000000000000000000006400000000" +
	"0000100000000000" + "0000018bcfe56800" + "0a0102090000c3cb0000018bcfe56805" +
	"0a01020300002a9f0000000000000000" + "00000000000000026869084f72646572" +
	"457674001254414753015461674102" + "4b455953016b3102"

func sheetMessage() StoredMessage {
	return StoredMessage{
		QueueID: 3, QueueOffset: 100, PhysicalOffset: 4096,
		BornTime: 1700000000000, BornHost: netip.MustParseAddrPort("10.1.2.9:50123"),
		StoreTime: 1700000000005, StoreHost: netip.MustParseAddrPort("10.1.2.3:10911"),
		Body: []byte("hi"), Topic: "OrderEvt",
		Properties: AppendProperties(nil, []Property{{"TAGS", "TagA"}, {"KEYS", "k1"}}),
	}
}

func TestAppendMessageWritesWhatJavaReads(t *testing.T) {
	m := sheetMessage()
	got, err := AppendMessage(nil, &m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sheetRecord, hex.EncodeToString(got)); diff != "" {
		t.Error(diff)
	}
	var b mq.Batch
	b.Reset(got, nil)
	if err := IndexMessages(&b, 10); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 1 || b.At(0).QueueOffset() != 110 || b.At(0).Tags() != "TagA" || !CheckCRC(b.At(0)) {
		t.Errorf("read back as %+v", b.Records)
	}
}

func asError[E error](err error, target *E) bool {
	e, ok := errors.AsType[E](err)
	*target = e
	return ok
}

func TestIndexMessagesDoesNotAllocateInSteadyState(t *testing.T) {
	b := batchOf(t, 0, slicesOf(32, text(128))...)
	data := b.Data
	if n := testing.AllocsPerRun(100, func() {
		b.Reset(data, nil)
		if err := IndexMessages(b, 7); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func slicesOf(n int, body []byte) [][]byte {
	out := make([][]byte, n)
	for i := range out {
		out[i] = body
	}
	return out
}

func TestOffsetDeltaIsAddedToEachOffset(t *testing.T) {
	b := batchOf(t, 0, []byte("a"), []byte("b"))
	data := b.Data
	b.Reset(data, nil)
	if err := IndexMessages(b, -1000); err != nil {
		t.Fatal(err)
	}
	if got := []int64{b.At(0).QueueOffset(), b.At(1).QueueOffset()}; got[0] != -1000 || got[1] != -999 {
		t.Errorf("offsets %v", got)
	}
}

func TestDecodeMessageWantsExactlyOne(t *testing.T) {
	one := unhex(t, sheetRecord)
	m, err := DecodeMessage(one, nil)
	if err != nil || string(m.Body()) != "hi" {
		t.Errorf("one: %v", err)
	}
	for name, data := range map[string][]byte{
		"none": nil, "two": append(one[:len(one):len(one)], one...), "a cut one": one[:50],
	} {
		if _, err := DecodeMessage(data, nil); err == nil {
			t.Errorf("%s passed", name)
		}
	}
	packed := batchOf(t, codecCases()[0].sysFlag, zlibOf(t, text(500))).Data
	m, err = DecodeMessage(packed, new(Inflater))
	if err != nil || string(m.Body()) != string(text(500)) {
		t.Errorf("a compressed one: %v", err)
	}
}

func FuzzIndexMessages(f *testing.F) {
	f.Add(unhex(f, sheetRecord), int64(0))
	for _, v := range vectors[struct{ Body string }](f, "pullbodies.jsonl") {
		f.Add(unhex(f, v.Body), int64(5))
	}
	for _, v := range vectors[struct{ Record string }](f, "messages.jsonl") {
		f.Add(unhex(f, v.Record), int64(-1))
	}
	f.Fuzz(func(t *testing.T, data []byte, delta int64) {
		var b mq.Batch
		b.Reset(data, nil)
		err := IndexMessages(&b, delta)
		end := 0
		var again []byte
		for i := range b.Len() {
			m := b.At(i)
			r := b.Records[i]
			if int(r.Pos) != end {
				t.Fatalf("record %d begins at %d, want %d", i, r.Pos, end)
			}
			end = int(r.Pos + r.Size)
			// What was read, written again, is the same record but for checksum, magic and
			// the upper half of the ports.
			one, err := AppendMessage(nil, storedFrom(m))
			if err != nil {
				t.Fatalf("record %d: %v", i, err)
			}
			if d := len(one) - int(r.Size); d < -1 || d > 1 {
				t.Fatalf("record %d of %d bytes is written in %d", i, r.Size, len(one))
			}
			again = append(again, one...)
			_, _, _, _ = m.Topic(), m.ID(), m.OffsetID(), m.Keys()
			for range m.Properties() {
			}
			_ = m.Clone().Body()
		}
		if (err == nil) != (end == len(data)) {
			t.Fatalf("read %d of %d bytes, error %v", end, len(data), err)
		}
		n := b.Len()
		var second mq.Batch
		second.Reset(again, nil)
		if err := IndexMessages(&second, 0); err != nil || second.Len() != n {
			t.Fatalf("written again: %d of %d messages, %v", second.Len(), n, err)
		}
		inflater := &Inflater{MaxBytes: 1 << 16}
		inflater.InflateBatch(&b)
		_ = UnwrapInner(&b, 1<<20)
		for i := range b.Len() {
			_, _ = b.At(i).Body(), b.At(i).StoredTopic()
		}
	})
}

func benchmarkIndex(b *testing.B, messages, size int) {
	batch := batchOf(b, 0, slicesOf(messages, text(size))...)
	data := batch.Data
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		batch.Reset(data, nil)
		if err := IndexMessages(batch, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(messages), "ns/msg")
}

func BenchmarkIndexMessages32x128B(b *testing.B) { benchmarkIndex(b, 32, 128) }

func BenchmarkIndexMessages32x1KiB(b *testing.B) { benchmarkIndex(b, 32, 1024) }

func BenchmarkAppendMessage(b *testing.B) {
	m := sheetMessage()
	m.Body = text(128)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if dst, err = AppendMessage(dst[:0], &m); err != nil {
			b.Fatal(err)
		}
	}
}
