package capture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture"
)

// TestCutAtEveryByte reads every beginning of a capture: what was found before the cut is
// there, and the end is noted.
func TestCutAtEveryByte(t *testing.T) {
	data := pcap(t, chat(newTalk().open(), 4).close().packets)
	all := exchanges(mustRead(t, data))
	for n := range data {
		items, _, err := readAll(t, data[:n], capture.Options{})
		if _, none := errors.AsType[*capture.NoTrafficError](err); err != nil && !none && !errors.Is(err, capture.ErrNotACapture) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		for i, x := range exchanges(items) {
			if i >= len(all) || strings.Fields(x)[1] != strings.Fields(all[i])[1] {
				t.Fatalf("cut at %d: exchange %d is %q, want %q", n, i, x, all[i])
			}
		}
	}
}

// TestAnyBitFlipped reads a capture with one bit changed, of the later bytes one bit each:
// nothing breaks, and whatever is told is told in order.
func TestAnyBitFlipped(t *testing.T) {
	data := pcap(t, chat(newTalk().open(), 2).close().packets)
	for bit := range 8 * len(data) {
		if bit > 8*500 && bit%8 != bit/8%8 {
			continue
		}
		data[bit/8] ^= 1 << (bit % 8)
		checkItems(t, data, capture.Options{})
		data[bit/8] ^= 1 << (bit % 8)
	}
}

// checkItems reads data and wants only what any capture may give.
func checkItems(t *testing.T, data []byte, opts capture.Options) {
	t.Helper()
	items, _, err := readAll(t, data, opts)
	if _, none := errors.AsType[*capture.NoTrafficError](err); err != nil && !none && !errors.Is(err, capture.ErrNotACapture) {
		t.Fatal(err)
	}
	if len(items) == 0 {
		return
	}
	open, asked := make(map[int]bool), make(map[uint64]bool)
	at := items[0].At
	for _, it := range items {
		if it.At.Before(at) {
			t.Fatal("time runs back")
		}
		at = it.At
		switch it.Kind {
		case capture.Opened:
			open[it.Conn.ID] = true
		case capture.Closed:
			delete(open, it.Conn.ID)
		case capture.Asked, capture.Done:
			x := it.Exchange
			if !open[it.Conn.ID] || x.Request == nil && x.Response == nil || x.Seq == 0 {
				t.Fatalf("%+v", x)
			}
			if it.Kind == capture.Asked {
				asked[x.Seq] = true
				break
			}
			if x.Request != nil && !x.OneWay && !asked[x.Seq] {
				t.Fatalf("%+v is done before it was asked", x)
			}
			if (x.Request == nil || x.Response == nil && !x.OneWay) != (x.Why != "") {
				t.Fatalf("%+v", x)
			}
			delete(asked, x.Seq)
		}
	}
	if len(open) != 0 || len(asked) != 0 {
		t.Fatalf("%d connections and %d requests were never ended", len(open), len(asked))
	}
}

// generated reads packets that are made while they are read.
type generated struct {
	next func() []byte
	left []byte
}

func (g *generated) Read(b []byte) (int, error) {
	if len(g.left) == 0 {
		if g.left = g.next(); g.left == nil {
			return 0, io.EOF
		}
	}
	n := copy(b, g.left)
	g.left = g.left[n:]
	return n, nil
}

// record is one packet of a pcap file.
func record(t *testing.T, p pkt) []byte {
	one := pcap(t, []pkt{p})
	return one[24:]
}

// heapAfter reads a generated capture and says how much memory it had grown by at most.
func heapAfter(t *testing.T, opts capture.Options, n int, packet func(i int) pkt) (grown uint64, kinds map[capture.NoteKind]int64) {
	t.Helper()
	var before, m runtime.MemStats
	var i int
	first := true
	in := &generated{next: func() []byte {
		if i%200 == 199 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			grown = max(grown, m.HeapAlloc-min(before.HeapAlloc, m.HeapAlloc))
		}
		if first {
			first = false
			return pcap(t, nil)
		}
		if i++; i > n {
			return nil
		}
		return record(t, packet(i))
	}}
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := capture.Read(in, opts)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next()
	}
	return grown, r.Stats().Notes
}

