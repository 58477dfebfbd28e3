package capture

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// maxPorts is how many ports are told apart.
const maxPorts = 1024

// Seen is traffic of one port that is not remoting.
type Seen struct {
	Network  string // tcp or udp
	Port     uint16 // of the server, or the lower one where that is not known
	Protocol string // what it speaks, if that was found out
	Count    int    // TCP connections, or UDP packets
}

type port struct {
	network string
	number  uint16
}

// sights remembers what else is in a capture, for when it has no remoting traffic.
type sights struct{ ports map[port]*Seen }

func (s *sights) init() { s.ports = make(map[port]*Seen) }

func (s *sights) at(network string, number uint16) *Seen {
	p := s.ports[port{network, number}]
	if p == nil {
		if p = new(Seen{Network: network, Port: number}); len(s.ports) < maxPorts {
			s.ports[port{network, number}] = p
		}
	}
	return p
}

func (s *sights) conn(c *conn, g *segment) {
	s.at("tcp", servedBy(g)).Count++
	c.port = servedBy(g)
}

// servedBy is the port of the server as far as one segment tells it.
func servedBy(g *segment) uint16 {
	switch {
	case g.flags&flagSYN != 0 && g.flags&flagACK == 0:
		return g.dst.Port()
	case g.flags&flagSYN != 0:
		return g.src.Port()
	}
	return min(g.src.Port(), g.dst.Port())
}

func (s *sights) stopped(c *conn, name string) { s.at("tcp", c.port).Protocol = name }

func (s *sights) other(v verdict, g *segment) {
	if v == isUDP && g.dst != (netip.AddrPort{}) {
		s.at("udp", g.dst.Port()).Count++
	}
}

// NoTrafficError says that a capture holds no remoting frame, and what it holds.
type NoTrafficError struct {
	Packets, Segments int64
	Cut               int64            // packets of which a snap length left only the beginning
	Seen              []Seen           // most first
	NotRead           map[string]int64 // packets by why they were not read
	Err               error            // what ended the file early
}

// nothing makes the error for a capture without frames; end is what ended its file.
func (s *sights) nothing(r *Reader, end error) error {
	e := &NoTrafficError{Packets: r.stats.Packets, Segments: r.stats.Segments, Cut: r.stats.Cut, NotRead: r.stats.NotRead}
	if r.damaged {
		e.Err = end
	}
	for _, p := range s.ports {
		e.Seen = append(e.Seen, *p)
	}
	slices.SortFunc(e.Seen, func(a, b Seen) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Network, b.Network), cmp.Compare(a.Port, b.Port))
	})
	return e
}

// Unwrap gives what ended the file early, if anything did.
func (e *NoTrafficError) Unwrap() error { return e.Err }

// Error says what was seen and what to do.
func (e *NoTrafficError) Error() string {
	const todo = "the ports of name servers and brokers are mostly 9876, 10909 and 10911: capture them whole, as in tcpdump -i any -s 0 -w FILE 'tcp port 9876 or tcp port 10911'"
	var b strings.Builder
	b.WriteString("no RocketMQ traffic in this capture: ")
	if e.Packets == 0 {
		b.WriteString("it has no packets")
	} else {
		fmt.Fprintf(&b, "%d packets, %d of TCP", e.Packets, e.Segments)
	}
	if e.Cut > 0 {
		fmt.Fprintf(&b, "; of %d only the beginning was captured, which -s 0 of tcpdump prevents", e.Cut)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, "; the file ends early (%v)", e.Err)
	}
	encrypted := e.list(&b)
	kinds := make([]string, 0, len(e.NotRead))
	for k := range e.NotRead {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		fmt.Fprintf(&b, "; %d %s", e.NotRead[k], k)
	}
	if encrypted {
		b.WriteString("; traffic under TLS can not be read: switch TLS off for the time of the capture, or capture behind what ends it")
	}
	b.WriteString("; " + todo)
	return b.String()
}

// list writes the ports seen and tells whether one of them is encrypted.
func (e *NoTrafficError) list(b *strings.Builder) (encrypted bool) {
	for i, s := range e.Seen {
		encrypted = encrypted || s.Protocol == protocolTLS
		if i == 8 {
			fmt.Fprintf(b, " and %d more ports", len(e.Seen)-i)
		}
		if i >= 8 {
			continue
		}
		sep := ", "
		if i == 0 {
			sep = "; seen "
		}
		what := "connections"
		if s.Network == "udp" {
			what = "packets"
		}
		fmt.Fprintf(b, "%s%s port %d (%d %s", sep, s.Network, s.Port, s.Count, what)
		if s.Protocol != "" {
			b.WriteString(", " + s.Protocol)
		}
		b.WriteString(")")
	}
	return encrypted
}
