package protocol

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

// javaMessage is a message as the Java client decodes it.
type javaMessage struct {
	StoreSize                 int64
	BodyCRC                   int32
	QueueID                   int32
	Flag                      int32
	QueueOffset               int64
	CommitLogOffset           int64
	SysFlag                   int32
	BornTimestamp             int64
	BornHost                  string
	StoreTimestamp            int64
	StoreHost                 string
	ReconsumeTimes            int32
	PreparedTransactionOffset int64
	Body                      *javaBytes
	Topic                     string
	Properties                map[string]string
	Tags, Keys                string
	MsgID, OffsetMsgID        string
}

// asJava describes m as the vectors do. After decompressing Java clears the lowest bit of the
// sysFlag; ours says what is stored.
func asJava(m mq.Message) javaMessage {
	j := javaMessage{
		StoreSize: int64(m.StoreSize()), BodyCRC: int32(m.BodyCRC()), QueueID: m.QueueID(), Flag: m.Flag(),
		QueueOffset: m.QueueOffset(), CommitLogOffset: m.PhysicalOffset(),
		SysFlag:       m.SysFlag() &^ mq.CompressedFlag,
		BornTimestamp: m.BornTime().UnixMilli(), StoreTimestamp: m.StoreTime().UnixMilli(),
		BornHost:       fmt.Sprintf("%x:%d", m.BornHost().Addr().AsSlice(), m.BornHost().Port()),
		StoreHost:      fmt.Sprintf("%x:%d", m.StoreHost().Addr().AsSlice(), m.StoreHost().Port()),
		ReconsumeTimes: m.ReconsumeTimes(), PreparedTransactionOffset: m.PreparedTransactionOffset(),
		Topic: m.StoredTopic(), Tags: m.Tags(), Keys: m.Keys(), MsgID: m.ID(), OffsetMsgID: m.OffsetID(),
	}
	if len(m.StoredBody()) > 0 {
		j.Body = javaBytesOf(m.Body())
	}
	if len(m.PropertiesText()) > 0 {
		j.Properties = map[string]string{}
		for name, value := range m.Properties() {
			j.Properties[name] = value
		}
	}
	return j
}

// indexed reads a pull body, inflated, and says why reading stopped.
func indexed(data []byte) (*mq.Batch, error) {
	b := new(mq.Batch)
	b.Reset(data, nil)
	err := IndexMessages(b, 0)
	new(Inflater).InflateBatch(b)
	return b, err
}

func TestStoredMessagesReadAsJavaReadsThem(t *testing.T) {
	type vector struct {
		Name, Encoder string
		Record        string
		RecordParts   []recordPart
		SHA256        string
		Length        int
		Decoded       *javaMessage
	}
	for _, v := range vectors[vector](t, "messages.jsonl") {
		if v.Record == "" && v.RecordParts == nil {
			continue // Java's client encoder can not write this one
		}
		t.Run(v.Name+", written by the "+v.Encoder, func(t *testing.T) {
			data := unhex(t, v.Record)
			for _, part := range v.RecordParts {
				data = append(data, part.bytes(t)...)
			}
			if diff := cmp.Diff(javaBytes{v.Length, v.SHA256}, *javaBytesOf(data)); diff != "" {
				t.Fatal("the vector is damaged: " + diff)
			}
			b, err := indexed(data)
			if err != nil || b.Len() != 1 {
				t.Fatalf("got %d messages, %v", b.Len(), err)
			}
			m := b.At(0)
			if v.Decoded == nil {
				if m.BodyError() == nil || m.Body() != nil {
					t.Errorf("Java can not read the body, ours is %q, error %v", m.Body(), m.BodyError())
				}
				return
			}
			if diff := cmp.Diff(*v.Decoded, asJava(m)); diff != "" {
				t.Error(diff)
			}
			if !CheckCRC(m) {
				t.Error("checksum differs")
			}
		})
	}
}

