package mq

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"net/netip"
	"strings"
	"testing"
)

// Two stored messages whose bytes Java's codec has confirmed: layout 1 with IPv4 hosts, and
// layout 2 with IPv6 hosts.
const (
	recordV1 = "00000077daa320a758932aac000000030000000000000000000000640000000000001000000000000000018bcfe56800" +
		"0a0102090000c3cb0000018bcfe568050a01020300002a9f000000000000000000000000000000026869084f72646572" +
		"4576740012544147530154616741024b455953016b3102"
	recordV2 = "00000088daa320ab58932aac000000030000000000000000000000640000000000001000000000300000018bcfe56800" +
		"20010db80000000000000000000000090000c3cb0000018bcfe5680520010db800000000000000000000000300002a9f" +
		"00000000000000000000000000000002686900084f72646572457674000a54414753015461674102"
)

// givenBack counts how often the bytes of a batch went back.
type givenBack int

func (g *givenBack) Release() { *g++ }

// twoMessages is both records as one batch.
func twoMessages(t *testing.T, owner Releaser) *Batch {
	t.Helper()
	data, err := hex.DecodeString(recordV1 + recordV2)
	if err != nil {
		t.Fatal(err)
	}
	b := new(Batch)
	b.Reset(data, owner)
	b.Records = append(b.Records,
		Record{Pos: 0, Size: 119, BodyLen: 2, TopicLen: 8, PropsPos: 101, PropsLen: 18, QueueOffset: 100},
		Record{Pos: 119, Size: 136, BodyLen: 2, TopicLen: 8, PropsPos: 119 + 126, PropsLen: 10, QueueOffset: 100, SysFlag: 0x30})
	return b
}

func TestMessageFieldsInBothLayouts(t *testing.T) {
	b := twoMessages(t, nil)
	for i, hosts := range [][2]string{{"10.1.2.9:50123", "10.1.2.3:10911"}, {"[2001:db8::9]:50123", "[2001:db8::3]:10911"}} {
		m := b.At(i)
		if m.Batch() != b || m.Index() != i {
			t.Errorf("message %d does not know its place", i)
		}
		if m.BornHost() != netip.MustParseAddrPort(hosts[0]) || m.StoreHost() != netip.MustParseAddrPort(hosts[1]) {
			t.Errorf("hosts %v and %v", m.BornHost(), m.StoreHost())
		}
		if m.QueueID() != 3 || m.Flag() != 0 || m.QueueOffset() != 100 || m.PhysicalOffset() != 4096 ||
			m.ReconsumeTimes() != 0 || m.PreparedTransactionOffset() != 0 || m.BodyCRC() != 0x58932AAC {
			t.Errorf("message %d: numbers differ", i)
		}
		if m.BornTime().UnixMilli() != 1700000000000 || m.StoreTime().UnixMilli() != 1700000000005 {
			t.Errorf("times %v and %v", m.BornTime(), m.StoreTime())
		}
		if m.Topic() != "OrderEvt" || m.StoredTopic() != "OrderEvt" || string(m.Body()) != "hi" || m.Tags() != "TagA" {
			t.Errorf("topic %q, body %q, tags %q", m.Topic(), m.Body(), m.Tags())
		}
	}
	if got := b.At(0).OffsetID(); got != "0A01020300002A9F0000000000001000" {
		t.Errorf("offset id %s", got)
	}
	if got := b.At(1).ID(); got != "20010DB800000000000000000000000300002A9F0000000000001000" {
		t.Errorf("id without a unique key: %s", got)
	}
	if b.At(0).Keys() != "k1" || b.At(1).Keys() != "" {
		t.Error("keys")
	}
	if b.At(0).StoreSize() != 119 || b.At(1).SysFlag() != BornHostV6Flag|StoreHostV6Flag {
		t.Error("size or flags")
	}
}

