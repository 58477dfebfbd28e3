package capture_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mqscope/engine/capture"
	"mqscope/engine/remoting"
)

var (
	client = netip.MustParseAddrPort("10.0.0.1:40000")
	broker = netip.MustParseAddrPort("10.0.0.2:10911")
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// pkt is one packet to be captured.
type pkt struct {
	at       time.Time
	src, dst netip.AddrPort
	seq, ack uint32
	flags    string // of S, A, F, R
	data     []byte
}

// talk makes the packets of one connection.
type talk struct {
	client, server netip.AddrPort
	seq            [2]uint32 // of client and server
	at             time.Time
	size           int // of a segment
	packets        []pkt
}

func newTalk() *talk {
	return &talk{client: client, server: broker, seq: [2]uint32{1000, 9000}, at: noon, size: 200}
}

func (k *talk) send(fromServer bool, flags string, data []byte) {
	i, src, dst := 0, k.client, k.server
	if fromServer {
		i, src, dst = 1, k.server, k.client
	}
	k.at = k.at.Add(time.Millisecond)
	k.packets = append(k.packets, pkt{at: k.at, src: src, dst: dst, seq: k.seq[i], ack: k.seq[1-i], flags: flags, data: data})
	k.seq[i] += uint32(len(data))
	for _, f := range flags {
		if f == 'S' || f == 'F' {
			k.seq[i]++
		}
	}
}

func (k *talk) open() *talk {
	k.send(false, "S", nil)
	k.send(true, "SA", nil)
	k.send(false, "A", nil)
	return k
}

func (k *talk) close() *talk {
	k.send(false, "FA", nil)
	k.send(true, "FA", nil)
	k.send(false, "A", nil)
	return k
}

// say sends a frame in segments, and an acknowledgement of each.
func (k *talk) say(fromServer bool, c *remoting.Command) *talk {
	frame, err := remoting.AppendFrame(nil, c, remoting.Limits{})
	if err != nil {
		panic(err)
	}
	return k.raw(fromServer, frame)
}

func (k *talk) raw(fromServer bool, data []byte) *talk {
	for part := range slices.Chunk(data, k.size) {
		k.send(fromServer, "A", part)
		k.send(!fromServer, "A", nil)
	}
	return k
}

func request(opaque, code int32, body string) *remoting.Command {
	c := &remoting.Command{Code: code, Version: 479, Opaque: opaque, Language: remoting.Java, Body: []byte(body)}
	c.Fields.Set("consumerGroup", "g")
	if opaque%2 == 1 {
		c.Serialize = remoting.RocketMQ
	}
	return c
}

func response(opaque, code int32, body string) *remoting.Command {
	c := request(opaque, code, body)
	c.Flag = 1
	return c
}

// chat is a connection with n requests of the client and their answers, and a one-way
// request and a question of the broker.
func chat(k *talk, n int32) *talk {
	for i := range n {
		k.say(false, request(i, 11, fmt.Sprint("ask ", i)))
		if i == n/2 {
			k.say(true, &remoting.Command{Code: 40, Opaque: 7, Flag: 2, Body: []byte("changed")})
			k.say(true, request(i, 307, "how are you"))
			k.say(false, response(i, 0, "fine"))
		}
		k.say(true, response(i, 0, fmt.Sprint("answer ", i, string(bytes.Repeat([]byte{'x'}, int(i)*97%900)))))
	}
	return k
}

// frameOf puts a packet into the link layer of a kind.
func frameOf(tb testing.TB, link layers.LinkType, vlan bool, p pkt) []byte {
	tb.Helper()
	tcp := &layers.TCP{
		SrcPort: layers.TCPPort(p.src.Port()), DstPort: layers.TCPPort(p.dst.Port()), Seq: p.seq, Ack: p.ack, Window: 65535,
		Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindNop}, {OptionType: layers.TCPOptionKindNop}},
	}
	for _, f := range p.flags {
		switch f {
		case 'S':
			tcp.SYN = true
		case 'A':
			tcp.ACK = true
		case 'F':
			tcp.FIN = true
		case 'R':
			tcp.RST = true
		}
	}
	var ip gopacket.SerializableLayer
	kind := layers.EthernetTypeIPv4
	if p.src.Addr().Is4() {
		l := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolTCP, SrcIP: net.IP(p.src.Addr().AsSlice()), DstIP: net.IP(p.dst.Addr().AsSlice())}
		must(tb, tcp.SetNetworkLayerForChecksum(l))
		ip = l
	} else {
		l := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolTCP, SrcIP: net.IP(p.src.Addr().AsSlice()), DstIP: net.IP(p.dst.Addr().AsSlice())}
		must(tb, tcp.SetNetworkLayerForChecksum(l))
		ip, kind = l, layers.EthernetTypeIPv6
	}
	below := []gopacket.SerializableLayer{}
	var before []byte
	switch link {
	case layers.LinkTypeEthernet:
		e := &layers.Ethernet{SrcMAC: make(net.HardwareAddr, 6), DstMAC: make(net.HardwareAddr, 6), EthernetType: kind}
		below = append(below, e)
		if vlan {
			e.EthernetType = layers.EthernetTypeDot1Q
			below = append(below, &layers.Dot1Q{VLANIdentifier: 12, Type: kind})
		}
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		below = append(below, &layers.Loopback{Family: layers.ProtocolFamilyIPv4})
	case layers.LinkTypeLinuxSLL: // gopacket writes neither of the two
		before = binary.BigEndian.AppendUint16(make([]byte, 14), uint16(kind))
	case layers.LinkTypeLinuxSLL2:
		before = append(binary.BigEndian.AppendUint16(nil, uint16(kind)), make([]byte, 18)...)
		if vlan {
			binary.BigEndian.PutUint16(before, 0x8100)
			before = binary.BigEndian.AppendUint16(append(before, 0, 12), uint16(kind))
		}
	}
	buf := gopacket.NewSerializeBuffer()
	all := append(below, ip, tcp, gopacket.Payload(p.data))
	must(tb, gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, all...))
	return append(before, buf.Bytes()...)
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// pcap writes packets as a capture of Ethernet.
func pcap(tb testing.TB, packets []pkt) []byte {
	tb.Helper()
	return pcapOf(tb, packets, layers.LinkTypeEthernet, false, 1<<18)
}

