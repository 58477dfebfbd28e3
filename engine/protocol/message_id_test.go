package protocol

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
