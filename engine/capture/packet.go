package capture

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket/layers"
)

// segment is one TCP segment as it was captured.
type segment struct {
	at       time.Time
	src, dst netip.AddrPort
	seq, ack uint32
	flags    uint8
	data     []byte
	cut      int // bytes of the segment that follow data but were not captured
}

// Bits of segment.flags.
const (
	flagFIN = 1 << 0
	flagSYN = 1 << 1
	flagRST = 1 << 2
	flagACK = 1 << 4
)

// verdict is what became of a packet that is no TCP segment, for counting.
type verdict string

const (
	isTCP       verdict = ""
	badLink     verdict = "packets of link types that are not read"
	notIP       verdict = "packets that are not IP"
	fragment    verdict = "fragments of IP packets, which are not put together"
	tooShort    verdict = "packets too short for their headers"
	otherProto  verdict = "packets of other protocols than TCP"
	isUDP       verdict = "UDP packets"
	isEncrypted verdict = "IPsec packets"
)

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86DD
	etherVLAN = 0x8100
	etherQinQ = 0x88A8
	etherOld  = 0x9100
)

// dissect finds the TCP segment of p.
func dissect(p *packet, s *segment) verdict {
	b, kind, v := network(p)
	if v != isTCP {
		return v
	}
	s.at = p.at
	switch kind {
	case 4:
		return ipv4(b, p.cut, s)
	case 6:
		return ipv6(b, p.cut, s)
	}
	return notIP
}

// network strips the link layer and says which version of IP follows.
func network(p *packet) (rest []byte, version int, v verdict) {
	b := p.data
	ether := func(at int) ([]byte, int, verdict) { return etherType(b, at) }
	switch p.link {
	case layers.LinkTypeEthernet:
		return ether(12)
	case layers.LinkTypeLinuxSLL:
		return ether(14)
	case layers.LinkTypeLinuxSLL2:
		if len(b) < 20 {
			return nil, 0, tooShort
		}
		switch t := binary.BigEndian.Uint16(b); t {
		case etherVLAN, etherQinQ, etherOld:
			return etherType(b[20:], 2) // behind the control word of the tag
		default:
			return ipOfType(t, b[20:])
		}
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		if len(b) < 4 {
			return nil, 0, tooShort
		}
		return rawIP(b[4:]) // the family's number differs between systems: the IP header tells it
	case layers.LinkTypeRaw, 12, 14: // 12 and 14 stand in files of some systems
		return rawIP(b)
	case layers.LinkTypeIPv4, layers.LinkTypeIPv6:
		return rawIP(b)
	}
	return nil, 0, badLink
}

// etherType reads the type at b[at:], through VLAN tags.
func etherType(b []byte, at int) ([]byte, int, verdict) {
	for range 4 {
		if len(b) < at+2 {
			return nil, 0, tooShort
		}
		t := binary.BigEndian.Uint16(b[at:])
		switch t {
		case etherVLAN, etherQinQ, etherOld:
			at += 4
			continue
		}
		return ipOfType(t, b[at+2:])
	}
	return nil, 0, notIP
}

func ipOfType(t uint16, b []byte) ([]byte, int, verdict) {
	switch t {
	case etherIPv4:
		return b, 4, isTCP
	case etherIPv6:
		return b, 6, isTCP
	}
	return nil, 0, notIP
}

func rawIP(b []byte) ([]byte, int, verdict) {
	if len(b) == 0 {
		return nil, 0, tooShort
	}
	return b, int(b[0] >> 4), isTCP
}

// ipv4 reads an IPv4 header; cut is how much of the packet's end is missing.
func ipv4(b []byte, cut int, s *segment) verdict {
	if len(b) < 20 || b[0]>>4 != 4 {
		return tooShort
	}
	head := int(b[0]&15) * 4
	total := int(binary.BigEndian.Uint16(b[2:]))
	if total == 0 { // the length was left to the network card
		total = len(b) + cut
	}
	if head < 20 || head > len(b) || total < head {
		return tooShort
	}
	if frag := binary.BigEndian.Uint16(b[6:]); frag&0x3FFF != 0 { // more follow, or an offset
		return fragment
	}
	src, dst := netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20]))
	return transport(b[9], b[head:min(total, len(b))], max(total-len(b), 0), src, dst, s)
}

// ipv6 reads an IPv6 header and passes over its extensions.
func ipv6(b []byte, cut int, s *segment) verdict {
	if len(b) < 40 || b[0]>>4 != 6 {
		return tooShort
	}
	total := 40 + int(binary.BigEndian.Uint16(b[4:]))
	if total == 40 {
		total = len(b) + cut
	}
	src, dst := netip.AddrFrom16([16]byte(b[8:24])), netip.AddrFrom16([16]byte(b[24:40]))
	next, rest := b[6], b[40:min(total, len(b))]
	for range 8 {
		var size int
		switch next {
		case 0, 43, 60, 135: // hop by hop, routing, destination, mobility
			if len(rest) < 8 {
				return tooShort
			}
			size = 8 + int(rest[1])*8
		case 44:
			if len(rest) < 8 {
				return tooShort
			}
			if binary.BigEndian.Uint16(rest[2:])&^6 != 0 {
				return fragment
			}
			size = 8
		default:
			return transport(next, rest, max(total-len(b), 0), src, dst, s)
		}
		if size > len(rest) {
			return tooShort
		}
		next, rest = rest[0], rest[size:]
	}
	return otherProto
}

// transport reads a TCP header; cut is how much is missing behind b.
func transport(proto uint8, b []byte, cut int, src, dst netip.Addr, s *segment) verdict {
	switch proto {
	case 6:
	case 17:
		if len(b) >= 4 {
			s.dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))
		}
		return isUDP
	case 50, 51:
		return isEncrypted
	default:
		return otherProto
	}
	if len(b) < 20 {
		return tooShort
	}
	head := int(b[12]>>4) * 4
	if head < 20 || head > len(b)+cut {
		return tooShort
	}
	s.src = netip.AddrPortFrom(src, binary.BigEndian.Uint16(b))
	s.dst = netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))
	s.seq, s.ack = binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	s.flags = b[13]
	if head > len(b) { // options were cut, and all behind them
		s.data, s.cut = nil, cut-(head-len(b))
		return isTCP
	}
	s.data, s.cut = b[head:], cut
	return isTCP
}
