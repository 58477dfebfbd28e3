package remoting

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecodeFrame: whatever is read can be written in both encodings and is then read as
// the same command, and nothing that is read is larger than what it was read from.
func FuzzDecodeFrame(f *testing.F) {
	for _, file := range []string{"captured.jsonl", "handmade.jsonl"} {
		for _, r := range rows(f, file) {
			f.Add(r.frame(f)[4:])
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		before := bytes.Clone(frame)
		c, err := DecodeFrame(frame, Limits{})
		if err != nil {
			badFrame(t, err)
			return
		}
		if !bytes.Equal(before, frame) {
			t.Fatal("decoding changed the frame")
		}
		total := len(c.Remark) + len(c.Body)
		for _, e := range c.Fields {
			total += len(e.Key) + len(e.Value)
		}
		if total > 3*len(frame) { // a byte that is no UTF-8 becomes three
			t.Fatalf("%d bytes out of a frame of %d", total, len(frame))
		}
		// What was replaced may be longer than the limits that it was read under.
		wide := Limits{HeaderBytes: 1 << 23, KeyBytes: 1 << 14, ValueBytes: 1 << 22, FrameBytes: 1 << 26}
		for _, kind := range []SerializeType{JSON, RocketMQ} {
			roundTrip(t, c, kind, wide)
		}
	})
}

// roundTrip writes c in an encoding and reads it back.
func roundTrip(t *testing.T, c *Command, kind SerializeType, l Limits) {
	t.Helper()
	w := *c
	w.Serialize = kind
	out, err := AppendFrame(nil, &w, l)
	if kind == RocketMQ && (c.Code != int32(int16(c.Code)) || c.Version != int32(int16(c.Version))) {
		badFrame(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeFrame(out[4:], l)
	if err != nil {
		t.Fatalf("%v reads not what it wrote: %v\n%q", kind, err, out)
	}
	want := w
	if kind == RocketMQ {
		want.Fields = nil
		for _, e := range w.Fields {
			if e.Value == "" {
				want.Fields = want.Fields.without(e.Key)
			} else if e.Key != "" {
				want.Fields = append(want.Fields, e)
			}
		}
		if len(want.Fields) == 0 && len(w.Fields) == 0 || len(want.Fields) == 0 && len(got.Fields) == 0 {
			want.Fields, got.Fields = nil, nil
		}
	} else if w.Language > NodeJS {
		want.Language = UnknownLanguage
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Fatalf("%v\n%s", kind, diff)
	}
}

// FuzzJSONHeader feeds the scanner itself, and checks that fields are cut out of the header.
func FuzzJSONHeader(f *testing.F) {
	for _, r := range rows(f, "handmade.jsonl") {
		if r.Header != "" {
			f.Add(r.Header)
		}
	}
	for _, file := range []string{"captured.jsonl", "special.jsonl.gz"} {
		for _, r := range rows(f, file) {
			if b := r.frame(f); b[4] == 0 && len(b) < 2000 {
				f.Add(string(b[8:]))
			}
		}
	}
	for _, s := range []string{`{"a":[{"b":[`, `{'a':"\x4`, `{"code":1e400}`, `{"remark":"\ud83d\u"}`, "{\"language\":\"\xff\"}"} {
		f.Add(s)
	}
	limits := Limits{Fields: 20, KeyBytes: 64, ValueBytes: 300, JSONDepth: 8}
	f.Fuzz(func(t *testing.T, header string) {
		c, err := DecodeFrame(frameOf(JSON, header, ""), limits)
		if err != nil {
			badFrame(t, err)
			return
		}
		if len(c.Fields) > 20 || len(c.Remark) > 300 {
			t.Fatalf("over the limits: %+v", c)
		}
		for _, e := range c.Fields {
			if len(e.Key) > 64 || len(e.Value) > 300 || !utf8.ValidString(e.Key) || !utf8.ValidString(e.Value) {
				t.Fatalf("field %q", e)
			}
		}
		if strings.Count(header, "{") == 0 {
			t.Fatalf("no object in %q", header)
		}
		roundTrip(t, c, JSON, Limits{})
	})
}

// FuzzBinaryHeader starts from values: what is written is read, in both encodings, and any
// prefix of the header is refused.
func FuzzBinaryHeader(f *testing.F) {
	f.Add(int32(11), int32(475), int32(7), int32(0), byte(9), "", "topic", "OrderEvt", "queueId", "3", []byte("body"))
	f.Add(int32(-1), int32(-32768), int32(math.MinInt32), int32(-1), byte(255), "没有\x00", "", "x", "\"\\/\u2028", "", []byte{})
	f.Add(int32(200050), int32(65535), int32(math.MaxInt32), int32(3), byte(14), "r", "a", "1", "a", "", []byte{0})
	f.Fuzz(func(t *testing.T, code, version, opaque, flag int32, lang byte, remark, k1, v1, k2, v2 string, body []byte) {
		for _, s := range []*string{&remark, &k1, &v1, &k2, &v2} {
			*s = strings.ToValidUTF8(*s, "?")
		}
		if len(body) == 0 {
			body = nil
		}
		c := &Command{Code: code, Version: version, Opaque: opaque, Flag: flag, Language: Language(lang), Remark: remark, Fields: Fields{{k1, v1}, {k2, v2}}, Body: body}
		if len(k1) > 1024 || len(k2) > 1024 || len(remark)+len(v1)+len(v2) > 8000 || len(body) > 1<<20 {
			return
		}
		roundTrip(t, c, JSON, Limits{})
		roundTrip(t, c, RocketMQ, Limits{})
		c.Serialize, c.Body = RocketMQ, nil
		out, err := AppendFrame(nil, c, Limits{})
		if err != nil {
			return
		}
		for cut := 0; cut < len(out)-8; cut += 1 + cut/16 {
			if _, err := DecodeFrame(frameOf(RocketMQ, string(out[8:8+cut]), ""), Limits{}); err == nil {
				t.Fatalf("header cut to %d of %d bytes is read", cut, len(out)-8)
			}
		}
	})
}

// FuzzFrameReader feeds a stream: no panic, no frame over the limit, and the frames are
// pieces of the stream in order.
func FuzzFrameReader(f *testing.F) {
	stream, _ := streamOf(f)
	f.Add(stream[:2000])
	for _, r := range rows(f, "handmade.jsonl") {
		f.Add(append(r.frame(f), r.frame(f)...))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := readAll(t, bytes.NewReader(stream), Limits{FrameBytes: 1 << 12})
		if err == nil {
			t.Fatal("the stream ended without an error")
		}
		at := 0
		for _, b := range got {
			if len(b) > 1<<12-4 || !bytes.Equal(stream[at+4:at+4+len(b)], b) {
				t.Fatalf("a frame of %d bytes at %d", len(b), at)
			}
			at += 4 + len(b)
		}
	})
}