// withProperties is a message with other properties text.
func withProperties(t *testing.T, topic, text string) Message {
	t.Helper()
	b := twoMessages(t, nil)
	head := bytes.Clone(b.Data[:90])
	data := append(head, byte(len(topic)))
	data = append(data, topic...)
	data = append(data, byte(len(text)>>8), byte(len(text)))
	at := len(data)
	data = append(data, text...)
	b.Data = data
	b.Records = append(b.Records[:0], Record{
		Size: uint32(len(data)), BodyLen: 2, TopicLen: uint16(len(topic)), PropsPos: uint32(at), PropsLen: uint16(len(text)),
	})
	return b.At(0)
}

func TestPropertiesFollowJavasRules(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       map[string]string
	}{
		{"none", "", map[string]string{}},
		{"the last separator may be missing", "A\x01x\x02B\x01y", map[string]string{"A": "x", "B": "y"}},
		{"empty values and names vanish", "A\x01x\x02B\x01\x02C\x02\x01d\x02E\x01y\x02", map[string]string{"A": "x", "E": "y"}},
		{"the last of equal names wins", "A\x01x\x02A\x01y\x02", map[string]string{"A": "y"}},
		{"an empty one does not take away an earlier", "A\x01x\x02A\x01\x02", map[string]string{"A": "x"}},
		{"a second separator belongs to the value", "A\x01x\x01y\x02", map[string]string{"A": "x\x01y"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := withProperties(t, "t", tc.text)
			got := maps.Collect(m.Properties())
			if !maps.Equal(got, tc.want) {
				t.Errorf("got %q", got)
			}
			for _, name := range []string{"A", "B", "C", "E", "AA", ""} {
				value, ok := m.Property(name)
				want, there := tc.want[name]
				if ok != there || value != want {
					t.Errorf("property %q is %q, %v", name, value, ok)
				}
			}
			for range m.Properties() {
				break // the iterator heeds an early end
			}
		})
	}
}

func TestTopicOfARetryIsTheOneItCameFrom(t *testing.T) {
	for _, tc := range []struct{ name, retryTopic, stored, text, want string }{
		{"from the group's own retry topic", "%RETRY%g", "%RETRY%g", "RETRY_TOPIC\x01OrderEvt\x02", "OrderEvt"},
		{"without a note of the topic", "%RETRY%g", "%RETRY%g", "", "%RETRY%g"},
		{"from another group's retry topic", "%RETRY%g", "%RETRY%h", "RETRY_TOPIC\x01OrderEvt\x02", "%RETRY%h"},
		{"topics shown as stored", "", "%RETRY%g", "RETRY_TOPIC\x01OrderEvt\x02", "%RETRY%g"},
		{"a note on a message of another topic", "%RETRY%g", "OrderEvt", "RETRY_TOPIC\x01x\x02", "OrderEvt"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := withProperties(t, tc.stored, tc.text)
			m.Batch().RetryTopic = tc.retryTopic
			if m.Topic() != tc.want || m.StoredTopic() != tc.stored {
				t.Errorf("topic %q, stored %q", m.Topic(), m.StoredTopic())
			}
		})
	}
}

func TestIDIsTheUniqueKeyWhereThereIsOne(t *testing.T) {
	if got := withProperties(t, "t", "UNIQ_KEY\x01abc\x02").ID(); got != "abc" {
		t.Errorf("id %s", got)
	}
}