func TestStoredMessagesWriteAsJavaBrokersWriteThem(t *testing.T) {
	type vector struct {
		Name, Encoder string
		Record        string
	}
	for _, v := range vectors[vector](t, "messages.jsonl") {
		if v.Record == "" || v.Encoder != "broker" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			data := unhex(t, v.Record)
			b, err := indexed(data)
			if err != nil {
				t.Fatal(err)
			}
			m := b.At(0)
			again, err := AppendMessage(nil, storedFrom(m))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v.Record, hex.EncodeToString(again)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func storedFrom(m mq.Message) *StoredMessage {
	return &StoredMessage{
		QueueID: m.QueueID(), Flag: m.Flag(), QueueOffset: m.QueueOffset(), PhysicalOffset: m.PhysicalOffset(),
		SysFlag: m.SysFlag(), BornTime: m.BornTime().UnixMilli(), BornHost: m.BornHost(),
		StoreTime: m.StoreTime().UnixMilli(), StoreHost: m.StoreHost(), ReconsumeTimes: m.ReconsumeTimes(),
		PreparedTransactionOffset: m.PreparedTransactionOffset(), Body: m.StoredBody(), Topic: m.StoredTopic(),
		Properties: m.PropertiesText(),
	}
}

func TestPullBodiesReadAsJavaReadsThem(t *testing.T) {
	type short struct {
		Topic           string
		QueueID         int32
		QueueOffset     int64
		CommitLogOffset int64
		SysFlag         int32
		Body            *javaBytes
		Properties      map[string]string
	}
	type vector struct {
		Name         string
		Body         string
		DecodesBatch []short
		Unwrapped    json.RawMessage
	}
	describe := func(b *mq.Batch) []short {
		var out []short
		for i := range b.Len() {
			j := asJava(b.At(i))
			out = append(out, short{j.Topic, j.QueueID, j.QueueOffset, j.CommitLogOffset, j.SysFlag, j.Body, j.Properties})
		}
		return out
	}
	// Java reads field after field and so past a record whose size lies; the size is all that
	// says where the next record begins, so ours stops there.
	lying := map[string]bool{"first totalSize one less": true, "first totalSize one more": true}
	for _, v := range vectors[vector](t, "pullbodies.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			data := unhex(t, v.Body)
			b, err := indexed(data)
			want := v.DecodesBatch
			if lying[v.Name] {
				want = nil
			}
			if diff := cmp.Diff(want, describe(b), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			read := 0
			for _, r := range b.Records {
				read += int(r.Size)
			}
			if (err == nil) != (read == len(data)) {
				t.Errorf("read %d of %d bytes, error %v", read, len(data), err)
			}
			if err := UnwrapInner(b, 0); err != nil {
				t.Fatal(err)
			}
			if string(v.Unwrapped) != `"same"` {
				want = nil
				if err := json.Unmarshal(v.Unwrapped, &want); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, describe(b), cmpopts.EquateEmpty()); diff != "" {
				t.Error("after unwrapping: " + diff)
			}
		})
	}
}

func TestDamagedRecordsAreReadAlikeOrRefused(t *testing.T) {
	type vector struct {
		Record  string
		At      int
		Xor     byte
		Changed map[string]json.RawMessage
		Decoded json.RawMessage
	}
	all := vectors[vector](t, "damaged.jsonl")
	good := unhex(t, all[0].Record)
	for _, v := range all[1:] {
		t.Run(fmt.Sprintf("byte %d changed by %#x", v.At, v.Xor), func(t *testing.T) {
			data := bytes.Clone(good)
			data[v.At] ^= v.Xor
			b, err := indexed(data)
			if v.Changed == nil {
				// Java has no port above 65535 and gives up on the record; here the host is
				// only shown, so the message is kept.
				port := v.At == 52 || v.At == 53 || v.At == 68 || v.At == 69
				if b.Len() != 0 && b.At(0).BodyError() == nil && !port {
					t.Fatalf("Java refuses it, ours reads %+v", asJava(b.At(0)))
				}
				return
			}
			if b.Len() == 0 {
				// Where Java reads on past sizes that do not agree, ours stops.
				sizes := v.At < 4 || v.At >= posBodyLength && v.At < posBodyLength+4 ||
					v.At == 90 || v.At == 99 || v.At == 100
				if !sizes {
					t.Fatalf("Java reads it, ours stops: %v", err)
				}
				return
			}
			var want javaMessage
			if err := json.Unmarshal(all[0].Decoded, &want); err != nil {
				t.Fatal(err)
			}
			for field, value := range v.Changed {
				text := []byte(`{"` + field + `":` + string(value) + `}`)
				switch { // null leaves a Go string as it is, and a map is added to
				case field == "properties":
					want.Properties = nil
				case field == "tags" && string(value) == "null":
					want.Tags = ""
				case field == "keys" && string(value) == "null":
					want.Keys = ""
				}
				if err := json.Unmarshal(text, &want); err != nil {
					t.Fatal(err)
				}
			}
			got := asJava(b.At(0))
			got.Topic, got.Tags, got.Keys = javaText(got.Topic), javaText(got.Tags), javaText(got.Keys)
			for k, value := range got.Properties {
				delete(got.Properties, k)
				got.Properties[javaText(k)] = javaText(value)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// javaText is s as Java's UTF-8 decoder shows it.
func javaText(s string) string { return string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))) }

func TestPullBodyCutAtEveryByteKeepsTheGoodPrefix(t *testing.T) {
	type vector struct{ Name, Body string }
	var data []byte
	for _, v := range vectors[vector](t, "pullbodies.jsonl") {
		if v.Name == "four messages" {
			data = unhex(t, v.Body)
		}
	}
	whole, err := indexed(data)
	if err != nil || whole.Len() != 4 {
		t.Fatalf("%d messages, %v", whole.Len(), err)
	}
	for n := range data {
		complete := 0
		for _, r := range whole.Records {
			if int(r.Pos+r.Size) <= n {
				complete++
			}
		}
		b, err := indexed(data[:n:n])
		if b.Len() != complete {
			t.Errorf("cut to %d bytes: %d messages, want %d", n, b.Len(), complete)
		}
		clean := n == 0
		if complete > 0 {
			last := whole.Records[complete-1]
			clean = int(last.Pos+last.Size) == n
		}
		if clean != (err == nil) {
			t.Errorf("cut to %d bytes: error %v", n, err)
		}
	}
}

func TestLyingLengthsStopAtTheRecord(t *testing.T) {
	first := unhex(t, sheetRecord)
	at := map[string]int{"total": 0, "body": posBodyLength, "topic": 90, "properties": 99}
	put32 := func(v uint32) func([]byte) { return func(b []byte) { binary.BigEndian.PutUint32(b, v) } }
	put16 := func(v uint16) func([]byte) { return func(b []byte) { binary.BigEndian.PutUint16(b, v) } }
	for _, tc := range []struct {
		name  string
		field string
		set   func([]byte)
	}{
		{"a total size of zero", "total", put32(0)},
		{"a total size below the fixed part", "total", put32(90)},
		{"a negative total size", "total", put32(0xFFFFFFFF)},
		{"the most negative total size", "total", put32(0x80000000)},
		{"the largest total size", "total", put32(0x7FFFFFFF)},
		{"a total size one less", "total", put32(118)},
		{"a total size one more", "total", put32(120)},
		{"a total size that takes in the next record", "total", put32(238)},
		{"a negative body length", "body", put32(0xFFFFFFFE)},
		{"the largest body length", "body", put32(0x7FFFFFFF)},
		{"a body length that ends behind the record", "body", put32(32)},
		{"a body length one more", "body", put32(3)},
		{"a negative topic length", "topic", func(b []byte) { b[0] = 0xFF }},
		{"a topic length beyond the record", "topic", func(b []byte) { b[0] = 127 }},
		{"a topic length one less", "topic", func(b []byte) { b[0] = 7 }},
		{"a negative properties length", "properties", put16(0xFFFF)},
		{"the most negative properties length", "properties", put16(0x8000)},
		{"the largest properties length", "properties", put16(0x7FFF)},
		{"a properties length one more", "properties", put16(19)},
		{"a properties length one less", "properties", put16(17)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := bytes.Clone(first)
			tc.set(bad[at[tc.field]:])
			data := append(append(bytes.Clone(first), bad...), first...)
			b, err := indexed(data)
			var want *RecordError
			if !asError(err, &want) {
				t.Fatalf("error %v", err)
			}
			if b.Len() != 1 || want.Pos != len(first) || want.Index != 1 || want.Why == "" {
				t.Errorf("%d messages, %+v", b.Len(), want)
			}
		})
	}
}

func TestMagicCodes(t *testing.T) {
	for _, tc := range []struct {
		name  string
		magic uint32
		good  bool
	}{
		{"version 1 is read", MagicV1, true},
		{"version 2 with the layout of version 1 is refused by its sizes", MagicV2, false},
		{"the filler at the end of a commit log file is refused", 0xCBD43194, false},
		{"zero is refused", 0, false},
		{"an unknown magic code is refused", 0xDAA320A8, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := unhex(t, sheetRecord)
			binary.BigEndian.PutUint32(data[posMagic:], tc.magic)
			b, err := indexed(data)
			if (err == nil) != tc.good || (b.Len() == 1) != tc.good {
				t.Errorf("%d messages, %v", b.Len(), err)
			}
		})
	}
}