func pcapOf(tb testing.TB, packets []pkt, link layers.LinkType, vlan bool, snap int) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := pcapgo.NewWriter(&out)
	must(tb, w.WriteFileHeader(uint32(snap), link))
	for _, p := range packets {
		data := frameOf(tb, link, vlan, p)
		info := gopacket.CaptureInfo{Timestamp: p.at, Length: len(data), CaptureLength: min(len(data), snap)}
		must(tb, w.WritePacket(info, data[:info.CaptureLength]))
	}
	return out.Bytes()
}

// exchanges are the finished ones as text, in the order of their requests.
func exchanges(items []capture.Item) []string {
	var done []*capture.Exchange
	for _, it := range items {
		if it.Kind == capture.Done {
			done = append(done, it.Exchange)
		}
	}
	slices.SortStableFunc(done, func(a, b *capture.Exchange) int { return int(a.Seq) - int(b.Seq) })
	var text []string
	for _, x := range done {
		text = append(text, fmt.Sprintf("server:%v %s -> %s oneway:%v cut:%d,%d %s",
			x.FromServer, command(x.Request), command(x.Response), x.OneWay, x.RequestCut, x.ResponseCut, x.Why))
	}
	return text
}

func command(c *remoting.Command) string {
	if c == nil {
		return "none"
	}
	return fmt.Sprintf("%d/%d/%s", c.Code, c.Opaque, c.Body)
}

// notes are the kinds of all notes.
func notes(items []capture.Item) (kinds []capture.NoteKind) {
	for _, it := range items {
		if it.Kind == capture.Noted {
			kinds = append(kinds, it.Note.Kind)
		}
	}
	return kinds
}

// mustRead reads a capture that has to be readable.
func mustRead(t testing.TB, data []byte) []capture.Item {
	t.Helper()
	items, _, err := readAll(t, data, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func appendAsk() ([]byte, error) {
	return remoting.AppendFrame(nil, request(1, 11, "ask"), remoting.Limits{})
}
