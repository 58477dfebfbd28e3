package capture_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mqscope/engine/capture"
)

func TestLinkLayersAndIPVersions(t *testing.T) {
	want := whole(t, 6)
	v6 := func(k *talk) *talk {
		k.client, k.server = netip.MustParseAddrPort("[fd00::1]:40000"), netip.MustParseAddrPort("[fd00::2]:10911")
		return k
	}
	v4 := func(k *talk) *talk { return k }
	for name, c := range map[string]struct {
		link layers.LinkType
		vlan bool
		ip   func(*talk) *talk
	}{
		"Ethernet, IPv6": {layers.LinkTypeEthernet, false, v6}, "VLAN": {layers.LinkTypeEthernet, true, v4},
		"VLAN, IPv6": {layers.LinkTypeEthernet, true, v6}, "BSD loopback": {layers.LinkTypeNull, false, v4},
		"BSD loopback, IPv6": {layers.LinkTypeNull, false, v6}, "OpenBSD loopback": {layers.LinkTypeLoop, false, v4},
		"cooked": {layers.LinkTypeLinuxSLL, false, v4}, "cooked, IPv6": {layers.LinkTypeLinuxSLL, false, v6},
		"cooked v2": {layers.LinkTypeLinuxSLL2, false, v4}, "cooked v2, IPv6": {layers.LinkTypeLinuxSLL2, false, v6},
		"cooked v2, VLAN": {layers.LinkTypeLinuxSLL2, true, v4}, "raw": {layers.LinkTypeRaw, false, v4},
		"raw, IPv6": {layers.LinkTypeRaw, false, v6}, "IPv4": {layers.LinkTypeIPv4, false, v4}, "IPv6": {layers.LinkTypeIPv6, false, v6},
	} {
		t.Run(name, func(t *testing.T) {
			packets := chat(c.ip(newTalk()).open(), 6).close().packets
			items := mustRead(t, pcapOf(t, packets, c.link, c.vlan, 1<<18))
			if diff := cmp.Diff(want, exchanges(items)); diff != "" {
				t.Error(diff)
			}
			if got := notes(items); len(got) != 0 {
				t.Errorf("notes %v", got)
			}
		})
	}
}

func TestIPv6ExtensionHeadersArePassedOver(t *testing.T) {
	k := newTalk()
	k.client, k.server = netip.MustParseAddrPort("[fd00::1]:40000"), netip.MustParseAddrPort("[fd00::2]:10911")
	var out bytes.Buffer
	w := pcapgo.NewWriter(&out)
	must(t, w.WriteFileHeader(1<<18, layers.LinkTypeRaw))
	for _, p := range chat(k.open(), 2).packets {
		data := frameOf(t, layers.LinkTypeRaw, false, p)
		data[6] = 0 // hop by hop, with a pad of 12, and destination options with one of 4
		data = slices.Insert(data, 40, 60, 1, 1, 12, 0, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 6, 0, 1, 4, 0, 0, 0, 0)
		length := len(data) - 40
		data[4], data[5] = byte(length>>8), byte(length)
		must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: p.at, Length: len(data), CaptureLength: len(data)}, data))
	}
	if x := exchanges(mustRead(t, out.Bytes())); len(x) != 4 {
		t.Errorf("%v", x)
	}
}

// TestLengthLeftToTheNetworkCard has no length in its IP headers.
func TestLengthLeftToTheNetworkCard(t *testing.T) {
	var out bytes.Buffer
	w := pcapgo.NewWriter(&out)
	must(t, w.WriteFileHeader(1<<18, layers.LinkTypeRaw))
	for _, p := range chat(newTalk().open(), 2).packets {
		data := frameOf(t, layers.LinkTypeRaw, false, p)
		data[2], data[3] = 0, 0
		must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: p.at, Length: len(data), CaptureLength: len(data)}, data))
	}
	if x := exchanges(mustRead(t, out.Bytes())); len(x) != 4 {
		t.Errorf("%v", x)
	}
}

// TestPcapNG reads a file with two interfaces of different link layers, packed or not.
func TestPcapNG(t *testing.T) {
	want := whole(t, 6)
	var out bytes.Buffer
	w, err := pcapgo.NewNgWriter(&out, layers.LinkTypeEthernet)
	must(t, err)
	second, err := w.AddInterface(pcapgo.NgInterface{Name: "any", LinkType: layers.LinkTypeLinuxSLL2, SnapLength: 1 << 18, TimestampResolution: 9})
	must(t, err)
	for i, p := range chat(newTalk().open(), 6).close().packets {
		link, at := layers.LinkTypeEthernet, 0
		if i%2 == 1 {
			link, at = layers.LinkTypeLinuxSLL2, second
		}
		data := frameOf(t, link, false, p)
		must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: p.at, Length: len(data), CaptureLength: len(data), InterfaceIndex: at}, data))
	}
	must(t, w.Flush())
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(out.Bytes())
	must(t, err)
	must(t, z.Close())
	for _, data := range [][]byte{out.Bytes(), packed.Bytes()} {
		items := mustRead(t, data)
		if diff := cmp.Diff(want, exchanges(items)); diff != "" {
			t.Error(diff)
		}
		if !items[0].At.After(noon) || items[0].At.Sub(noon).Seconds() > 1 {
			t.Errorf("begins at %v, want just after %v", items[0].At, noon)
		}
	}
}