func TestS2HasTagComparesTheWholeTagAndDoesNotAllocate(t *testing.T) {
	m := withProperties(t, "t", "TAGS\x01TagA\x02")
	tags := map[string]struct{}{"TagA": {}}
	if !m.HasTag(tags) || m.HasTag(map[string]struct{}{"Tag": {}, "TagAB": {}}) || withProperties(t, "t", "").HasTag(tags) {
		t.Error("tags")
	}
	if n := testing.AllocsPerRun(100, func() { m.HasTag(tags) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBatchGivesItsBytesBackOnce(t *testing.T) {
	var owner givenBack
	b := twoMessages(t, &owner)
	b.Retain(2)
	for range 2 {
		if b.Release(1) || owner != 0 {
			t.Fatal("given back too early")
		}
	}
	if !b.Release(1) || owner != 1 || b.Data != nil {
		t.Fatalf("given back %d times", owner)
	}
	defer func() {
		if recover() == nil {
			t.Error("one release too many went unnoticed")
		}
	}()
	b.Release(1)
}

func TestReplaceGivesTheOldBytesBack(t *testing.T) {
	var owner givenBack
	b := twoMessages(t, &owner)
	b.BrokerName = "brk-a"
	b.SetBodyError(0, errors.New("damaged"))
	data, records := bytes.Clone(b.Data), b.Records[1:]
	b.Replace(data, records)
	if owner != 1 || b.Len() != 1 || b.BrokerName != "brk-a" || b.At(0).BodyError() != nil || string(b.At(0).Body()) != "hi" {
		t.Errorf("given back %d times, %d messages", owner, b.Len())
	}
	if !b.Release(1) || owner != 1 {
		t.Error("the old owner is asked again")
	}
}

func TestResetKeepsNothingButCapacity(t *testing.T) {
	b := twoMessages(t, nil)
	b.RetryTopic, b.BrokerName, b.MinOffset, b.MaxOffset = "r", "b", 1, 2
	b.SetBody(0, []byte("x"))
	b.SetBodyError(1, errors.New("damaged"))
	data := b.Data
	b.Reset(data, nil)
	if b.Len() != 0 || cap(b.Records) < 2 || b.RetryTopic != "" || b.BrokerName != "" || b.MinOffset != 0 || b.MaxOffset != 0 {
		t.Error("something is left")
	}
	b.Records = b.Records[:2]
	if b.At(1).BodyError() != nil || string(b.At(0).Body()) != "hi" {
		t.Error("bodies of the batch before are left")
	}
}

// The size that flow control counts is the stored one, whatever becomes of the body.
func TestP32SizeDoesNotFollowTheBody(t *testing.T) {
	b := twoMessages(t, nil)
	before := b.At(0).StoreSize()
	b.SetBody(0, bytes.Repeat([]byte("x"), 1<<20))
	if b.At(0).StoreSize() != before || len(b.At(0).Body()) != 1<<20 || string(b.At(0).StoredBody()) != "hi" {
		t.Error("a larger body changed the size")
	}
	b.SetBody(0, []byte{})
	if b.At(0).StoreSize() != before || b.At(0).Body() == nil || len(b.At(0).Body()) != 0 {
		t.Error("an empty body changed the size")
	}
}

func TestBodyThatCanNotBeReadIsNil(t *testing.T) {
	b := twoMessages(t, nil)
	why := errors.New("damaged")
	b.SetBodyError(1, why)
	if b.At(1).Body() != nil || !errors.Is(b.At(1).BodyError(), why) || string(b.At(1).StoredBody()) != "hi" {
		t.Error("message 1")
	}
	if string(b.At(0).Body()) != "hi" || b.At(0).BodyError() != nil {
		t.Error("message 0")
	}
}

func TestCloneOutlivesItsBatch(t *testing.T) {
	b := twoMessages(t, nil)
	b.RetryTopic, b.BrokerName = "%RETRY%g", "brk-a"
	b.SetBody(0, []byte("plain"))
	b.SetBodyError(1, errors.New("damaged"))
	one, two := b.At(0).Clone(), b.At(1).Clone()
	body := b.inflated[0]
	clear(b.Data)
	clear(body)
	if string(one.Body()) != "plain" || one.Keys() != "k1" || one.QueueOffset() != 100 || one.StoredTopic() != "OrderEvt" {
		t.Errorf("first: %q %q", one.Body(), one.Keys())
	}
	if two.BodyError() == nil || two.Tags() != "TagA" || two.StoreHost().String() != "[2001:db8::3]:10911" || two.Index() != 0 {
		t.Errorf("second: %v %q", two.BodyError(), two.Tags())
	}
	if one.Batch().BrokerName != "brk-a" || one.Batch().RetryTopic != "%RETRY%g" {
		t.Error("broker and retry topic are lost")
	}
	if !strings.HasPrefix(two.OffsetID(), "20010DB8") {
		t.Error("offset id")
	}
}
