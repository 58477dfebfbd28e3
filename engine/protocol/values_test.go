package protocol

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mqscope/engine/mq"
)

func TestSubscriptionsParseAsJavaParsesThem(t *testing.T) {
	type subscription struct {
		Topic, SubString string
		TagsSet          []string
		CodeSet          []int32
		ExpressionType   string
		ClassFilterMode  bool
	}
	type vector struct {
		Method, Topic string
		Expression    *string
		Type          *string
		Result        *subscription
		Error         *javaError
	}
	for _, v := range vectors[vector](t, "subscriptions.jsonl") {
		expression, kind := "", ExpressionTAG
		if v.Expression != nil {
			expression = *v.Expression
		}
		if v.Type != nil {
			kind = *v.Type
		}
		t.Run(v.Method+" of "+expression+" as "+kind, func(t *testing.T) {
			var got SubscriptionData
			var err error
			if v.Method == "build" {
				got, err = ParseSubscriptionOfType(v.Topic, expression, kind, 5)
			} else {
				got, err = ParseSubscription(v.Topic, expression, 5)
			}
			if (v.Error != nil) != (err != nil) {
				t.Fatalf("Java %v, ours %v", v.Error, err)
			}
			if err != nil {
				return
			}
			if got.SubVersion != 5 {
				t.Errorf("version %d", got.SubVersion)
			}
			slices.Sort(got.TagsSet)
			slices.Sort(got.CodeSet)
			ours := subscription{got.Topic, got.SubString, got.TagsSet, got.CodeSet, got.ExpressionType, got.ClassFilterMode}
			if diff := cmp.Diff(*v.Result, ours, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Tags with the same Java hash pass the broker; only exact comparison keeps them apart.
func TestP11TagsWithTheSameHashAreTwoTags(t *testing.T) {
	s, err := ParseSubscription("t", "AaAa||BBBB", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.TagsSet) != 2 || len(s.CodeSet) != 1 {
		t.Fatalf("%d tags, %d codes", len(s.TagsSet), len(s.CodeSet))
	}
	only, _ := ParseSubscription("t", "AaAa", 1)
	if !only.MatchesCode(TagCode("BBBB")) {
		t.Error("a broker compares hashes, which are equal")
	}
	data := storedWith(t, "BBBB")
	b, err := indexed(data)
	if err != nil {
		t.Fatal(err)
	}
	if b.At(0).HasTag(only.Tags()) {
		t.Error("BBBB passed for AaAa")
	}
	if !b.At(0).HasTag(s.Tags()) {
		t.Error("BBBB was asked for")
	}
}

func storedWith(t testing.TB, tags string) []byte {
	t.Helper()
	m := sheetMessage()
	m.Properties = AppendProperties(nil, []Property{{mq.PropertyTags, tags}})
	data, err := AppendMessage(nil, &m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestP12TagHashesWrapAt32Bits(t *testing.T) {
	type vector struct {
		Text     *string
		HashCode int32
		TagsCode int64
	}
	negative := 0
	for _, v := range vectors[vector](t, "hashcodes.jsonl") {
		if v.Text == nil {
			continue // no tag, or text that is not UTF-8
		}
		if v.HashCode < 0 {
			negative++
		}
		if got := mq.HashJava(*v.Text); got != v.HashCode {
			t.Errorf("hash of %q is %d, Java says %d", *v.Text, got, v.HashCode)
		}
		if got := TagCode(*v.Text); got != v.TagsCode {
			t.Errorf("tag code of %q is %d, Java says %d", *v.Text, got, v.TagsCode)
		}
	}
	if negative == 0 {
		t.Error("no vector wraps")
	}
}

func TestMatchesCodeAsABrokerDoes(t *testing.T) {
	tag, _ := ParseSubscription("t", "TagA", 1)
	all, _ := ParseSubscription("t", "*", 1)
	blank, _ := ParseSubscription("t", "  ", 1)
	sql, _ := ParseSubscriptionOfType("t", "a > 5", ExpressionSQL92, 1)
	for _, tc := range []struct {
		name string
		sub  SubscriptionData
		tag  string
		want bool
	}{
		{"the tag itself", tag, "TagA", true},
		{"another tag", tag, "TagB", false},
		{"no tag", tag, "", false},
		{"everything takes a message without tag", all, "", true},
		{"a blank expression takes nothing", blank, "TagA", false},
		{"SQL is not decided by codes", sql, "x", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.sub.MatchesCode(TagCode(tc.tag)); got != tc.want {
				t.Errorf("matches: %v", got)
			}
		})
	}
	if all.Tags() != nil || blank.Tags() != nil || sql.Tags() != nil || len(tag.Tags()) != 1 {
		t.Error("only tags are filtered again")
	}
}

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

func TestOffsetIDsAreJavas(t *testing.T) {
	type decoded struct {
		IPHex  string
		Port   uint16
		Offset int64
	}
	type vector struct {
		Host    string
		Port    uint16
		Offset  int64
		MsgID   string
		Decode  *string
		Decoded *decoded
		Error   *javaError
	}
	for _, v := range vectors[vector](t, "offsetids.jsonl") {
		id := v.MsgID
		if v.Decode != nil {
			id = *v.Decode
		} else {
			host := netip.AddrPortFrom(netip.MustParseAddr(v.Host), v.Port)
			if got := OffsetID(host, v.Offset); got != v.MsgID {
				t.Errorf("id of %s at %d is %s, Java says %s", host, v.Offset, got, v.MsgID)
			}
		}
		host, offset, err := ParseOffsetID(id)
		if strings.ContainsRune(id, 'G') { // Java reads a G as if it were a digit
			if err == nil {
				t.Errorf("%s was read", id)
			}
			continue
		}
		if (v.Error != nil) != (err != nil) {
			t.Errorf("%s: Java %v, ours %v", id, v.Error, err)
			continue
		}
		if err == nil {
			got := decoded{hex.EncodeToString(host.Addr().AsSlice()), host.Port(), offset}
			if diff := cmp.Diff(*v.Decoded, got); diff != "" {
				t.Errorf("%s: %s", id, diff)
			}
		}
	}
	if _, _, err := ParseOffsetID("0A01020912671234567805265C000007"); err == nil {
		t.Error("a unique id was taken for an offset id")
	}
}

func TestUniqueIDsAreJavas(t *testing.T) {
	type vector struct {
		ID, Kind, IPHex, LoaderHash string
		Pid                         uint16
		MsSinceMonthStart           uint32
		Counter                     uint16
	}
	for _, v := range vectors[vector](t, "uniqueids.jsonl") {
		if v.ID == "" {
			continue
		}
		t.Run(v.ID, func(t *testing.T) {
			u, err := ParseUniqueID(v.ID)
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := hex.DecodeString(v.IPHex)
			ip, _ := netip.AddrFromSlice(raw)
			loader, _ := hex.DecodeString(v.LoaderHash)
			want := UniqueID{
				IP: ip, ProcessID: v.Pid, MonthMillis: v.MsSinceMonthStart, Counter: v.Counter,
				LoaderHash: uint32(loader[0])<<24 | uint32(loader[1])<<16 | uint32(loader[2])<<8 | uint32(loader[3]),
			}
			if diff := cmp.Diff(want, u, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
			if got := u.String(); got != strings.ToUpper(v.ID) {
				t.Errorf("written as %s", got)
			}
		})
	}
}

func TestNextUniqueIDCountsAndTakesTheTimeOfTheMonth(t *testing.T) {
	ids := NewUniqueIDs(netip.MustParseAddr("::ffff:10.1.2.9"), 0x51267, 0x12345678)
	day := time.Date(2024, 2, 2, 0, 0, 0, 5_000_000, time.UTC)
	for range 7 {
		ids.Next(day)
	}
	if got, want := ids.Next(day), "0A01020912671234567805265C050007"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := NewUniqueIDs(netip.Addr{}, 1, 2).Next(day); len(got) != 32 || !strings.HasPrefix(got, "00000000") {
		t.Errorf("without an address: %s", got)
	}
	if got := NewUniqueIDs(netip.MustParseAddr("fe80::1%eth0"), 1, 2).Next(day); len(got) != 56 {
		t.Errorf("IPv6: %s", got)
	}
}

func TestDelayLevelsReadAsJavaReadsThem(t *testing.T) {
	type vector struct {
		Text                    string
		Accepted                bool
		MaxDelayLevel           int
		Levels                  [][2]int64
		QueueIDs                [][2]int32
		ComputeDeliverTimestamp *struct {
			StoreTimestamp int64
			Levels         [][2]int64
		}
	}
	for _, v := range vectors[vector](t, "delaylevels.jsonl") {
		t.Run(v.Text, func(t *testing.T) {
			levels, err := ParseDelayLevels(v.Text)
			if (err == nil) != v.Accepted {
				t.Fatalf("accepted by Java: %v, ours: %v", v.Accepted, err)
			}
			if err != nil {
				return
			}
			if len(levels) != v.MaxDelayLevel {
				t.Errorf("%d levels, Java has %d", len(levels), v.MaxDelayLevel)
			}
			for _, l := range v.Levels {
				if got := levels[l[0]-1].Milliseconds(); got != l[1] {
					t.Errorf("level %d is %d ms, Java says %d", l[0], got, l[1])
				}
			}
			for _, q := range v.QueueIDs {
				if got := DelayQueueID(q[0]); got != q[1] {
					t.Errorf("level %d waits in queue %d, Java says %d", q[0], got, q[1])
				}
			}
			if v.ComputeDeliverTimestamp == nil {
				return
			}
			for _, l := range v.ComputeDeliverTimestamp.Levels {
				if got := levels.DeliverTime(int32(l[0]), v.ComputeDeliverTimestamp.StoreTimestamp); got != l[1] {
					t.Errorf("level %d is due at %d, Java says %d", l[0], got, l[1])
				}
			}
			if got := levels.Clamp(100); int(got) != len(levels) {
				t.Errorf("level 100 is clamped to %d", got)
			}
		})
	}
	if _, err := ParseDelayLevels("200000000000d"); err == nil {
		t.Error("a level that overflows was accepted")
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
