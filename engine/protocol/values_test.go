package protocol

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Tags with the same Java hash pass the broker; only exact comparison keeps them apart.

func TestPropertiesReadAndWriteAsJavaDoes(t *testing.T) {
	type vector struct {
		Method     string
		Text       *string
		Properties map[string]*string
	}
	for _, v := range vectors[vector](t, "properties.jsonl") {
		text := ""
		if v.Text != nil {
			text = *v.Text
		}
		t.Run(v.Method+" "+text, func(t *testing.T) {
			if v.Method == "string2messageProperties" {
				got := map[string]*string{}
				for _, p := range ParseProperties([]byte(text)) {
					got[p.Name] = &p.Value
				}
				if diff := cmp.Diff(v.Properties, got, cmpopts.EquateEmpty()); diff != "" {
					t.Error(diff)
				}
				return
			}
			// Java leaves out null values and goes by hash order.
			var parts []string
			for name, value := range v.Properties {
				if value != nil {
					parts = append(parts, string(AppendProperties(nil, []Property{{name, *value}})))
				}
			}
			want := strings.SplitAfter(text, "\x02")
			got := strings.SplitAfter(strings.Join(parts, ""), "\x02")
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPropertiesThatCanNotBeSent(t *testing.T) {
	for _, tc := range []struct {
		name string
		p    Property
		good bool
	}{
		{"a name and a value", Property{"KEYS", "k1 k2"}, true},
		{"no name", Property{"", "v"}, false},
		{"no value", Property{"A", ""}, false},
		{"a separator in the name", Property{"A\x01", "v"}, false},
		{"a separator in the value", Property{"A", "v\x02"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := ValidateProperty(tc.p); (err == nil) != tc.good {
				t.Errorf("error %v", err)
			}
		})
	}
	got := ParseProperties([]byte("A\x01x\x02B\x01y\x02A\x01z\x02"))
	if diff := cmp.Diff([]Property{{"A", "z"}, {"B", "y"}}, got); diff != "" {
		t.Error("the last of equal names wins at the first one's place: " + diff)
	}
}

func TestChecksumsAreJavas(t *testing.T) {
	type vector struct {
		Hex   *string
		CRC32 uint32
	}
	checked := 0
	for _, v := range vectors[vector](t, "crc32.jsonl") {
		if v.Hex == nil {
			continue
		}
		checked++
		if got := BodyCRC(unhex(t, *v.Hex)); got != v.CRC32 {
			t.Errorf("checksum of %s is %d, Java says %d", *v.Hex, got, v.CRC32)
		}
	}
	if checked < 40 {
		t.Errorf("%d checksums compared", checked)
	}
}

func TestCheckCRCFindsAChangedBody(t *testing.T) {
	data := unhex(t, sheetRecord)
	data[posBodyLength+bodyLengthSize] ^= 1
	b, err := indexed(data)
	if err != nil {
		t.Fatal(err)
	}
	if CheckCRC(b.At(0)) {
		t.Error("a changed body passed")
	}
	clear(data[posBodyCRC : posBodyCRC+4])
	if !CheckCRC(b.At(0)) {
		t.Error("a record without checksum did not pass")
	}
}

func TestBatchesAreJavas(t *testing.T) {
	type message struct {
		Flag       int32
		Body       string
		Properties map[string]string
	}
	type vector struct {
		Name     string
		Messages []struct {
			Flag           int32
			Body           string
			PropertiesText string
		}
		Bytes   *string
		Decoded []message
		Error   *javaError
	}
	for _, v := range vectors[vector](t, "batches.jsonl") {
		t.Run(v.Name, func(t *testing.T) {
			if v.Bytes == nil {
				t.Fatal("no bytes")
			}
			records, err := SplitBatch(unhex(t, *v.Bytes))
			if (v.Error != nil) != (err != nil) {
				t.Fatalf("Java %v, ours %v", v.Error, err)
			}
			if err != nil {
				return
			}
			var got []message
			for _, r := range records {
				m := message{r.Flag, hex.EncodeToString(r.Body), map[string]string{}}
				for _, p := range ParseProperties(r.Properties) {
					m.Properties[p.Name] = p.Value
				}
				got = append(got, m)
			}
			if diff := cmp.Diff(v.Decoded, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			var again []byte
			for _, m := range v.Messages {
				again, err = AppendBatchRecord(again, BatchRecord{m.Flag, unhex(t, m.Body), []byte(m.PropertiesText)})
				if err != nil {
					t.Fatal(err)
				}
			}
			if len(v.Messages) > 0 && hex.EncodeToString(again) != *v.Bytes {
				t.Errorf("written as %x", again)
			}
		})
	}
}

func TestWhatDoesNotFitIsNotWritten(t *testing.T) {
	long := make([]byte, 1<<15)
	m := sheetMessage()
	m.Properties = long
	if out, err := AppendMessage([]byte("x"), &m); err == nil || string(out) != "x" {
		t.Errorf("properties over 32767 bytes: %v, %d bytes", err, len(out))
	}
	m = sheetMessage()
	m.Topic = string(long)
	if out, err := AppendMessage([]byte("x"), &m); err == nil || string(out) != "x" {
		t.Errorf("a topic over 32767 bytes: %v, %d bytes", err, len(out))
	}
	if out, err := AppendBatchRecord([]byte("x"), BatchRecord{Properties: long}); err == nil || string(out) != "x" {
		t.Errorf("a batch record with properties over 32767 bytes: %v, %d bytes", err, len(out))
	}
	var zero StoredMessage
	data, err := AppendMessage(nil, &zero)
	if err != nil || len(data) != smallestRecord {
		t.Fatalf("an empty message: %v, %d bytes", err, len(data))
	}
	b, err := indexed(data)
	if err != nil || b.At(0).StoreHost() != netip.MustParseAddrPort("0.0.0.0:0") {
		t.Errorf("an empty message reads back: %v", err)
	}
}
