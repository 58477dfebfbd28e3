package capture_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"mqscope/engine/capture"
)

// FuzzRead: whatever the file, reading it ends, in order, and nothing is left open.
func FuzzRead(f *testing.F) {
	f.Add(pcap(f, chat(newTalk().open(), 2).close().packets))
	f.Add(pcap(f, newTalk().open().raw(false, []byte{0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5}).packets))
	f.Add(file(f, "pull")[:4000])
	f.Add([]byte("\n\r\r\n\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x1c\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
			return // what a gzip stream may grow to is not the point here
		}
		checkItems(t, data, capture.Options{StreamBytes: 4 << 10, HeldBytes: 8 << 10, FrameBytes: 32 << 10, Conns: 8, Requests: 4})
	})
}

// FuzzFrames sends frames as the script says: it drops, doubles, moves and cuts packets.
// Frames that come out whole were sent, each at most once; without losses all come out.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{}, byte(100))
	f.Add([]byte{0, 0, 1, 0, 0, 2, 0, 3, 0, 4, 0, 0, 1}, byte(40))
	f.Add([]byte{1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 4}, byte(7))
	f.Fuzz(func(t *testing.T, script []byte, size byte) {
		k := newTalk().open()
		k.size = int(size) + 1
		var sent []string
		for i := range int32(12) {
			c := request(i, 11, string(bytes.Repeat([]byte{byte('a' + i)}, int(i*i)*3)))
			sent = append(sent, command(c))
			k.say(false, c)
		}
		var packets []pkt
		lossless := true
		for _, p := range k.packets[3:] {
			if p.src != client {
				continue
			}
			var how byte
			if len(script) > 0 {
				how, script = script[0], script[1:]
			}
			switch how % 5 {
			case 1:
				lossless = false
				continue
			case 2:
				packets = append(packets, p, p)
			case 3:
				if n := len(packets); n > 0 {
					packets = slices.Insert(packets, n-1, p)
					continue
				}
				packets = append(packets, p)
			case 4: // again from further back
				packets = append(packets, p)
				if n := len(packets); n > 3 {
					packets = append(packets, packets[n-3])
				}
			default:
				packets = append(packets, p)
			}
		}
		start := slices.Clone(k.packets[:3])
		for i := range packets {
			packets[i].at = noon.Add(time.Duration(i) * time.Millisecond)
		}
		items, _, _ := readAll(t, pcap(t, append(start, packets...)), capture.Options{})
		var got []string
		for _, it := range items {
			if it.Kind != capture.Asked {
				continue
			}
			if x := it.Exchange; x.RequestCut == 0 {
				got = append(got, command(x.Request))
			} else if !slices.ContainsFunc(sent, func(s string) bool { return len(s) >= 4 && bytes.HasPrefix([]byte(s), []byte(command(x.Request))) }) {
				t.Fatalf("cut frame %s was not sent", command(x.Request))
			}
		}
		for i, j := 0, 0; i < len(got); i, j = i+1, j+1 {
			for j < len(sent) && sent[j] != got[i] {
				j++
			}
			if j == len(sent) {
				t.Fatalf("%s was not sent, or not then", got[i])
			}
		}
		if lossless && len(got) != len(sent) {
			t.Fatalf("%d frames of %d without a loss: %v", len(got), len(sent), notes(items))
		}
	})
}
