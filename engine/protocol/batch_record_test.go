package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

// released counts how often a batch gave its bytes back.
type released int

func (r *released) Release() { *r++ }

func innerBatch(t testing.TB, n int) []byte {
	t.Helper()
	var body []byte
	for i := range n {
		var err error
		body, err = AppendBatchRecord(body, BatchRecord{
			Flag: int32(i), Body: fmt.Appendf(nil, "inner %d", i), Properties: []byte("KEYS\x01k\x02"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return body
}

const innerFlags = mq.NeedUnwrapFlag | mq.InnerBatchFlag

func TestUnwrapInnerOpensCompressedBatchesAndKeepsTheOthers(t *testing.T) {
	plain := text(3000)
	var data []byte
	for i, m := range []StoredMessage{
		{Body: []byte("before")},
		{Body: zlibOf(t, innerBatch(t, 3)), SysFlag: innerFlags | mq.CompressedFlag},
		{Body: zlibOf(t, plain), SysFlag: mq.CompressedFlag},
		{Body: []byte("damaged"), SysFlag: mq.CompressedFlag},
		{Body: []byte("damaged batch"), SysFlag: innerFlags | mq.CompressedFlag},
		{Body: nil, SysFlag: innerFlags},
		{Body: []byte("after")},
	} {
		whole := sheetMessage()
		whole.Body, whole.SysFlag, whole.QueueOffset = m.Body, m.SysFlag, int64(10*i)
		var err error
		if data, err = AppendMessage(data, &whole); err != nil {
			t.Fatal(err)
		}
	}
	var owner released
	b := new(mq.Batch)
	b.Reset(data, &owner)
	b.RetryTopic, b.BrokerName = "%RETRY%g", "brk-a"
	if err := IndexMessages(b, 0); err != nil {
		t.Fatal(err)
	}
	new(Inflater).InflateBatch(b)
	if err := UnwrapInner(b, 0); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Offset int64
		Body   string
		Bad    bool
		Topic  string
	}
	var got []row
	for i := range b.Len() {
		m := b.At(i)
		got = append(got, row{m.QueueOffset(), string(m.Body()), m.BodyError() != nil, m.Topic()})
	}
	want := []row{
		{0, "before", false, "OrderEvt"},
		{10, "inner 0", false, "OrderEvt"}, {11, "inner 1", false, "OrderEvt"}, {12, "inner 2", false, "OrderEvt"},
		{20, string(plain), false, "OrderEvt"},
		{30, "", true, "OrderEvt"},
		{40, "", true, "OrderEvt"},
		{60, "after", false, "OrderEvt"}, // the empty batch at 50 has no message
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if owner != 1 || b.BrokerName != "brk-a" || b.RetryTopic != "%RETRY%g" {
		t.Errorf("bytes given back %d times, broker %q", owner, b.BrokerName)
	}
	if m := b.At(2); m.Flag() != 1 || m.Keys() != "k" || m.SysFlag() != innerFlags || m.PhysicalOffset() != 4096 {
		t.Errorf("inner message: %+v", asJava(m))
	}
	if !b.Release(1) || owner != 1 {
		t.Errorf("bytes given back %d times after the end", owner)
	}
}

func TestUnwrapInnerLeavesTheBatchAloneWhenItFails(t *testing.T) {
	good := innerBatch(t, 3)
	for _, tc := range []struct {
		name     string
		body     []byte
		maxBytes int
	}{
		{"a batch cut short", good[:len(good)-1], 0},
		{"a batch with a lying size", append([]byte{0x7F}, good[1:]...), 0},
		{"a batch over the limit", good, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := batchOf(t, innerFlags, tc.body)
			before := bytes.Clone(b.Data)
			var e *RecordError
			if err := UnwrapInner(b, tc.maxBytes); !asError(err, &e) {
				t.Fatalf("error %v", err)
			}
			if b.Len() != 1 || !bytes.Equal(b.Data, before) || !bytes.Equal(b.At(0).Body(), tc.body) {
				t.Error("the batch changed")
			}
		})
	}
}

func TestUnwrapInnerCostsNothingWithoutInnerBatches(t *testing.T) {
	for _, sysFlag := range []int32{0, mq.NeedUnwrapFlag, mq.InnerBatchFlag} {
		b := batchOf(t, sysFlag, innerBatch(t, 2))
		if n := testing.AllocsPerRun(10, func() {
			if err := UnwrapInner(b, 0); err != nil {
				t.Fatal(err)
			}
		}); n != 0 || b.Len() != 1 {
			t.Errorf("sysFlag %#x: %v allocations, %d messages", sysFlag, n, b.Len())
		}
	}
}

func TestUnwrapInnerOfALongTopicStaysReadable(t *testing.T) {
	m := sheetMessage()
	m.Topic = mq.RetryTopic(string(bytes.Repeat([]byte("g"), 200)))
	m.Body, m.SysFlag = innerBatch(t, 2), innerFlags
	data, err := AppendMessage(nil, &m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := indexed(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := UnwrapInner(b, 0); err != nil {
		t.Fatal(err)
	}
	if b.Len() != 2 || b.At(1).StoredTopic() != m.Topic || string(b.At(1).Body()) != "inner 1" {
		t.Errorf("%d messages", b.Len())
	}
}

func FuzzSplitBatch(f *testing.F) {
	for _, v := range vectors[struct{ Bytes string }](f, "batches.jsonl") {
		f.Add(unhex(f, v.Bytes))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := SplitBatch(data)
		var again []byte
		for _, r := range records {
			var e error
			if again, e = AppendBatchRecord(again, r); e != nil {
				t.Fatal(e)
			}
		}
		if len(again) > len(data) || err == nil && len(again) != len(data) {
			t.Fatalf("read %d of %d bytes, error %v", len(again), len(data), err)
		}
		twice, err := SplitBatch(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, twice, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		var e *RecordError
		if _, err := SplitBatch(append(again, 0)); !errors.As(err, &e) || e.Index != len(records) {
			t.Errorf("one byte more: %v", err)
		}
	})
}
