package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	records := some(300, 50)
	records[10].Payload = nil
	records[20].Payload = bytes.Repeat([]byte{0xf7}, MaxPayload)
	records[30].At = start().Add(-time.Hour)
	for _, o := range []Options{{}, {Uncompressed: true}, {BlockBytes: 4 << 10}} {
		data := write(t, header(), records, 64, o)
		r := open(t, data)
		if diff := cmp.Diff(header(), r.Header()); diff != "" {
			t.Errorf("header (-want +got):\n%s", diff)
		}
		wantRecords(t, all(t, r), records, 0)
		chain := NewHasher(0)
		for _, one := range records {
			chain.Add(one)
		}
		i := r.Info()
		if i.Next != 300 || i.End != Closed || i.Cut != nil || i.Chain != chain.Sum() || !i.Begin.Equal(start()) || !i.Last.Equal(records[299].At) {
			t.Errorf("info %+v", i)
		}
		rep, err := r.Verify(t.Context())
		if err != nil || !rep.Whole() || rep.Records != 300 || rep.TimeBack != 1 {
			t.Errorf("verify: %+v, %v", rep, err)
		}
	}
}

func TestARecordingWithoutRecords(t *testing.T) {
	r := open(t, write(t, Header{}, nil, 1, Options{}))
	if got := all(t, r); len(got) != 0 || r.Info().End != Closed || r.Info().Next != 0 || !r.Info().Begin.IsZero() || !r.indexed {
		t.Errorf("got %v, %+v", got, r.Info())
	}
	if err := r.SeekTime(start()); err != nil {
		t.Error(err)
	}
	if _, err := r.SeekCheckpoint(7); err != ErrNoCheckpoint {
		t.Errorf("got %v", err)
	}
}

// TestTheFormatIsThatOfVersion1 keeps files readable: the golden one is as doc.go says, and must
// stay so.
func TestTheFormatIsThatOfVersion1(t *testing.T) {
	h := header()
	h.First = 41
	got := hex.Dump(write(t, h, some(9, 4), 3, Options{Uncompressed: true}))
	const golden = "testdata/v1.hex"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the format has changed: give it a new version (-want +got):\n%s", diff)
	}
}

// TestAPackedFileOfVersion1IsRead reads one of before there was a copy of the header.
func TestAPackedFileOfVersion1IsRead(t *testing.T) {
	const golden = "testdata/v1.mqrec"
	records := some(200, 60)
	r, err := Open(golden)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wantRecords(t, all(t, r), records, 0)
	if rep, err := r.Verify(t.Context()); err != nil || !rep.Whole() || !r.indexed || r.Info().End != Closed {
		t.Errorf("%+v, %v, %+v", rep, err, r.Info())
	}
}

func TestTimesOutsideTheFormatBecomeTheNearest(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Time{}, math.MinInt64},
		{time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt64},
		{time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt64},
		{time.Date(2038, 1, 19, 3, 14, 8, 1, time.UTC), 2147483648*int64(time.Second) + 1},
		{time.Unix(0, -1), -1},
	} {
		if got := nanoseconds(c.at); got != c.want {
			t.Errorf("%v: %d, want %d", c.at, got, c.want)
		}
	}
	extremes := []Record{{At: time.Time{}}, {At: time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)}, {At: time.Time{}}}
	got := all(t, open(t, write(t, Header{}, extremes, 10, Options{})))
	if len(got) != 3 || got[0].At.UnixNano() != math.MinInt64 || got[1].At.UnixNano() != math.MaxInt64 || !got[2].At.Equal(got[0].At) {
		t.Errorf("got %v", got)
	}
}

func TestTheChainDoesNotDependOnBlocksOrHeader(t *testing.T) {
	records := some(100, 0)
	a := open(t, write(t, header(), records, 7, Options{})).Info().Chain
	b := open(t, write(t, Header{}, records, 50, Options{Uncompressed: true})).Info().Chain
	if a != b {
		t.Error("the same records have different chains")
	}
	records[50].At = records[50].At.Add(1)
	if c := open(t, write(t, Header{}, records, 50, Options{})).Info().Chain; c == a {
		t.Error("another record has the same chain")
	}
}