// TestSnapLengthKeepsHeaders captures so little of each packet that bodies are cut off, but
// headers are not.
func TestSnapLengthKeepsHeaders(t *testing.T) {
	k := newTalk().open()
	k.size = 1400
	for i := range int32(10) {
		k.say(false, request(i, 11, "ask")).say(true, response(i, 0, strings.Repeat("z", 1000)))
	}
	items := mustRead(t, pcapOf(t, k.close().packets, layers.LinkTypeEthernet, false, 300))
	x := exchanges(items)
	if len(x) != 10 {
		t.Fatalf("%d exchanges: %v", len(x), x)
	}
	for _, it := range items {
		if it.Kind == capture.Done {
			if x := it.Exchange; x.RequestCut != 0 || x.ResponseCut == 0 || x.ResponseCut+len(x.Response.Body) != 1000 {
				t.Errorf("request lacks %d bytes, answer of %d lacks %d", x.RequestCut, len(x.Response.Body), x.ResponseCut)
			}
		}
	}
}

// nothing wants the error of a capture without RocketMQ traffic, with all of the words.
func nothing(t *testing.T, data []byte, words ...string) {
	t.Helper()
	_, _, err := readAll(t, data, capture.Options{})
	e, ok := errors.AsType[*capture.NoTrafficError](err)
	if !ok {
		t.Fatalf("%v, want that there is no traffic", err)
	}
	for _, w := range append(words, "tcpdump") {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("%q does not say %q", e, w)
		}
	}
}

func TestCaptureWithoutRocketMQSaysWhatWasSeen(t *testing.T) {
	hello := append([]byte{0x16, 3, 1, 0, 200}, bytes.Repeat([]byte{1}, 200)...)
	data := append([]byte{0x17, 3, 3, 0, 95}, bytes.Repeat([]byte{0xA5}, 95)...)
	nothing(t, pcap(t, newTalk().open().raw(false, hello).raw(true, hello).packets), "TLS", "10911", "switch TLS off")
	nothing(t, pcap(t, newTalk().raw(false, data).raw(true, data).raw(false, data).packets), "TLS", "10911")
	nothing(t, pcap(t, newTalk().open().raw(false, []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).packets), "HTTP", "10911", "1 connections")
	nothing(t, pcap(t, newTalk().open().raw(true, []byte("SSH-2.0-OpenSSH_9\r\n")).packets), "SSH")
	nothing(t, pcap(t, newTalk().open().raw(true, []byte("\xff\xff\xff\xffsomething else")).packets), "another protocol")
	nothing(t, pcap(t, nil), "no packets")
	var out bytes.Buffer
	w := pcapgo.NewWriter(&out)
	must(t, w.WriteFileHeader(1<<16, layers.LinkTypeRaw))
	ip := &layers.IPv4{Version: 4, TTL: 1, Protocol: layers.IPProtocolUDP, SrcIP: client.Addr().AsSlice(), DstIP: broker.Addr().AsSlice()}
	udp := &layers.UDP{SrcPort: 5000, DstPort: 53}
	must(t, udp.SetNetworkLayerForChecksum(ip))
	buf := gopacket.NewSerializeBuffer()
	must(t, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true}, ip, udp, gopacket.Payload("dns")))
	info := gopacket.CaptureInfo{Timestamp: noon, Length: len(buf.Bytes()), CaptureLength: len(buf.Bytes())}
	must(t, w.WritePacket(info, buf.Bytes()))
	fragment := slices.Clone(buf.Bytes())
	fragment[6] |= 0x20
	must(t, w.WritePacket(info, fragment))
	nothing(t, out.Bytes(), "udp port 53", "fragments")
	k := newTalk().open().say(false, request(0, 11, "ask"))
	nothing(t, pcapOf(t, k.packets, layers.LinkTypeEthernet, false, 80), "of 1 only the beginning was captured", "-s 0")
}

// TestTLSBesideRocketMQIsNoted keeps what can be read.
func TestTLSBesideRocketMQIsNoted(t *testing.T) {
	k := newTalk()
	k.client = netip.MustParseAddrPort("10.0.0.1:41000")
	k.open().raw(false, append([]byte{0x16, 3, 1, 0, 50}, make([]byte, 50)...))
	items := mustRead(t, pcap(t, slices.Concat(k.packets, chat(newTalk().open(), 2).packets)))
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteTLS}) {
		t.Errorf("notes %v", got)
	}
	if len(exchanges(items)) != 4 {
		t.Errorf("%v", exchanges(items))
	}
}

// TestOtherConnectionsMakeNoNoise has a long one under TLS and one of anything with gaps.
func TestOtherConnectionsMakeNoNoise(t *testing.T) {
	tls := newTalk()
	tls.client = netip.MustParseAddrPort("10.0.0.1:41000")
	tls.open().raw(false, append([]byte{0x16, 3, 1, 0, 50}, make([]byte, 50)...))
	for range 8 { // as if much was sent and captured
		tls.seq[1] += 100 << 20
		tls.send(true, "A", make([]byte, 100))
	}
	tls.close()
	any := newTalk()
	any.client = netip.MustParseAddrPort("10.0.0.1:42000")
	for range 8 {
		any.seq[1] += 1000
		any.send(true, "A", bytes.Repeat([]byte{0xEE}, 100))
	}
	items, r, err := readAll(t, pcap(t, slices.Concat(tls.packets, any.packets, chat(newTalk().open(), 2).packets)), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := notes(items); !slices.Equal(got, []capture.NoteKind{capture.NoteTLS}) || r.Stats().Conns != 3 {
		t.Errorf("notes %v, %d connections", got, r.Stats().Conns)
	}
}

func TestOtherFilesAreNoCaptures(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "short": "\xd4\xc3", "text": "RocketMQ broker started at 10911", "zip": "PK\x03\x04........",
		"only a magic number": "\xd4\xc3\xb2\xa1", "newer version": "\xd4\xc3\xb2\xa1\x09\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00\x00",
	} {
		if _, err := capture.Read(strings.NewReader(data), capture.Options{}); !errors.Is(err, capture.ErrNotACapture) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