func TestMemoryHasABoundWhateverIsMissing(t *testing.T) {
	frame := bytes.Repeat([]byte{0, 0, 0, 9}, 300)
	for name, opts := range map[string]capture.Options{
		"of a stream": {StreamBytes: 64 << 10}, "of all streams": {StreamBytes: 1 << 30, HeldBytes: 64 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk().open()
			grown, kinds := heapAfter(t, opts, 3000, func(i int) pkt {
				if i <= 3 {
					return k.packets[i-1]
				}
				// Every second packet of a busy stream is missing.
				return pkt{at: noon.Add(time.Duration(i) * time.Microsecond), src: client, dst: broker, seq: 1001 + uint32(i)*2400, flags: "A", data: frame}
			})
			if kinds[capture.NoteGap] < 2800 {
				t.Errorf("notes %v, want a gap for nearly every packet", kinds)
			}
			if grown > 2<<20 {
				t.Errorf("grew by %d bytes", grown)
			}
		})
	}
}

func TestFrameThatClaimsToBeHugeHasABound(t *testing.T) {
	k := newTalk().open()
	head := binary.BigEndian.AppendUint32(nil, 16<<20-4)
	head = append(head, 0, 0, 0, 60)
	opts := capture.Options{FrameBytes: 256 << 10}
	grown, _ := heapAfter(t, opts, 4000, func(i int) pkt {
		if i <= 3 {
			return k.packets[i-1]
		}
		data := bytes.Repeat([]byte{'{'}, 1000)
		if i == 4 {
			data = append(head, data[len(head):]...)
		}
		return pkt{at: noon, src: client, dst: broker, seq: 1001 + uint32(i-4)*1000, flags: "A", data: data}
	})
	if grown > 2<<20 {
		t.Errorf("grew by %d bytes", grown)
	}
}

func TestManyConnectionsHaveABound(t *testing.T) {
	opts := capture.Options{Conns: 100}
	ask, err := appendAsk()
	if err != nil {
		t.Fatal(err)
	}
	grown, kinds := heapAfter(t, opts, 6000, func(i int) pkt {
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 40000)
		return pkt{at: noon, src: src, dst: broker, seq: 1, flags: "A", data: ask}
	})
	if kinds[capture.NoteGivenUp] != 5900 {
		t.Errorf("notes %v, want all connections but 100 given up", kinds)
	}
	if grown > 8<<20 {
		t.Errorf("grew by %d bytes", grown)
	}
}

func TestManyRequestsHaveABound(t *testing.T) {
	k := newTalk().open()
	for i := range int32(50) {
		k.say(false, request(i, 11, fmt.Sprint(i)))
	}
	k.say(true, response(0, 0, "late")).say(true, response(49, 0, "in time"))
	items, r, err := readAll(t, pcap(t, k.packets), capture.Options{Requests: 10, Notes: 5})
	if err != nil {
		t.Fatal(err)
	}
	x := exchanges(items)
	if len(x) != 51 || !strings.HasSuffix(x[0], "too many requests waited") || !strings.Contains(x[49], "in time") {
		t.Errorf("%d: %q", len(x), x)
	}
	if r.Stats().Notes[capture.NoteGivenUp] != 40 {
		t.Errorf("notes %v", r.Stats().Notes)
	}
	if got := notes(items); len(got) != 6 { // five, and that there are more
		t.Errorf("notes %v", got)
	}
}

func TestManyBytesOfRequestsHaveABound(t *testing.T) {
	k := newTalk().open()
	k.size = 1400
	for i := range int32(60) {
		k.say(false, request(i, 10, strings.Repeat("m", 10_000)))
	}
	items, _, err := readAll(t, pcap(t, k.packets), capture.Options{RequestBytes: 100 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var given int
	for _, x := range exchanges(items) {
		if strings.HasSuffix(x, "too many requests waited") {
			given++
		}
	}
	if given < 50 || given > 55 {
		t.Errorf("%d of 60 requests given up, want those that do not fit into 100 KiB", given)
	}
}

func TestTimeThatRunsBackIsNoted(t *testing.T) {
	packets := chat(newTalk().open(), 4).packets
	for i := len(packets) / 2; i < len(packets); i++ {
		packets[i].at = packets[i].at.Add(-time.Hour)
	}
	data := pcap(t, packets)
	checkItems(t, data, capture.Options{})
	items := mustRead(t, data)
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteTime}) {
		t.Errorf("notes %v", got)
	}
	if len(exchanges(items)) != 6 {
		t.Errorf("%v", exchanges(items))
	}
}

func TestDamagedFileKeepsWhatWasBefore(t *testing.T) {
	data := pcap(t, chat(newTalk().open(), 4).packets)
	whole := len(exchanges(mustRead(t, data)))
	data = append(data, bytes.Repeat([]byte{0xFF}, 64)...)
	items := mustRead(t, data)
	if len(exchanges(items)) != whole || !slices.Contains(notes(items), capture.NoteFile) {
		t.Errorf("%d exchanges, notes %v", len(exchanges(items)), notes(items))
	}
}
