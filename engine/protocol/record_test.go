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