func TestAHeaderThatIsTooLongIsRefused(t *testing.T) {
	for _, h := range []Header{
		{Group: strings.Repeat("g", maxHeader)},
		{Meta: map[string]string{strings.Repeat("n", 70000): "x"}},
		{Source: strings.Repeat("s", maxHeader/2), Group: strings.Repeat("g", maxHeader/2)},
		{First: maxNumber + 1},
	} {
		if _, err := h.encode(); err == nil {
			t.Error("accepted")
		}
	}
}

func TestManyBlocksHaveFewMarks(t *testing.T) {
	var m marks
	for n := range int64(5*maxIndex + 3) {
		m.add(n * 200)
	}
	if len(m.offsets) > maxIndex || len(m.offsets) < maxIndex/2 || m.offsets[0] != 0 {
		t.Fatalf("%d marks from %d", len(m.offsets), m.offsets[0])
	}
	for n, at := range m.offsets {
		if at != int64(n*m.stride)*200 {
			t.Fatalf("mark %d is %d, want each %d-th", n, at, m.stride)
		}
	}
}

// putCRC gives a changed header the CRC that it then has to have.
func putCRC(whole []byte) { binary.LittleEndian.PutUint32(whole[16:], headerCRC(whole)) }

// TestTheChainAsDocGoSaysIt computes it as another program would.
func TestTheChainAsDocGoSaysIt(t *testing.T) {
	records := some(2*spanRecords+5, 3000)
	const first = 100
	var span Chain
	var bytes []byte
	for n, r := range records {
		if n == 0 || r.Checkpoint || (first+n)%4096 == 0 {
			if n > 0 {
				span = sha256.Sum256(bytes)
			}
			bytes = slices.Clone(span[:])
		}
		flags := byte(0)
		if r.Checkpoint {
			flags = 1
		}
		bytes = append(bytes, flags)
		bytes = binary.LittleEndian.AppendUint16(bytes, r.Kind)
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(r.At.UnixNano()))
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(len(r.Payload)))
		bytes = append(bytes, r.Payload...)
	}
	h := header()
	h.First = first
	r := open(t, write(t, h, records, 1000, Options{}))
	if got := r.Info().Chain; got != sha256.Sum256(bytes) {
		t.Errorf("got %x", got)
	}
	if rep, err := r.Verify(t.Context()); err != nil || !rep.Whole() || rep.Unproved != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestAHeaderThatNobodyWrites(t *testing.T) {
	pair := func(name, value string) []byte {
		out := binary.LittleEndian.AppendUint16(nil, uint16(len(name)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(value)))
		return append(append(out, name...), value...)
	}
	for name, c := range map[string]struct {
		body []byte
		ok   bool
	}{
		"a name of later":    {append(pair("group", "g"), pair("zone", "z")...), true},
		"twice":              {append(pair("group", "g"), pair("group", "g")...), false},
		"not in order":       {append(pair("source", "s"), pair("group", "g")...), false},
		"no name":            {pair("", "g"), false},
		"more than there is": {pair("group", "g")[:10], false},
		"a length only":      {pair("group", "g")[:3], false},
		"no number":          {pair("first", "-1"), false},
		"no time":            {pair("created", "today"), false},
	} {
		whole := append([]byte(magic), make([]byte, headLen-len(magic))...)
		binary.LittleEndian.PutUint16(whole[8:], Version)
		whole = append(whole, c.body...)
		binary.LittleEndian.PutUint32(whole[12:], uint32(len(c.body)))
		putCRC(whole)
		if h, err := decodeHeader(whole); (err == nil) != c.ok || c.ok && h.Group != "g" {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

func TestAnIndexThatIsNotToBeUsed(t *testing.T) {
	for name, offsets := range map[string][]int64{
		"not from the start": {101}, "not ascending": {100, 500, 300}, "twice": {100, 100},
		"too close": {100, 200}, "outside": {100, 950}, "negative": {100, -5},
	} {
		if _, ok := decodeIndex(appendIndex(nil, 7, offsets), 7, 100, 1000); ok {
			t.Errorf("%s: used", name)
		}
	}
	good := appendIndex(nil, 7, []int64{100, 228, 872})
	if _, ok := decodeIndex(good, 7, 100, 1000); !ok {
		t.Error("a good one is not used")
	}
	if _, ok := decodeIndex(good, 8, 100, 1000); ok {
		t.Error("that of another file is used")
	}
}
